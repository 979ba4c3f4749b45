import { type Address, type Hex, toHex } from 'viem';
import type { Network } from '../../configuration/networks.ts';
import type { Authorization, OnChain, SignedTransfer } from './authorization.ts';
import { type LoggedTransfer, readLogs, tokenEvents } from './logs.ts';
import { isUsedAt, lookUp, type Trace } from './lookup.ts';
import { atLeast, type ChainNode, logWindowBlocks, openNode, token } from './node.ts';
import { refusalOf } from './simulate.ts';

const [transferred] = tokenEvents;

/** Overlap of searches, in blocks: what they hold may have changed. */
const searchOverlapBlocks = 32n;

export interface Chain {
  /**
   * Why the token would refuse the transfer, in x402's words; null when it would not. The token judges signature,
   * balance, time and nonce. Moves nothing.
   */
  refusal(transfer: SignedTransfer): Promise<string | null>;
  /** The newest block this process has seen. */
  head(): Promise<bigint>;
  /** What became of an authorization. */
  read(authorization: Authorization, trace: Trace): Promise<OnChain>;
  /** Whether an authorization was used or canceled by the newest block. */
  isUsed(authorization: Pick<Authorization, 'asset' | 'from' | 'nonce'>): Promise<boolean>;
  /**
   * Confirmed transfers of `asset` to and from `address`, except empty ones, from slightly before the last search's
   * end. The first search begins a little in the past. Null when the node lags behind that.
   */
  search(of: { asset: Address; address: Address }, last: LastSearch | null): Promise<Searched | null>;
  /** A transaction's transfers; null when the node does not show it. */
  transfersIn(transaction: Hex, asset: Address): Promise<LoggedTransfer[] | null>;
  /** A block's hash; null when the node lacks it. */
  blockHash(block: bigint): Promise<Hex | null>;
  /** `owner`'s balance at the end of a block, in the token's smallest units. */
  balanceAt(of: { asset: Address; owner: Address }, block: bigint): Promise<bigint>;
  /** The newest final block. */
  finalized(): Promise<bigint>;
}

/** The range of a search and its results. */
export interface Searched {
  from: bigint;
  to: bigint;
  head: bigint;
  /** Whether no confirmed block lies beyond `to`. */
  isCaughtUp: boolean;
  logs: { transaction: Hex; logIndex: number; blockHash: Hex }[];
}

/** The last search's end, and the first block to search. */
export interface LastSearch {
  searchedTo: bigint;
  openedAt: bigint;
}

/** Reads one chain over JSON-RPC. A transfer counts once `confirmations` blocks hold it. */
export function openChain(network: Network, rpcUrl: string, confirmations: number): Chain {
  const node = openNode(network, rpcUrl, confirmations);
  const { client, height, receiptOf } = node;
  let highest = 0n;
  return {
    refusal: (transfer) => refusalOf(node, transfer),
    async head() {
      const now = await height();
      // Nodes behind a balancer may lag: never go back.
      highest = now > highest ? now : highest;
      return highest;
    },
    read: (authorization, trace) => lookUp(node, authorization, trace),
    isUsed: (authorization) => isUsedAt(node, authorization),
    search: (of, last) => search(node, of, last),
    async transfersIn(transaction, asset) {
      const receipt = await receiptOf(transaction);
      return receipt && readLogs(receipt.logs, asset).transfers;
    },
    async blockHash(blockNumber) {
      const block = await client.request({ method: 'eth_getBlockByNumber', params: [toHex(blockNumber), false] });
      return block?.hash ?? null;
    },
    balanceAt: ({ asset, owner }, blockNumber) =>
      client.readContract({ address: asset, abi: token, functionName: 'balanceOf', args: [owner], blockNumber }),
    finalized: async () => (await client.getBlock({ blockTag: 'finalized' })).number,
  };
}

async function search(
  { client, depth, height }: ChainNode,
  { asset, address }: { asset: Address; address: Address },
  last: LastSearch | null,
): Promise<Searched | null> {
  const head = await height();
  const confirmed = atLeast(head - depth, 0n);
  if (last && confirmed < last.searchedTo) return null;
  const from = atLeast((last?.searchedTo ?? confirmed) - searchOverlapBlocks, last ? last.openedAt + 1n : 0n);
  if (from > confirmed) return { from, to: confirmed, head, isCaughtUp: true, logs: [] };
  const to = confirmed < from + logWindowBlocks ? confirmed : from + logWindowBlocks;
  const range = { address: asset, event: transferred, fromBlock: from, toBlock: to, strict: true } as const;
  const [incoming, outgoing] = await Promise.all([
    client.getLogs({ ...range, args: { to: address } }),
    client.getLogs({ ...range, args: { from: address } }),
  ]);
  const logs = [...incoming, ...outgoing]
    // Anybody can make the token log an empty transfer from anybody.
    .filter(({ args }) => args.value > 0n && args.from !== args.to)
    .map(({ transactionHash, logIndex, blockHash }) => ({ transaction: transactionHash, logIndex, blockHash }));
  return { from, to, head, isCaughtUp: to === confirmed, logs };
}
