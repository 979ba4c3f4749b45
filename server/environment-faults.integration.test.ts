import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../commands/test-database.ts';
import { readConfiguration } from './configuration.ts';
import { requireSurroundings } from './environment-faults.ts';

const database = await testDatabase();
const environment = {
  DATABASE_URL: database.url,
  BASE_URL: 'http://localhost:3000',
  ENVIRONMENT: 'test',
  SECRET_KEY: 'x'.repeat(43),
  NEXTAUTH_SECRET: 'x'.repeat(43),
  RECEIPT_KEYS_FILE: 'unused',
};

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A node of this chain. */
async function node(chainId: number): Promise<string> {
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${chainId.toString(16)}` }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(script: string, args: string[], changes: Record<string, string>) {
  const env = { ...process.env, ...environment, ...changes };
  const file = path.join(import.meta.dirname, script);
  return promisify(execFile)(process.execPath, [file, ...args], { env }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/**
 * A PostgreSQL 17 in its own protocol (version 3): accepts anybody, answers queries about its version as that release
 * does, and anything else with empty text.
 */
async function oldPostgres(): Promise<string> {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const word = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\0`).join(''));
  const int = (bytes: 2 | 4, value: number) => {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 2) buffer.writeInt16BE(value);
    else buffer.writeInt32BE(value);
    return buffer;
  };
  const column = (name: string, type: number) =>
    Buffer.concat([word(name), int(4, 0), int(2, 0), int(4, type), int(2, -1), int(4, -1), int(2, 0)]);
  const value = (text: string) => Buffer.concat([int(4, text.length), Buffer.from(text)]);
  const ready = message('Z', Buffer.from('I'));
  const begun = [message('R', int(4, 0)), message('S', word('server_version', '17.6')), ready];
  const answer = [
    message('T', Buffer.concat([int(2, 2), column('version', 23), column('history', 16)])),
    message('D', Buffer.concat([int(2, 2), value('17'), value('t')])),
    message('C', word('SELECT 1')),
    ready,
  ];
  const server = createTcpServer((socket) => {
    let isBegun = false;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (isBegun && data[0] !== 'Q'.charCodeAt(0)) return;
      socket.write(Buffer.concat(isBegun ? answer : begun));
      isBegun = true;
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `postgresql://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/old`;
}

/** An empty database beside the migrated one. */
async function emptyDatabase(): Promise<string> {
  const url = new URL(database.url);
  const name = `empty_${process.pid}`;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}

describe('what the environment names', () => {
  const nowhere = 'postgresql://nobody@127.0.0.1:9/nothing';
  it.each<[string, string, string[]]>([
    ['a check of the environment', 'start.ts', ['--check-config']],
    ['a start', 'start.ts', []],
    ['a start of a worker', 'queue/worker.ts', []],
  ])('%s refuses a database that cannot be reached, in a sentence', async (_, script, args) => {
    const { code, stdout, stderr } = await run(script, args, { DATABASE_URL: nowhere });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The environment cannot be used:\n {2}DATABASE_URL cannot be reached: .*\n$/);
  });

  it('is checked as far as the database: one that was never migrated is refused', async () => {
    const DATABASE_URL = await emptyDatabase();
    const { code, stderr } = await run('start.ts', ['--check-config'], { DATABASE_URL });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The environment cannot be used:\n {2}DATABASE_URL leads to .* never migrated: npm run migrate\n$/,
    );
    expect((await run('start.ts', ['--check-config'], {})).stdout).toBe('The environment is complete.\n');
  });

  it.each([
    ['a check of the environment', 'start.ts', ['--check-config']],
    ['a start', 'start.ts', []],
    ['a start of a worker', 'queue/worker.ts', []],
  ])('%s refuses a PostgreSQL that is too old, in a sentence', async (_, script, args) => {
    const { code, stdout, stderr } = await run(script, args, { DATABASE_URL: await oldPostgres() });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'The environment cannot be used:\n  DATABASE_URL leads to PostgreSQL 17: 18 or newer is needed\n',
    );
  });

  it('is checked as far as each migration', async () => {
    const configuration = readConfiguration(environment);
    await requireSurroundings(configuration);
    await database.pool.query(
      `update _prisma_migrations set rolled_back_at = now() where migration_name = (select max(migration_name) from _prisma_migrations)`,
    );
    await expect(requireSurroundings(configuration)).rejects.toThrow(
      'The database lacks 1 migrations: npm run migrate',
    );
    await database.pool.query('update _prisma_migrations set rolled_back_at = null');
  });

  it('is checked in production as far as the chain: another one than its name says is refused', async () => {
    const read = readConfiguration(environment);
    const onChain = (url: string) => ({
      ...read,
      environment: 'live' as const,
      x402: {
        facilitatorUrl: 'https://facilitator.example',
        payTo: `0x${'1'.repeat(40)}` as const,
        refundKey: null,
        networks: ['eip155:8453'] as const,
        rpcUrls: { 'eip155:8453': url },
        confirmations: { 'eip155:8453': 1, 'eip155:84532': 1, 'eip155:42161': 1, 'eip155:421614': 1 },
        refundsWaitForFinality: true,
      },
    });
    await requireSurroundings(onChain(await node(8_453)), { strict: true });
    await expect(requireSurroundings(onChain(await node(1)))).rejects.toThrow(
      'X402_RPC_URLS for eip155:8453 leads to the chain 1',
    );
    // Reports need no chain, so a silent one does not prevent a start.
    await requireSurroundings(onChain('http://127.0.0.1:9'));
    await expect(requireSurroundings(onChain('http://127.0.0.1:9'), { strict: true })).rejects.toThrow(
      'does not answer',
    );
  });
});
