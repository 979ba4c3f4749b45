import { type Hex, pad, toEventSelector, toHex } from 'viem';
import { type Authorization, expiryMarginMs, type OnChain } from './authorization.ts';
import { readLogs, tokenEvents } from './logs.ts';
import { atLeast, type ChainNode, logWindowBlocks, token } from './node.ts';

const [, ...authorizationEvents] = tokenEvents;

/** At a quarter of a second per block, more than a day. */
const logWindowsMax = 50;
/** How long before we saw it an authorization may have been used. */
const usedBeforeMs = 3_600_000;

/** Depth at which absence counts: confirmed like a payment, or final. */
export type Depth = 'confirmed' | 'finalized';

/** Hints: since when it may have been used, and a transaction that may hold it. */
export interface Trace {
  seenAt: Date;
  hint?: Hex | undefined;
  /** Depth of the proof that it never pays. Default `confirmed`. */
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
  // Used, but no log says for what: long ago, or an incomplete node.
  if (!found) return { outcome: 'unconfirmed' };
  if (found.outcome !== 'elsewhere') return found;
  return found.blockNumber <= proof.number ? { outcome: 'never' } : { outcome: 'unconfirmed', isFound: true };
}

/** Whether an authorization was used or canceled by a block, by default the newest. */
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

/** A transaction's word on the authorization; `elsewhere` is a use that does not pay. Null: none. */
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
  if (node.depth > 0n && (await node.height()) - receipt.blockNumber < node.depth)
    return { outcome: 'unconfirmed', isFound: true };
  return { outcome: 'paid', transfer: used.transfer };
}

/** The transaction that used or canceled it, since `since`. */
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
