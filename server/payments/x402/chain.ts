import { type Address, type Hex, toHex } from 'viem';
import type { Authorization, OnChain, SignedTransfer } from './authorization.ts';
import { type LoggedTransfer, readLogs, tokenEvents } from './logs.ts';
import { isUsedAt, lookUp, type Trace } from './lookup.ts';
import { atLeast, type ChainNode, logWindowBlocks, openNode, token } from './node.ts';
import { refusalOf } from './simulate.ts';

const [transferred] = tokenEvents;

/** A search begins so many blocks before the end of the last one: what they hold may have changed. */
const searchOverlapBlocks = 32n;

export interface Chain {
  /**
   * Null when the token would carry the transfer out now, else why not, in the words that x402 has for it: the
   * signature, the balance, the time and the nonce are all judged by the token itself. Moves nothing.
   */
  refusal(transfer: SignedTransfer): Promise<string | null>;
  /** The newest block that this process has been told of. */
  head(): Promise<bigint>;
  /** What became of an authorization. */
  read(authorization: Authorization, trace: Trace): Promise<OnChain>;
  /** Whether an authorization was used or canceled by the newest block. */
  isUsed(authorization: Pick<Authorization, 'asset' | 'from' | 'nonce'>): Promise<boolean>;
  /**
   * Names the confirmed transfers of `asset` to and from `address`, except those of nothing, from a little before the
   * block where the last search ended. The first search begins a little in the past. Null when the node is behind it.
   */
  search(of: { asset: Address; address: Address }, last: LastSearch | null): Promise<Searched | null>;
  /** The transfers that a transaction holds; null while the node does not show it. */
  transfersIn(transaction: Hex, asset: Address): Promise<LoggedTransfer[] | null>;
  /** The hash of a block of the chain; null for one that the node has not. */
  blockHash(block: bigint): Promise<Hex | null>;
  /** What `owner` held at the end of a block, in the token's smallest units. */
  balanceAt(of: { asset: Address; owner: Address }, block: bigint): Promise<bigint>;
  /** The newest block that no reorganisation removes any more. */
  finalized(): Promise<bigint>;
}

/** Where a search has looked, and what it found there. */
export interface Searched {
  from: bigint;
  to: bigint;
  head: bigint;
  /** Whether nothing confirmed lies beyond `to`. */
  isCaughtUp: boolean;
  logs: { transaction: Hex; logIndex: number; blockHash: Hex }[];
}

/** Where the last search ended, and the block before which no search looks. */
export interface LastSearch {
  searchedTo: bigint;
  openedAt: bigint;
}

/** Reads one chain over JSON-RPC. A transfer counts once `confirmations` blocks hold it. */
export function openChain(rpcUrl: string, confirmations: number): Chain {
  const node = openNode(rpcUrl, confirmations);
  const { client, height, receiptOf } = node;
  let highest = 0n;
  return {
    refusal: (transfer) => refusalOf(node, transfer),
    async head() {
      const now = await height();
      // A node behind the balancer may lag: what was seen once stays seen.
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
    // Anybody can have the token log a transfer of nothing, out of anybody's account.
    .filter(({ args }) => args.value > 0n && args.from !== args.to)
    .map(({ transactionHash, logIndex, blockHash }) => ({ transaction: transactionHash, logIndex, blockHash }));
  return { from, to, head, isCaughtUp: to === confirmed, logs };
}
