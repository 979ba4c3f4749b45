// The JSON-RPC address of a chain: passes everything to anvil, and can stall, slow down or fail as providers do.
// The facilitator has its own way to anvil, as it would have its own provider.
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { gate } from '../fault-queue.ts';
import { listen } from '../http.ts';

/** What happens to every JSON-RPC call from now on. */
export type RpcTrouble =
  | { readonly mode: 'stall' }
  | { readonly mode: 'slow'; readonly ms: number }
  | { readonly mode: 'error'; readonly status: number };

export type RpcProxy = {
  readonly server: Server;
  /** Sets the trouble; undefined ends it and lets stalled calls go on. */
  trouble(trouble: RpcTrouble | undefined): void;
  current(): RpcTrouble | undefined;
  close(): void;
};

const RPC_ERROR = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message: 'LOCAL SANDBOX: the provider is failing' },
};

/** Listens on `port` of the loopback and forwards to the node at `rpcUrl`. Rejects with a sentence if the port is taken. */
export async function startRpcProxy(part: string, port: number, rpcUrl: string): Promise<RpcProxy> {
  const target = new URL(rpcUrl);
  const agent = new Agent({ keepAlive: true });
  const stalled = gate();
  let trouble: RpcTrouble | undefined;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse) {
    if (trouble?.mode === 'error') {
      outgoing.writeHead(trouble.status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(RPC_ERROR));
      return;
    }
    if (trouble?.mode === 'slow')
      await new Promise((resolve) => setTimeout(resolve, trouble?.mode === 'slow' ? trouble.ms : 0));
    if (trouble?.mode === 'stall') await stalled.hold();
    forward(incoming, outgoing);
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse) {
    const { method, headers, url } = incoming;
    const upstream = request(
      { agent, host: target.hostname, port: target.port, method, path: url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  await listen(part, server, port);
  return {
    server,
    trouble(next) {
      trouble = next;
      if (next === undefined) stalled.release();
    },
    current: () => trouble,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
