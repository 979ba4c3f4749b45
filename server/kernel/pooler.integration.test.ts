import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { testDatabase } from '../../commands/test-database.ts';
import { ConfigurationError } from './configuration-error.ts';
import { requireOwnConnections } from './pooler.ts';

const database = await testDatabase();
const readyForQuery = 0x5a;
const terminate = 0x58;

/**
 * Acts like PgBouncer with `pool_mode = transaction` and `pool_size = 1`: all clients share one session, each for the
 * duration of one request.
 */
async function startPooler(): Promise<string> {
  const { hostname, port, username, pathname } = new URL(database.url);
  const session = connect({ host: hostname, port: Number(port) });
  const greeting = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(greeting.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  session.write(Buffer.concat([head, greeting]));
  /** The client whose turn it is, and what the others have sent meanwhile. */
  const turns: { client: Socket; bytes: Buffer }[] = [];
  let hello = Buffer.alloc(0);
  let isReady = false;
  session.on('data', (bytes) => {
    if (!isReady) {
      hello = Buffer.concat([hello, bytes]);
      isReady = endsRequest(hello);
      return;
    }
    turns[0]?.client.write(bytes);
    if (endsRequest(bytes)) {
      turns.shift();
      if (turns[0]) session.write(turns[0].bytes);
    }
  });
  const server = createServer((client) => {
    let isGreeted = false;
    client.on('error', () => {});
    client.on('data', (bytes) => {
      if (!isGreeted) {
        isGreeted = true;
        client.write(hello);
      } else if (bytes[0] !== terminate) {
        turns.push({ client, bytes });
        if (turns.length === 1) session.write(bytes);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await expect.poll(() => isReady).toBe(true);
  afterAll(() => {
    session.destroy();
    server.close();
  });
  return `postgresql://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`;
}

/** Whether the bytes end with ReadyForQuery. */
const endsRequest = (bytes: Buffer) => bytes.length >= 6 && bytes.at(-6) === readyForQuery;

it('a database of its own is taken', async () => {
  await expect(requireOwnConnections(database.url)).resolves.toBeUndefined();
});

it('a pooler in transaction mode is refused with a sentence', async () => {
  const refusal = requireOwnConnections(await startPooler());
  await expect(refusal).rejects.toThrow(ConfigurationError);
  await expect(refusal).rejects.toThrow('DATABASE_URL leads to a pooler in transaction mode');
});
