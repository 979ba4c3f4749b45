// A node that lies: it lost its logs, or it lags.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { toHex } from 'viem';

/** `blind` knows no log and no receipt; `lag` does not know the newest blocks. */
export type NodeTrouble = { readonly mode: 'blind' } | { readonly mode: 'lag'; readonly blocks: number };

type Call = { jsonrpc: string; id: unknown; method: string; params?: unknown[] };
type Answer = { result?: unknown; error?: unknown };

/** The answer of such a node to one JSON-RPC call. Rejects when the real node does. */
export async function answerInTrouble(nodeUrl: string, trouble: NodeTrouble, incoming: IncomingMessage) {
  const call: Call = JSON.parse(await text(incoming));
  const ask = async (method: string, params: unknown[] = []): Promise<Answer> => {
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await response.json()) as Answer;
  };
  const { result, error } =
    trouble.mode === 'blind' ? await blindly(call, ask) : await behind(call, ask, trouble.blocks);
  return JSON.stringify({ jsonrpc: '2.0', id: call.id, ...(error ? { error } : { result: result ?? null }) });
}

type Ask = (method: string, params?: unknown[]) => Promise<Answer>;

async function blindly({ method, params }: Call, ask: Ask): Promise<Answer> {
  if (method === 'eth_getTransactionReceipt') return { result: null };
  if (method === 'eth_getLogs') return { result: [] };
  return ask(method, params);
}

async function behind({ method, params = [] }: Call, ask: Ask, blocks: number): Promise<Answer> {
  const head = Math.max(Number((await ask('eth_blockNumber')).result) - blocks, 0);
  const notFound = { error: { code: -32000, message: 'header not found' } };
  const isAhead = (block: unknown) => typeof block === 'string' && block.startsWith('0x') && Number(block) > head;
  const known = (block: unknown) =>
    block === undefined || block === 'latest' || block === 'pending' ? toHex(head) : block;
  switch (method) {
    case 'eth_blockNumber':
      return { result: toHex(head) };
    case 'eth_getBlockByNumber':
      return isAhead(params[0]) ? { result: null } : ask(method, [known(params[0]), params[1]]);
    case 'eth_call':
      return isAhead(params[1]) ? notFound : ask(method, [params[0], known(params[1]), ...params.slice(2)]);
    case 'eth_getTransactionReceipt': {
      const { result, error } = await ask(method, params);
      const receipt = result as { blockNumber: string } | null | undefined;
      return error ? { error } : { result: receipt && isAhead(receipt.blockNumber) ? null : receipt };
    }
    case 'eth_getLogs': {
      const filter = params[0] as { fromBlock?: string; toBlock?: string };
      if (isAhead(filter.fromBlock)) return { result: [] };
      return ask(method, [{ ...filter, toBlock: isAhead(filter.toBlock) ? toHex(head) : known(filter.toBlock) }]);
    }
    default:
      return ask(method, params);
  }
}
