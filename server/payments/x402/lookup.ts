import { type Hex, pad, toEventSelector, toHex } from 'viem';
import { type Authorization, expiryMarginMs, type OnChain } from './authorization.ts';
import { readLogs, tokenEvents } from './logs.ts';
import { atLeast, type ChainNode, logWindowBlocks, token } from './node.ts';

const [, ...authorizationEvents] = tokenEvents;

/** With blocks of a quarter of a second, this many windows reach back more than a day. */
const logWindowsMax = 50;
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

/** What became of an authorization. */
export async function lookUp(
  node: ChainNode,
  authorization: Authorization,
  { seenAt, hint, depth: deepEnough = 'confirmed' }: Trace,
): Promise<OnChain> {
  const { client, depth } = node;
  const hinted = hint ? await inTransaction(node, authorization, hint) : null;
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
  if (!(await isUsedAt(node, authorization, latest.number))) {
    const isProven = runOutBy(proof) && (proof === latest || !(await isUsedAt(node, authorization, proof.number)));
    if (isProven) return { outcome: 'never' };
    return { outcome: runOutBy(latest) ? 'unconfirmed' : 'unused' };
  }
  const transaction = await usedIn(node, authorization, latest.number, new Date(seenAt.getTime() - usedBeforeMs));
  const found = transaction && (await inTransaction(node, authorization, transaction));
  // Used without a log that says for what: used long ago, or a node that does not show everything.
  if (!found) return { outcome: 'unconfirmed' };
  if (found.outcome !== 'elsewhere') return found;
  return { outcome: found.blockNumber <= proof.number ? 'never' : 'unconfirmed' };
}

/** Whether an authorization was used or canceled by a block: the newest, where none is named. */
export function isUsedAt(
  { client }: ChainNode,
  { asset, from, nonce }: Pick<Authorization, 'asset' | 'from' | 'nonce'>,
  blockNumber?: bigint,
): Promise<boolean> {
  return client.readContract({
    address: asset,
    abi: token,
    functionName: 'authorizationState',
    args: [from, nonce],
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
}

/** What a transaction says about an authorization: `elsewhere` is a use that does not pay. Null says nothing. */
async function inTransaction(
  node: ChainNode,
  { asset, from, to, nonce, amount }: Authorization,
  hash: Hex,
): Promise<OnChain | { outcome: 'elsewhere'; blockNumber: bigint } | null> {
  const receipt = await node.receiptOf(hash);
  if (receipt?.status !== 'success') return null;
  const used = readLogs(receipt.logs, asset).authorizations.find((one) => one.from === from && one.nonce === nonce);
  if (!used) return null;
  if (used.transfer?.to !== to || used.transfer.amount !== amount) {
    return { outcome: 'elsewhere', blockNumber: receipt.blockNumber };
  }
  if (node.depth > 0n && (await node.height()) - receipt.blockNumber < node.depth) return { outcome: 'unconfirmed' };
  return { outcome: 'paid', transfer: used.transfer };
}

/** The transaction that used or canceled the authorization, no longer ago than `since`. */
async function usedIn(
  { client }: ChainNode,
  { asset, from, nonce }: Authorization,
  latest: bigint,
  since: Date,
): Promise<Hex | null> {
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
