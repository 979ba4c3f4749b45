import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { inTurn } from './connections.ts';

const minuteMs = 60_000;
/** More than fits into the buffers on the way. */
const large = Buffer.alloc(64 * 2 ** 20);

afterEach(() => {
  vi.useRealTimers();
});

/** A server that answers with `body`, a connection that has sent one request, and its server side. */
async function asked(answer: (res: ServerResponse) => void): Promise<{ client: Socket; peer: Socket; end(): void }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = createServer((req, res) => inTurn(req, res, async () => answer(res)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [req] = (await once(server, 'request')) as [IncomingMessage];
  return {
    client,
    peer: req.socket,
    end() {
      client.destroy();
      server.close();
    },
  };
}

it('an answer that is not taken within a minute ends its connection', async () => {
  const { peer, end } = await asked((res) => res.end(large));
  vi.advanceTimersByTime(minuteMs - 1);
  expect(peer.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(peer.destroyed).toBe(true);
  end();
});

it('an answer that is never made ends its connection as well', async () => {
  const { peer, end } = await asked(() => {});
  vi.advanceTimersByTime(minuteMs);
  expect(peer.destroyed).toBe(true);
  end();
});

it('a connection whose answer was taken is kept for the next request', async () => {
  const { client, peer, end } = await asked((res) => res.end('taken'));
  await once(client, 'data');
  vi.advanceTimersByTime(minuteMs);
  expect(peer.destroyed).toBe(false);
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [again] = await once(client, 'data');
  expect(String(again)).toContain('taken');
  end();
});
