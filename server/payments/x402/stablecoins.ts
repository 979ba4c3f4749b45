import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Network, X402Configuration } from '../../configuration.ts';
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

/** A payer's clock may be wrong; a signature that is good for longer than this would leave its outcome open as long. */
const validityMaxMs = 3_600_000;
/** Less than this could run out on the way to the chain. */
const validityMinMs = 6_000;
/** Past this the outcome of a call is unknown and the chain decides. */
const facilitatorTimeoutMs = 20_000;

/** What is read of a facilitator's answers. Its word on success counts for nothing: the chain is asked. */
const Settled = z.object({ transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });

/** The facilitator and the chains: signed transfers of USDC, carried out and looked up, on every configured chain. */
export interface Stablecoins {
  readonly networks: readonly Network[];
  /** Whether the facilitator answers, asked again first when that is long known. */
  isReachable(now: Date): Promise<boolean>;
  /** What is known of the providers now, without waiting for them. */
  reachable(now: Date): Promise<{ facilitator: boolean; networks: readonly Network[] }>;
  /** The same of all of them together, at once: true while nothing is known. A look that is due is begun. */
  seemsReachable(now: Date): boolean;
  /** What to sign on each chain, or on `network` alone; empty when that is none of ours. */
  offer(amount: Microcents, jobUrl: string, network: string | undefined): Promise<Offer>;
  /**
   * Why a transfer that was not seen before is not taken: its time, or what the chain says. Null when it would be carried
   * out now. Moves nothing. Throws when the chain is silent.
   */
  refusal(transfer: SignedTransfer, now: Date): Promise<string | null>;
  /**
   * Asks the facilitator to carry the transfer out, then the chain what became of it. The same transfer moves money
   * once at most, so asking again is always safe. Throws when the chain cannot tell.
   */
  settle(transfer: SignedTransfer, seenAt: Date): Promise<OnChain>;
  /** What the chain says about a transfer. */
  lookUp(authorization: Authorization, trace: Trace): Promise<OnChain>;
  /** The highest block of a chain that this process has been told of. */
  head(network: Network): Promise<bigint>;
  /** Whether the chain has seen the transfer back that has this nonce: `refundNonceOf`. */
  isGivenBack(payment: Pick<Authorization, 'network' | 'asset' | 'to'>, refundNonce: Hex): Promise<boolean>;
  /** Names the transfers to and from the address that is paid here, from where the last search of this chain ended. */
  search(network: Network, last: LastSearch | null): Promise<Searched | null>;
  /** The transfers of a transaction to and from that address; null while the chain does not show it. */
  transfersIn(network: Network, transaction: Hex): Promise<LoggedTransfer[] | null>;
  /** The hash of a block of the chain; null for one that the node has not. */
  blockHash(network: Network, block: bigint): Promise<Hex | null>;
  /** What that address holds at the end of a block, in the token's smallest units. */
  balanceAt(network: Network, block: bigint): Promise<bigint>;
  /** The newest block that no reorganisation removes any more. */
  finalized(network: Network): Promise<bigint>;
  /** The token on a chain, in lower case. */
  assetOf(network: Network): Promise<Address>;
  /** The address that is paid here, in lower case. */
  readonly payTo: Address;
  /** Whether money goes back only once its arrival is final. */
  readonly refundsWaitForFinality: boolean;
  /** The address whose transfers can be signed here, in lower case: money goes back only from there. Null without a key. */
  readonly refundsFrom: Address | null;
  /** Signs a transfer from that address. */
  sign(authorization: Authorization): Promise<SignedTransfer>;
}

/** Opens the providers. Nothing is called yet: a facilitator that is down must not keep the service from starting. */
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

/** What the chains show of the address that is paid. */
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
