import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { Agent } from './agent.ts';

/**
 * The owner of a program, as a server that it can call: `POST /sign` with what a 402 asks for answers the header that the
 * wallet signed; `POST /show` with a link answers once they have done what it leads to.
 */
export async function startOwner(
  wallet: Pick<Agent, 'createPayment'>,
  open: (link: string) => Promise<void>,
): Promise<{ url: string; stop(): void }> {
  const acts: Record<string, (body: string) => Promise<string>> = {
    '/sign': async (required) => encodePaymentSignatureHeader(await wallet.createPayment(JSON.parse(required))),
    '/show': async (link) => {
      await open(link);
      return 'done';
    },
  };
  const server = createServer(async (req, res) => {
    try {
      res.end(await acts[req.url ?? '']?.(await text(req)));
    } catch (error) {
      res.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}
