import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A proxy before a sandbox chain that pretends empty blocks were added; mining as many takes minutes. */
export interface QuietChain {
  readonly url: string;
  /** Adds empty blocks. */
  pass(blocks: bigint): void;
  /** Makes it know only the newest block's number, or everything again: like a balancer whose other nodes lag. */
  forget(isForgetful: boolean): void;
  close(): Promise<void>;
}

interface Call {
  id: number;
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: each method has parameters of its own.
  params: any[];
}

/** A node's answer when it does not know a block. */
const unknown: Readonly<Record<string, unknown>> = {
  eth_getLogs: [],
  eth_getBlockByNumber: null,
  eth_getTransactionReceipt: null,
};

/** Opens one before the node at `url`: adds to the newest block's number, and shows the added blocks as empty. */
export async function quietChain(url: string): Promise<QuietChain> {
  let passed = 0n;
  let isForgetful = false;
  const hex = (block: bigint) => `0x${block.toString(16)}`;
  const ask = async (call: Call) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    });
    return response.json() as Promise<{ result: string }>;
  };
  const answer = async (call: Call) => {
    const head = BigInt((await ask({ id: 0, method: 'eth_blockNumber', params: [] })).result);
    const clipped = (block: unknown) =>
      typeof block === 'string' && block.startsWith('0x') && BigInt(block) > head ? hex(head) : block;
    if (call.method === 'eth_blockNumber') return { id: call.id, result: hex(head + passed) };
    if (isForgetful && call.method in unknown) return { id: call.id, result: unknown[call.method] };
    if (call.method !== 'eth_getLogs') {
      // Addresses and hashes are longer than a block's number.
      const params = call.params.map((one) => (String(one).length < 20 ? clipped(one) : one));
      return ask({ ...call, params });
    }
    const [{ fromBlock, toBlock, ...filter }] = call.params;
    if (BigInt(fromBlock) > head) return { id: call.id, result: [] };
    return ask({ ...call, params: [{ ...filter, fromBlock, toBlock: clipped(toBlock) }] });
  };
  const server = createServer(async (req, res) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...(await answer(JSON.parse(await text(req)))) });
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pass: (blocks) => {
      passed += blocks;
    },
    forget: (now) => {
      isForgetful = now;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
