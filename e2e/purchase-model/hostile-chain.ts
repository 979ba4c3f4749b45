import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import type { ChainBooks } from '../../server/payments/told.ts';
import { returnArrival } from '../../server/payments/x402/by-hand.ts';
import { readTransfersWaiting } from '../../server/payments/x402/unsettled.ts';
import { price } from '../../server/service/terms.ts';
import { Agent, type Answer } from '../support/agent.ts';
import { chainHand, type Signed, signedIn } from '../support/chain-hand.ts';
import type { Hostility } from './hostilities.ts';
import type { World } from './world.ts';

export const chains = [84532, 421614] as const;
export type ChainIndex = 0 | 1;
const unitPrice = price / 100n;
/** Worker rounds after which an answer must have come. */
const roundsMax = 12;
/** Worker rounds after which anything must have been noticed. */
const roundsMin = 2;
/** Time past the last look at a payment that is not final yet. */
const lastLookSeconds = 1_801;
const nobody = `0x${'0'.repeat(40)}`;
/** Purchases per run: below a daily limit. */
const jobsMax = 6;
/** Answers a buyer may get on such a chain: none is a server fault. */
const answers = [200, 201, 402, 403, 404, 409, 503];

/** A payment that somebody signed for their own job. */
export interface SignedPayment {
  buyer: Agent;
  jobKey: string;
  network: ChainIndex;
  header: string;
  transfer: Signed;
}

/** The kinds of hostile events: each must have happened in every sample. */
export const kinds = [
  'several authorizations in one transaction',
  'a transfer of nothing',
  'dust under the nonce of a payment',
  "a stranger's transfer",
  'a cancellation',
  'a reorganisation',
  'a blind node',
  'a lagging node',
  'a facilitator that fails',
  'a stolen signature',
  'a restore',
  'a payment moved',
  'a payment dropped',
  'a reversal healed',
  'a return by hand',
] as const;
export type Kind = (typeof kinds)[number];
export type Tally = Map<Kind, number>;

/** Kinds that only the books reveal, by the action they record. */
const kindsInBooks: readonly (readonly [Kind, string])[] = [
  ['a payment moved', 'moved_on_chain'],
  ['a payment dropped', 'reversed'],
  ['a reversal healed', 'reversal_healed'],
];

/** Hostile chains with two buyers: either may be a thief, and neither may lose or gain by it. */
export class HostileChain {
  readonly world: World;
  readonly control;
  readonly hands;
  readonly buyers: Agent[];
  readonly payments: SignedPayment[] = [];
  readonly tally: Tally;
  restore: (() => Promise<void>) | null = null;
  /** When the last round began, by the clock of the service. */
  roundBegan = 0;

  private constructor(world: World, buyers: Agent[], hands: Awaited<ReturnType<typeof chainHand>>[], tally: Tally) {
    this.world = world;
    this.tally = tally;
    this.buyers = buyers;
    this.hands = hands;
    this.control = controlClient(world.service.sandbox.controlUrl);
  }

  static async open(world: World, tally: Tally): Promise<HostileChain> {
    const { service } = world;
    const buyers = [await Agent.arrive(service), await Agent.arrive(service)];
    const hands = await Promise.all(chains.map((chain) => chainHand(service.sandbox.controlUrl, chain)));
    return new HostileChain(world, buyers, hands, tally);
  }

  buyer(index: number): Agent {
    return this.buyers[index % this.buyers.length] ?? expect.unreachable();
  }
  payment(index: number): SignedPayment | undefined {
    return this.payments.at(-1 - (index % Math.max(this.payments.length, 1)));
  }
  hand(network: ChainIndex) {
    return this.hands[network] ?? expect.unreachable();
  }
  get payTo(): `0x${string}` {
    return this.world.service.sandbox.payTo as `0x${string}`;
  }
  /** Valid for as long as a payment is, by the time of the chains. */
  validBefore(): bigint {
    return BigInt(Math.floor(this.world.now() / 1000) + 110);
  }

  /** A job of this buyer and the transfer it signs; undefined when it may not buy. */
  async sign(buyer: Agent, network: ChainIndex): Promise<SignedPayment | undefined> {
    if (this.payments.length >= jobsMax) return undefined;
    const { body: quote } = await buyer.quote();
    const { status, body: job } = await buyer.authorize(quote.quote_key);
    if (status !== 201) return undefined;
    const signed = await this.world.sign(job.job_key, network, buyer).catch(() => undefined);
    if (!signed) return undefined;
    const payment = { buyer, jobKey: job.job_key, network, header: signed.header, transfer: signedIn(signed.header) };
    this.payments.push(payment);
    return payment;
  }

  async present(buyer: Agent, jobKey: string, header: string): Promise<Answer> {
    const answer = await buyer.post(
      `/api/agent/v1/jobs/${jobKey}/payments`,
      { rail: 'x402', idempotency_key: randomUUID() },
      { 'payment-signature': header },
    );
    expect(answers, answer.text).toContain(answer.status);
    return answer;
  }

  /** Tries to cause this kind of event: if the chain refuses, it came too late or somebody was faster. */
  async tryOnChain(kind: Kind, work: () => Promise<unknown>): Promise<void> {
    await work().then(
      () => this.happened(kind),
      () => {},
    );
  }
  happened(kind: Kind): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
  }

  async rounds(count: number, seconds = 31): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.world.pass(seconds);
      this.roundBegan = this.world.now();
      await this.world.service.sweep();
    }
  }
}

/** Minted money has no sender and cannot go back. */
const isSomebodys = ({ other }: { other: string }): boolean => other !== nobody;

