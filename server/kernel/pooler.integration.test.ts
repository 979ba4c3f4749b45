import { execFile } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { testDatabase } from '../../commands/test-database.ts';
import { roleSettings } from '../../e2e/support/handbook.ts';
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
  session.write(startup(username, pathname.slice(1)));
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

/**
 * Acts like PgBouncer in session mode: a session of its own for each client, without the settings that it asks for, or
 * with a refusal of them.
 */
async function startSessionPooler(handles: 'ignore_startup_parameters' | 'refuses', role?: string): Promise<string> {
  const { hostname, port, username: own, pathname } = new URL(database.url);
  const username = role ?? own;
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => {
      if (handles === 'refuses') return client.end(refusalOf('unsupported startup parameter: options'));
      const session = connect({ host: hostname, port: Number(port) });
      session.on('error', () => {});
      session.write(startup(username, pathname.slice(1)));
      client.pipe(session);
      session.pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return `postgresql://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`;
}

/** StartupMessage of version 3.0, without settings. */
function startup(user: string, name: string): Buffer {
  const greeting = Buffer.from(`user\0${user}\0database\0${name}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(greeting.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, greeting]);
}

/** ErrorResponse with FATAL, 08P01. */
function refusalOf(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
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

it('a check of the environment refuses it as a start does', async () => {
  const env = {
    ...process.env,
    DATABASE_URL: await startPooler(),
    BASE_URL: 'http://localhost:3000',
    ENVIRONMENT: 'test',
    SECRET_KEY: 'x'.repeat(43),
    NEXTAUTH_SECRET: 'x'.repeat(43),
    RECEIPT_KEYS_FILE: 'unused',
  };
  const start = path.resolve(import.meta.dirname, '../start.ts');
  const checked = promisify(execFile)(process.execPath, [start, '--check-config'], { env });
  await expect(checked).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('in transaction mode') });
});

it.each(['refuses', 'ignore_startup_parameters'] as const)(
  'a pooler in session mode that %s settings is refused with a sentence',
  async (handles) => {
    const refusal = requireOwnConnections(await startSessionPooler(handles));
    await expect(refusal).rejects.toThrow(ConfigurationError);
    await expect(refusal).rejects.toThrow('DATABASE_URL leads to a pooler that takes no settings');
  },
);

it('a pooler in session mode is taken once the role has the settings', async () => {
  const role = `pooled_${process.pid}`;
  const settings = roleSettings();
  expect(Object.keys(settings)).toContain('lock_timeout');
  await database.pool.query(`create role ${role} login superuser password 'trial'`);
  for (const [name, value] of Object.entries(settings))
    await database.pool.query(`alter role ${role} set ${name} = '${value}'`);
  const { rows } = await database.pool.query('select setconfig from pg_db_role_setting where setrole = $1::regrole', [
    role,
  ]);
  expect(rows[0]?.setconfig).toHaveLength(4);
  await expect(
    requireOwnConnections(await startSessionPooler('ignore_startup_parameters', role)),
  ).resolves.toBeUndefined();
  await database.pool.query(`drop role ${role}`);
});
