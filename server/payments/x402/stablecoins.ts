import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Network } from '../../configuration/networks.ts';
import type { X402Configuration } from '../../configuration.ts';
import { type JsonService, jsonService } from '../../kernel/json-http.ts';
import { type Microcents, toTokenUnits } from '../../kernel/money.ts';
import type { Authorization, OnChain, SignedTransfer } from './authorization.ts';
import { type Chain, type LastSearch, openChain, type Searched } from './chain.ts';
import type { LoggedTransfer } from './logs.ts';
import type { Trace } from './lookup.ts';
import { maxTimeoutSeconds, type Offer, requirementFor, wireForm } from './protocol.ts';
import { openReachability, type Reachability } from './reachability.ts';
import { assetOf, signTransfer } from './token.ts';
import { insufficientBalance } from './token-refusals.ts';

/** Allows for payers' clocks; a longer-lived signature would stay open as long. */
const validityMaxMs = 3_600_000;
/** Less could expire on the way to the chain. */
const validityMinMs = 6_000;
/** After this the outcome is unknown and the chain decides. */
const facilitatorTimeoutMs = 20_000;

/** The facilitator's answers. Its word on success counts for nothing: ask the chain. */
const Settled = z.object({ transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });

/** The facilitator and the chains: signed USDC transfers, carried out and looked up. */
export interface Stablecoins {
  readonly networks: readonly Network[];
  /** Whether the facilitator answers; asks again if that is stale. */
  isReachable(now: Date): Promise<boolean>;
  /** The providers' last known state, without waiting. */
  reachable(now: Date): Promise<{ facilitator: boolean; networks: readonly Network[] }>;
  /** All of them together, at once: true before the first answer. Starts a due probe. */
  seemsReachable(now: Date): boolean;
  /** What to sign on each chain, or on `network`; empty when unknown. */
  offer(amount: Microcents, jobUrl: string, network: string | undefined): Promise<Offer>;
  /**
   * Why a new transfer is refused: its time, or the chain's word. Null when it would work. Moves nothing. Throws when
   * the chain is silent.
   */
  refusal(transfer: SignedTransfer, now: Date): Promise<string | null>;
  /**
   * Has the facilitator carry it out, then asks the chain. A transfer moves money at most once, so repeating is safe.
   * Throws when the chain cannot tell.
   */
  settle(transfer: SignedTransfer, seenAt: Date): Promise<OnChain>;
  /** What the chain says about a transfer. */
  lookUp(authorization: Authorization, trace: Trace): Promise<OnChain>;
  /** A chain's highest block seen by this process. */
  head(network: Network): Promise<bigint>;
  /** Whether the chain has seen the refund with this nonce: `refundNonceOf`. */
  isGivenBack(payment: Pick<Authorization, 'network' | 'asset' | 'to'>, refundNonce: Hex): Promise<boolean>;
  /** Transfers to and from the receiving address since the last search. */
  search(network: Network, last: LastSearch | null): Promise<Searched | null>;
  /** A transaction's transfers to and from that address; null when not shown. */
  transfersIn(network: Network, transaction: Hex): Promise<LoggedTransfer[] | null>;
  /** A block's hash; null when the node lacks it. */
  blockHash(network: Network, block: bigint): Promise<Hex | null>;
  /** That address's balance at the end of a block, in the token's smallest units. */
  balanceAt(network: Network, block: bigint): Promise<bigint>;
  /** The newest final block. */
  finalized(network: Network): Promise<bigint>;
  /** The token's address, in lower case. */
  assetOf(network: Network): Promise<Address>;
  /** The receiving address, in lower case. */
  readonly payTo: Address;
  /** Whether refunds wait for finality. */
  readonly refundsWaitForFinality: boolean;
  /** The address we can sign for, in lower case: refunds leave only from there. Null without a key. */
  readonly refundsFrom: Address | null;
  /** Signs a transfer from that address. */
  sign(authorization: Authorization): Promise<SignedTransfer>;
}

