// The JSON-RPC address of a chain: passes everything to anvil, and can stall, slow down or fail as providers do. The
// facilitator reaches anvil by its own way, as if it had its own provider.
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gate } from '../fault-queue.ts';
import { listen } from '../http.ts';
import { answerInTrouble, type NodeTrouble } from './troubled-node.ts';

/** What happens to every JSON-RPC call from now on. */
type RpcTrouble =
  | { readonly mode: 'stall' }
  | { readonly mode: 'slow'; readonly ms: number }
  | { readonly mode: 'error'; readonly status: number }
  | NodeTrouble;

export type RpcProxy = {
  readonly server: Server;
  /** Sets the fault; undefined ends it and answers stalled calls. */
  trouble(trouble: RpcTrouble | undefined): void;
  current(): RpcTrouble | undefined;
  close(): void;
};

const FAILURE = 'LOCAL SANDBOX: the provider fails as it was told to';

/**
 * Listens on `port` of the loopback and forwards to the node at `rpcUrl`. Rejects with a sentence if the port is taken.
 */
export async function startRpcProxy(part: string, port: number, rpcUrl: string): Promise<RpcProxy> {
  const target = new URL(rpcUrl);
  const agent = new Agent({ keepAlive: true });
  const stalled = gate();
  let trouble: RpcTrouble | undefined;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse) {
    const now = trouble;
    if (now?.mode === 'error') {
      outgoing.writeHead(now.status, { 'content-type': 'text/plain' }).end(FAILURE);
      return;
    }
    if (now?.mode === 'slow') await sleep(now.ms);
    if (now?.mode === 'stall') await stalled.hold();
    if (now?.mode === 'blind' || now?.mode === 'lag') {
      const answer = await answerInTrouble(rpcUrl, now, incoming).catch(() => null);
      outgoing.writeHead(answer === null ? 502 : 200, { 'content-type': 'application/json' }).end(answer);
      return;
    }
    if (!outgoing.destroyed) forward(incoming, outgoing);
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse) {
    const { method, headers, url } = incoming;
    const upstream = request({ agent, host: target.hostname, port: target.port, method, path: url, headers });
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) upstream.destroy();
    });
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
