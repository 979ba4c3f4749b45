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
import { expired, insufficientBalance } from './token-refusals.ts';

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
  offer(
    amount: Microcents,
    jobUrl: string,
    network: string | undefined,
  ): Promise<Pick<Offer, 'requirements' | 'resource'>>;
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
  /** Transfers to and from one of our addresses since its last search. */
  search(network: Network, address: Address, last: LastSearch | null): Promise<Searched | null>;
  /** A transaction's transfers to and from any of them; null when not shown. */
  transfersIn(network: Network, transaction: Hex): Promise<LoggedTransfer[] | null>;
  /** A block's hash; null when the node lacks it. */
  blockHash(network: Network, block: bigint): Promise<Hex | null>;
  /** An address's balance at the end of a block, in the token's smallest units. */
  balanceAt(network: Network, address: Address, block: bigint): Promise<bigint>;
  /** The newest final block. */
  finalized(network: Network): Promise<bigint>;
  /** The token's address, in lower case. */
  assetOf(network: Network): Promise<Address>;
  /** Our addresses, in lower case: the first is paid, the others were. */
  readonly addresses: readonly Address[];
  /** Whether refunds wait for finality. */
  readonly refundsWaitForFinality: boolean;
  /** Those that we can sign for: refunds leave only from there. */
  readonly refundsFrom: readonly Address[];
  /** Signs a transfer from one of them. */
  sign(authorization: Authorization): Promise<SignedTransfer>;
}

/** Opens the providers. Calls nothing: a facilitator that is down must not stop the start. */
export function openStablecoins(configuration: X402Configuration): Stablecoins {
  const { networks, payTo, refundKeys } = configuration;
  const [paidNow = ''] = payTo;
  const addresses = payTo.map((address) => address.toLowerCase() as Address);
  const accounts = refundKeys.map((key) => privateKeyToAccount(key));
  const chainOf = openChains(configuration);
  const reachability = openReachability(configuration);
  return {
    networks,
    ...probes(reachability),
    async offer(amount, jobUrl, network) {
      const wanted = networks.filter((name) => network === undefined || name === network);
      return {
        requirements: await Promise.all(wanted.map((name) => requirementFor(name, toTokenUnits(amount), paidNow))),
        resource: { url: jobUrl, description: 'One work check', mimeType: 'application/json' },
      };
    },
    ...transfersOn(
      chainOf,
      { networks, addresses },
      jsonService('facilitator', configuration.facilitatorUrl, facilitatorTimeoutMs),
    ),
    ...historyOf(chainOf, addresses),
    assetOf,
    addresses,
    refundsWaitForFinality: configuration.refundsWaitForFinality,
    refundsFrom: accounts.map(({ address }) => address.toLowerCase() as Address),
    async sign(authorization) {
      const account = accounts.find(({ address }) => address.toLowerCase() === authorization.from);
      if (!account) throw new Error(`there is no key that signs transfers from ${authorization.from}`);
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
    chains.set(network, openChain(network, rpcUrl, confirmations[network]));
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
  { networks, addresses }: Pick<Stablecoins, 'networks' | 'addresses'>,
  facilitator: JsonService,
): Pick<Stablecoins, 'refusal' | 'settle' | 'lookUp' | 'isGivenBack'> {
  return {
    async refusal(transfer, now) {
      const leftMs = transfer.authorization.validBefore.getTime() - now.getTime();
      if (leftMs < validityMinMs || leftMs > validityMaxMs) {
        return `${expired}: validBefore must lie ${maxTimeoutSeconds} seconds ahead`;
      }
      const { network, from } = transfer.authorization;
      // Who has the key of an address of ours would buy with our money, and the search would take it for ours to move.
      if (addresses.includes(from)) return 'the payer is an address that we receive payments at';
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

/** What the chains show of our addresses. */
function historyOf(
  chainOf: ChainOf,
  addresses: readonly Address[],
): Pick<Stablecoins, 'head' | 'search' | 'transfersIn' | 'blockHash' | 'balanceAt' | 'finalized'> {
  return {
    head: (network) => chainOf(network).head(),
    async search(network, address, last) {
      return chainOf(network).search({ asset: await assetOf(network), address }, last);
    },
    async transfersIn(network, transaction) {
      const transfers = await chainOf(network).transfersIn(transaction, await assetOf(network));
      const touchUs = transfers?.filter(
        ({ from, to }) => from !== to && (addresses.includes(from) || addresses.includes(to)),
      );
      return touchUs ?? null;
    },
    blockHash: (network, block) => chainOf(network).blockHash(block),
    async balanceAt(network, address, block) {
      return chainOf(network).balanceAt({ asset: await assetOf(network), owner: address }, block);
    },
    finalized: (network) => chainOf(network).finalized(),
  };
}