/** Opens the providers. Calls nothing: a facilitator that is down must not stop the start. */
export function openStablecoins(configuration: X402Configuration): Stablecoins {
  const { networks, payTo, refundKey } = configuration;
  const account = refundKey ? privateKeyToAccount(refundKey) : null;
  const chainOf = openChains(configuration);
  const reachability = openReachability(configuration);
  return {
    networks,
    ...probes(reachability),
    async offer(amount, jobUrl, network) {
      const wanted = networks.filter((name) => network === undefined || name === network);
      return {
        requirements: await Promise.all(wanted.map((name) => requirementFor(name, toTokenUnits(amount), payTo))),
        resource: { url: jobUrl, description: 'One work check', mimeType: 'application/json' },
      };
    },
    ...transfersOn(chainOf, networks, jsonService(configuration.facilitatorUrl, facilitatorTimeoutMs)),
    ...historyOf(chainOf, payTo),
    assetOf,
    payTo: payTo.toLowerCase() as Address,
    refundsWaitForFinality: configuration.refundsWaitForFinality,
    refundsFrom: account ? (account.address.toLowerCase() as Address) : null,
    async sign(authorization) {
      if (!account) throw new Error('there is no key that signs transfers');
      return signTransfer(account, authorization);
    },
  };
}

type ChainOf = (network: Network) => Chain;

function openChains({ networks, rpcUrls, confirmations }: X402Configuration): ChainOf {
  const chains = new Map<Network, Chain>();
  for (const network of networks) {
    const rpcUrl = rpcUrls[network];
    if (!rpcUrl) throw new Error(`no RPC address for ${network}`);
    chains.set(network, openChain(rpcUrl, confirmations[network]));
  }
  return (network) => {
    const chain = chains.get(network);
    if (!chain) throw new Error(`${network} is not configured`);
    return chain;
  };
}

function probes(reachability: Reachability): Pick<Stablecoins, 'isReachable' | 'seemsReachable' | 'reachable'> {
  return {
    isReachable: (now) => reachability.facilitator.isUp(now),
    seemsReachable: (now) => reachability.seemsUp(now),
    async reachable(now) {
      const [facilitator, reached] = await Promise.all([
        reachability.facilitator.wasUp(now),
        reachability.networks(now),
      ]);
      return { facilitator, networks: reached };
    },
  };
}

/** What can be done with one signed transfer. */
function transfersOn(
  chainOf: ChainOf,
  networks: readonly Network[],
  facilitator: JsonService,
): Pick<Stablecoins, 'refusal' | 'settle' | 'lookUp' | 'isGivenBack'> {
  return {
    async refusal(transfer, now) {
      const leftMs = transfer.authorization.validBefore.getTime() - now.getTime();
      if (leftMs < validityMinMs || leftMs > validityMaxMs) {
        return `validBefore must lie ${maxTimeoutSeconds} seconds ahead`;
      }
      const { network } = transfer.authorization;
      const refused = await chainOf(network).refusal(transfer);
      const others = networks.filter((other) => other !== network);
      if (refused !== insufficientBalance || others.length === 0) return refused;
      return `${refused}: USDC on ${others.join(' or ')} is taken, too`;
    },
    async settle(transfer, seenAt) {
      const answer = await facilitator.call('/settle', await wireForm(transfer)).catch(() => null);
      const hint = Settled.safeParse(answer).data?.transaction as Hex | undefined;
      return chainOf(transfer.authorization.network).read(transfer.authorization, { seenAt, hint });
    },
    lookUp: (authorization, trace) => chainOf(authorization.network).read(authorization, trace),
    isGivenBack: ({ network, asset, to }, nonce) => chainOf(network).isUsed({ asset, from: to, nonce }),
  };
}

/** What the chains show of the receiving address. */
function historyOf(
  chainOf: ChainOf,
  payTo: Address,
): Pick<Stablecoins, 'head' | 'search' | 'transfersIn' | 'blockHash' | 'balanceAt' | 'finalized'> {
  const paidTo = payTo.toLowerCase();
  return {
    head: (network) => chainOf(network).head(),
    async search(network, last) {
      return chainOf(network).search({ asset: await assetOf(network), address: payTo }, last);
    },
    async transfersIn(network, transaction) {
      const transfers = await chainOf(network).transfersIn(transaction, await assetOf(network));
      const touchUs = transfers?.filter(({ from, to }) => from !== to && (from === paidTo || to === paidTo));
      return touchUs ?? null;
    },
    blockHash: (network, block) => chainOf(network).blockHash(block),
    async balanceAt(network, block) {
      return chainOf(network).balanceAt({ asset: await assetOf(network), owner: payTo }, block);
    },
    finalized: (network) => chainOf(network).finalized(),
  };
}