/** An operator returns the listed transfers, except those without a sender. */
export async function returnUnmatched(chain: HostileChain): Promise<void> {
  const { world } = chain;
  const { db } = world.service.runtime;
  const { arrivals } = await readTransfersWaiting(db, new Date());
  for (const { network, transaction, position } of arrivals.rows.filter(isSomebodys)) {
    const name = { network, transaction, position } as Parameters<typeof returnArrival>[1];
    const returned = returnArrival(db, name, new Date(world.now()));
    await chain.tryOnChain('a return by hand', () => returned);
  }
}

/**
 * Runs the events, then ends all faults and checks the invariants: nobody got more than it sent, the books match the
 * chain, and every payer has a report or a job on its way to one, its money back, or credit.
 */
export async function survive(world: World, happenings: readonly Hostility[], tally: Tally): Promise<void> {
  const chain = await HostileChain.open(world, tally);
  for (const { run } of happenings) await run(chain);
  await settleChains(chain);
  await checkMoney(chain);
  await countInBooks(chain);
}

/** Counts what the books say happened to this run's payments. */
async function countInBooks(chain: HostileChain): Promise<void> {
  const { rows } = await chain.world.service.database.pool.query<{ action: string }>(
    'select action from audit_rows join jobs on quote_key = purchase_key where job_key = any($1)',
    [chain.payments.map(({ jobKey }) => jobKey)],
  );
  for (const [kind, told] of kindsInBooks) {
    for (const { action } of rows) if (action === told) chain.happened(kind);
  }
}

async function settleChains(chain: HostileChain): Promise<void> {
  const { control, world } = chain;
  await world.provider('well');
  for (const [network, id] of chains.entries()) {
    await control.clearChainFaults(id);
    // A reorganisation also undoes the time that was advanced.
    const { timestamp } = await chain.hand(network as ChainIndex).node.getBlock();
    const behind = Math.floor(world.now() / 1000) - Number(timestamp);
    if (behind > 0) await control.chainFault(id, { mode: 'advance_time', seconds: behind });
  }
  // Old signatures expire, and what the chain has then becomes final.
  await chain.rounds(1, 200);
  for (const id of chains) await control.chainFault(id, { mode: 'mine', blocks: 30 });
  for (let round = 1; round <= roundsMax; round += 1) {
    await chain.rounds(1, 61);
    await returnUnmatched(chain);
    const waiting = await readTransfersWaiting(world.service.runtime.db, new Date());
    const { arrivals, unknown, payments, refunds } = waiting;
    const missing = await missingPayments(chain);
    const open = [
      ...lagging(chain, waiting.chains),
      ...unknown.rows,
      ...payments.rows,
      ...refunds.rows,
      ...arrivals.rows.filter(isSomebodys),
      ...missing,
    ];
    if (round >= roundsMin && open.length === 0) return;
    if (missing.length > 0 && round === roundsMin) await chain.rounds(1, lastLookSeconds);
  }
}

/** Chains that the last round has not searched to their end: what they hold is not in the books yet. */
const lagging = ({ roundBegan }: HostileChain, books: readonly ChainBooks[]): string[] =>
  books.filter(({ searched_at: at }) => at.getTime() < roundBegan).map(({ network }) => network);

/** Payments collected and not reversed whose transfer no chain shows: whether they are lost is open. */
async function missingPayments({ world }: HostileChain): Promise<string[]> {
  const { rows } = await world.service.database.pool.query<{ payment_key: string }>(`
    select payment_key from x402_payments x where state = 'collected' and reversed_at is null and not exists (
      select from chain_transfers c where c.payment_key = x.payment_key and removed_at is null)`);
  return rows.map(({ payment_key }) => payment_key);
}

async function checkMoney(chain: HostileChain): Promise<void> {
  const { world, buyers, control, payTo } = chain;
  const { runtime, database } = world.service;
  const {
    chains: books,
    arrivals,
    departures,
    unknown,
    payments,
    refunds,
  } = await readTransfersWaiting(runtime.db, new Date());
  expect(lagging(chain, books)).toEqual([]);
  for (const { network: on, balance_microcents, ledger_microcents } of books) {
    expect([on, balance_microcents]).toEqual([on, ledger_microcents]);
  }
  expect(arrivals.rows.filter(isSomebodys)).toEqual([]);
  expect([departures.rows, unknown.rows, payments.rows]).toEqual([[], [], []]);
  // Money lost on the chain cannot go back: operators see that its refund waits.
  expect(refunds.rows.filter(({ waits_for }) => waits_for !== 'arrival')).toEqual([]);
  expect(await missingPayments(chain)).toEqual([]);
  for (const { wallet } of buyers) {
    const payer = wallet.address.toLowerCase();
    let kept = 0n;
    for (const id of chains) {
      const sum = async (filter: { from: string; to: string }) =>
        (await control.transfers(id, filter)).reduce((total, { amount }) => total + BigInt(amount), 0n);
      kept += (await sum({ from: payer, to: payTo })) - (await sum({ from: payTo, to: payer }));
    }
    const { rows } = await database.pool.query<{ state: string; payment_state: string }>(
      `select jobs.state, payment_state from chain_transfers join payments using (payment_key) join jobs using (job_key)
       where sender = $1 and removed_at is null`,
      [payer],
    );
    // The money kept is for jobs that continue, were delivered, or became credit.
    const unrefunded = rows.filter(({ payment_state }) => payment_state !== 'refunded');
    expect(kept).toBe(BigInt(unrefunded.length) * unitPrice);
    for (const { payment_state } of unrefunded) expect(['collected', 'credited']).toContain(payment_state);
  }
}
