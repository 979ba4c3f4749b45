import type { Rail, Standing } from '../rail.ts';
import { railUnavailable } from '../unavailable.ts';
import { decide, openAttempt, openAttempts, type TransferAttempt } from './attempt.ts';
import { collect, confirm, reverse } from './collect.ts';
import { giveBackOver } from './give-back.ts';
import { carriedOut, fateOf, lookUpOpen, type Proof } from './outcome.ts';
import { present } from './present.ts';
import { paymentResponse } from './protocol.ts';
import { requestLateRefund, type TransferRefund } from './refunds.ts';
import type { Stablecoins } from './stablecoins.ts';
import { watchChains } from './watch.ts';
import { markHealed } from './watched.ts';

const notConfigured = ['x402_not_configured'];

/** The x402 rail: signed transfers of USDC. `coins` is null where it is not configured. */
export function x402Rail(coins: Stablecoins | null): Rail<TransferAttempt, Proof, TransferRefund> {
  const providers = (): Stablecoins => {
    if (!coins) throw railUnavailable('x402', notConfigured);
    return coins;
  };
  return {
    name: 'x402',
    isSetUp: coins !== null,
    methods: ['x402'],
    networks: coins?.networks ?? [],
    remedies: { undelivered: 'wallet_credit', waived: 'refund' },
    suspense: 'suspense:reorganised',

    standing: (now, isSwitchedOff) => standing(coins, now, isSwitchedOff),
    seemsUp: (now) => coins?.seemsReachable(now) ?? false,

    present: async (request) => present(providers(), request),
    confirmation(attempt, attested, proof) {
      const transaction = proof && 'logged' in proof ? proof.logged.transaction : attempt.transaction;
      return transaction && paymentResponse({ ...attempt, transaction }, attested);
    },

    openAttempt,
    hosted: null,
    kept: null,
    openAttempts: async (db, now, limit) => (coins ? openAttempts(db, now, limit) : []),
    lookUp: async ({ db }, attempt) => fateOf(await lookUpOpen(db, providers(), attempt)),
    settle: async (process, attempt) => fateOf(await carriedOut(process, providers(), attempt)),
    // Anyone with a signed transfer can carry it out until it expires.
    withdraw: async ({ db }, attempt) => fateOf(await lookUpOpen(db, providers(), attempt)),

    collect,
    giveUp: (tx, attempt, failure, now) => decide(tx, attempt.payment_key, { state: 'failed', failure }, now),
    confirm,
    reverse,
    restore: (tx, attempt, now) => markHealed(tx, attempt.payment_key, now),
    async returnLate(tx, attempt, proof, now) {
      return 'noted' in proof && proof.noted !== null && requestLateRefund(tx, proof.noted, attempt, now);
    },

    refunds: giveBackOver(coins),
    // Chains announce nothing: they are watched.
    hear: async () => {},
    receive: null,
    announcement: null,
    disputes: null,
    watch: async (process, tell) => (coins ? watchChains(process, coins, tell) : undefined),
  };
}

async function standing(coins: Stablecoins | null, now: Date, isSwitchedOff: boolean): Promise<Standing> {
  if (!coins) return { networks: [], reasons: notConfigured };
  if (isSwitchedOff) return { networks: [...coins.networks], reasons: ['rail_disabled'] };
  const { facilitator, networks } = await coins.reachable(now);
  return {
    networks: [...(networks.length > 0 ? networks : coins.networks)],
    reasons: [
      ...(facilitator ? [] : ['facilitator_unreachable']),
      // One reachable chain is enough.
      ...(networks.length > 0 ? [] : ['chain_unreachable']),
    ],
  };
}
