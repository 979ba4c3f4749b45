import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  encodeFunctionData,
  getContractError,
  type Hex,
  pad,
  parseAbi,
  prepareEncodeFunctionData,
  RpcRequestError,
  type TransactionReceipt,
  toEventSelector,
  toHex,
} from 'viem';
import { jsonService } from '../../kernel/json-http.ts';
import { type Authorization, expiryMarginMs, type OnChain, type SignedTransfer, unixSeconds } from './authorization.ts';
import { type LoggedTransfer, readLogs, tokenEvents } from './logs.ts';
import { refusalFor } from './token-refusals.ts';

const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const [transferred, ...authorizationEvents] = tokenEvents;
/** Its selector is hashed once. */
const transfer = prepareEncodeFunctionData({ abi: token, functionName: 'transferWithAuthorization' });

const rpcTimeoutMs = 5_000;
/** Public nodes answer log queries over about this many blocks at once. */
const logWindowBlocks = 9_000n;
/** With blocks of a quarter of a second, this many windows reach back more than a day. */
const logWindowsMax = 50;
/** A search begins so many blocks before the end of the last one: what they hold may have changed. */
const searchOverlapBlocks = 32n;
/** How long before we first saw an authorization somebody may have carried it out. */
const usedBeforeMs = 3_600_000;

/** How deep a block must lie for what it does not hold to count: as deep as a payment, or beyond any reorganisation. */
export type Depth = 'confirmed' | 'finalized';

/** What helps to find an authorization: since when it may have been used, and a transaction that may hold it. */
export interface Trace {
  seenAt: Date;
  hint?: Hex | undefined;
  /** Of the block that proves that it never pays. Default `confirmed`. */
  depth?: Depth;
}

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
  const client = createPublicClient({ transport: custom(rpcOver(rpcUrl), { retryCount: 0 }) });
  const depth = BigInt(confirmations) - 1n;
  let highest = 0n;

  const height = async (): Promise<bigint> => client.getBlockNumber({ cacheTime: 0 });

  async function receiptOf(hash: Hex): Promise<TransactionReceipt | null> {
    return client.getTransactionReceipt({ hash }).catch((error: Error) => {
      if (error.name === 'TransactionReceiptNotFoundError') return null;
      throw error;
    });
  }

  /** What a transaction says about an authorization: `elsewhere` is a use that does not pay. Null says nothing. */
  async function inTransaction(
    { asset, from, to, nonce, amount }: Authorization,
    hash: Hex,
  ): Promise<OnChain | { outcome: 'elsewhere'; blockNumber: bigint } | null> {
    const receipt = await receiptOf(hash);
    if (receipt?.status !== 'success') return null;
    const used = readLogs(receipt.logs, asset).authorizations.find((one) => one.from === from && one.nonce === nonce);
    if (!used) return null;
    if (used.transfer?.to !== to || used.transfer.amount !== amount) {
      return { outcome: 'elsewhere', blockNumber: receipt.blockNumber };
    }
    if (depth > 0n && (await height()) - receipt.blockNumber < depth) return { outcome: 'unconfirmed' };
    return { outcome: 'paid', transfer: used.transfer };
  }

  const isUsedAt = (
    { asset, from, nonce }: Pick<Authorization, 'asset' | 'from' | 'nonce'>,
    blockNumber?: bigint,
  ): Promise<boolean> =>
    client.readContract({
      address: asset,
      abi: token,
      functionName: 'authorizationState',
      args: [from, nonce],
      ...(blockNumber === undefined ? {} : { blockNumber }),
    });

  /** The transaction that used or canceled the authorization, no longer ago than `since`. */
  async function usedIn({ asset, from, nonce }: Authorization, latest: bigint, since: Date): Promise<Hex | null> {
    const topics = [authorizationEvents.map((event) => toEventSelector(event)), pad(from), nonce];
    let toBlock = latest;
    for (let windows = 0; windows < logWindowsMax; windows += 1) {
      const fromBlock = toBlock > logWindowBlocks ? toBlock - logWindowBlocks : 0n;
      const filter = { address: asset, topics, fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) };
      const [log] = await client.request({ method: 'eth_getLogs', params: [filter] });
      if (log?.transactionHash) return log.transactionHash;
      if (fromBlock === 0n) return null;
      const { timestamp } = await client.getBlock({ blockNumber: fromBlock });
      if (Number(timestamp) * 1000 < since.getTime()) return null;
      toBlock = fromBlock - 1n;
    }
    return null;
  }

  return {
    async refusal({ authorization, signature }) {
      const { asset, from, to, amount, nonce } = authorization;
      const [validAfter, validBefore] = [unixSeconds(authorization.validAfter), unixSeconds(authorization.validBefore)];
      const args = [from, to, amount, validAfter, validBefore, nonce, signature] as const;
      try {
        await client.call({ to: asset, data: encodeFunctionData({ ...transfer, args }) });
        return null;
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        const { functionName } = transfer;
        const refused = getContractError(error, { abi: token, address: asset, args, docsPath: '', functionName });
        const reverted = refused.walk((one) => one instanceof ContractFunctionRevertedError);
        if (reverted instanceof ContractFunctionRevertedError) return refusalFor(reverted);
        throw error;
      }
    },
    async head() {
      const now = await height();
      // A node behind the balancer may lag: what was seen once stays seen.
      highest = now > highest ? now : highest;
      return highest;
    },
    async read(authorization, { seenAt, hint, depth: deepEnough = 'confirmed' }) {
      const hinted = hint ? await inTransaction(authorization, hint) : null;
      if (hinted && hinted.outcome !== 'elsewhere') return hinted;
      const latest = await client.getBlock();
      const proof =
        deepEnough === 'finalized'
          ? await client.getBlock({ blockTag: 'finalized' })
          : depth === 0n
            ? latest
            : await client.getBlock({ blockNumber: atLeast(latest.number - depth, 0n) });
      const runOutBy = (block: { timestamp: bigint }): boolean =>
        Number(block.timestamp) * 1000 > authorization.validBefore.getTime() + expiryMarginMs;
      if (!(await isUsedAt(authorization, latest.number))) {
        const isProven = runOutBy(proof) && (proof === latest || !(await isUsedAt(authorization, proof.number)));
        if (isProven) return { outcome: 'never' };
        return { outcome: runOutBy(latest) ? 'unconfirmed' : 'unused' };
      }
      const transaction = await usedIn(authorization, latest.number, new Date(seenAt.getTime() - usedBeforeMs));
      const found = transaction && (await inTransaction(authorization, transaction));
      // Used without a log that says for what: used long ago, or a node that does not show everything.
      if (!found) return { outcome: 'unconfirmed' };
      if (found.outcome !== 'elsewhere') return found;
      return { outcome: found.blockNumber <= proof.number ? 'never' : 'unconfirmed' };
    },
    isUsed: (authorization) => isUsedAt(authorization),
    async search({ asset, address }, last) {
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
    },
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

function atLeast(block: bigint, least: bigint): bigint {
  return block < least ? least : block;
}

/** JSON-RPC over kept connections. */
function rpcOver(url: string): { request(call: { method: string; params?: unknown }): Promise<unknown> } {
  const node = jsonService(url, rpcTimeoutMs);
  let id = 0;
  return {
    async request({ method, params }) {
      id += 1;
      const body = { jsonrpc: '2.0', id, method, params };
      const answer = (await node.call('', body)) as { result?: unknown; error?: { code: number; message: string } };
      if (answer.error) throw new RpcRequestError({ body, error: answer.error, url });
      return answer.result;
    },
  };
}
