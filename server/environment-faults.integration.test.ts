import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { migrate } from '../commands/migrate.ts';
import { testDatabase } from '../commands/test-database.ts';
import { readConfiguration } from './configuration.ts';
import { lookAround } from './environment-faults.ts';

const database = await testDatabase();
const environment = {
  DATABASE_URL: database.url,
  BASE_URL: 'http://localhost:3000',
  ENVIRONMENT: 'test',
  SECRET_KEY: 'x'.repeat(43),
  NEXTAUTH_SECRET: 'x'.repeat(43),
  RECEIPT_KEYS_FILE: 'unused',
};

const folder = mkdtempSync(path.join(tmpdir(), 'surroundings-'));
const servers: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
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

/** A Stripe whose account holds these currencies; without any, the key may not read them. */
async function stripeHolding(...currencies: string[]): Promise<string> {
  return stripeSaying(currencies.length > 0 ? 200 : 403, currencies);
}

async function stripeSaying(status: number, currencies: string[]): Promise<string> {
  const parts = currencies.map((currency) => ({ amount: 0, currency }));
  const server = createServer((_, res) => {
    res.writeHead(status, { 'content-type': 'application/json' });
    const refusal = { error: { type: 'invalid_request_error', message: 'The key lacks the permission.' } };
    const balance = { object: 'balance', livemode: true, available: parts, pending: parts };
    res.end(JSON.stringify(currencies.length > 0 ? balance : refusal));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function start(script: string, changes: Record<string, string>) {
  const env = { ...process.env, ...environment, RECEIPT_KEYS_FILE: path.join(folder, 'keys.json'), ...changes };
  return spawn(process.execPath, [path.join(import.meta.dirname, script)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** The first line that names an event. */
async function untilSaid(lines: Interface, event: string): Promise<string> {
  for await (const line of lines) if (line.includes(event)) return line;
  throw new Error(`nothing said ${event}`);
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

  it('is complete for a check while the database is not there, which says so', async () => {
    const { code, stdout } = await run('start.ts', ['--check-config'], { DATABASE_URL: nowhere });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The environment is complete\.\nNot there now:\n {2}DATABASE_URL cannot be reached: .*ECONNREFUSED.*\n$/,
    );
  });

  it.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_WEBHOOK_SECRET is missing'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, 'STRIPE_SECRET_KEY is missing'],
    [{ STRIPE_SECRET_KEY: 'foo_123', STRIPE_WEBHOOK_SECRET: 'whsec_1' }, 'STRIPE_SECRET_KEY is no key of Stripe'],
  ])('is not complete with half of the card settings, or with a malformed key: %o', async (half, says) => {
    const { code, stdout, stderr } = await run('start.ts', ['--check-config'], half);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`  ${says}`);
  });

  it.each([
    ['start.ts', nowhere],
    ['worker/worker.ts', nowhere],
  ])('%s waits for a database that is not there, and says so once', async (script, DATABASE_URL) => {
    const started = start(script, { DATABASE_URL });
    const [first = ''] = await once(createInterface({ input: started.stderr }), 'line');
    expect(JSON.parse(first)).toMatchObject({
      event: 'start_waits',
      for: expect.stringContaining('DATABASE_URL cannot be reached'),
    });
    const ended = once(started, 'exit');
    started.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it.each([
    ['a role that is not there', { username: 'nobody', password: 'wrong' }],
    ['a database that is not there', { pathname: '/nothing' }],
  ])('is wrong when it names %s: nothing waits for that', async (_, changes) => {
    const DATABASE_URL = Object.assign(new URL(database.url), changes).href;
    for (const args of [['--check-config'], []]) {
      const { code, stdout, stderr } = await run('start.ts', args, { DATABASE_URL });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^The environment cannot be used:\n {2}DATABASE_URL is refused: .*\n$/);
    }
  });

  it('is checked as far as the database: migrations that are due stop no check, and a start waits for them', {
    timeout: 120_000,
  }, async () => {
    const DATABASE_URL = await emptyDatabase();
    const { code, stdout } = await run('start.ts', ['--check-config'], { DATABASE_URL });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nNot there now:\n {2}DATABASE_URL leads to .* never migrated: npm run migrate\n$/);
    expect((await run('start.ts', ['--check-config'], {})).stdout).toBe('The environment is complete.\n');
    const worker = start('worker/worker.ts', { DATABASE_URL });
    const lines = createInterface({ input: worker.stderr });
    const [first = ''] = await once(lines, 'line');
    expect(first).toContain('never migrated');
    const [, begun] = await Promise.all([migrate(DATABASE_URL), untilSaid(lines, 'worker_ready')]);
    expect(begun).toContain('worker_ready');
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  });

  it.each([
    ['a check of the environment', 'start.ts', ['--check-config']],
    ['a start', 'start.ts', []],
    ['a start of a worker', 'worker/worker.ts', []],
  ])('%s refuses a PostgreSQL that is too old, in a sentence', async (_, script, args) => {
    const { code, stdout, stderr } = await run(script, args, { DATABASE_URL: await oldPostgres() });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'The environment cannot be used:\n  DATABASE_URL leads to PostgreSQL 17: 18 or newer is needed\n',
    );
  });

  it('is checked as far as each migration', async () => {
    const configuration = readConfiguration(environment);
    expect(await lookAround(configuration)).toEqual({ wrong: [], absent: [] });
    await database.pool.query(
      `update _prisma_migrations set rolled_back_at = now() where migration_name = (select max(migration_name) from _prisma_migrations)`,
    );
    expect(await lookAround(configuration)).toEqual({
      wrong: [],
      absent: [{ isDatabase: true, sentence: 'The database lacks 1 migrations: npm run migrate' }],
    });
    await database.pool.query('update _prisma_migrations set rolled_back_at = null');
  });

  it('may name a replica that is not there, or that takes writes by now: a check says so, and a start goes on', async () => {
    const reading = (url: string) => lookAround(readConfiguration({ ...environment, DATABASE_READ_URL: url }));
    const { wrong, absent } = await reading('postgresql://127.0.0.1:1/none');
    expect([wrong, absent]).toEqual([
      [],
      [{ isDatabase: false, sentence: expect.stringMatching(/^DATABASE_READ_URL cannot be reached: .*ECONNREFUSED/) }],
    ]);
    const itself = 'DATABASE_READ_URL leads to no replica: the primary reads in its place';
    expect((await reading(database.url)).absent).toEqual([{ isDatabase: false, sentence: itself }]);
  });

  it('is checked in production as far as the chain: another one than its name says is refused', async () => {
    const read = readConfiguration(environment);
    const onChain = (url: string) => ({
      ...read,
      environment: 'live' as const,
      x402: {
        facilitatorUrl: 'https://facilitator.example',
        payTo: [`0x${'1'.repeat(40)}` as const],
        refundKeys: [],
        networks: ['eip155:8453'] as const,
        rpcUrls: { 'eip155:8453': url },
        confirmations: { 'eip155:8453': 1, 'eip155:84532': 1, 'eip155:42161': 1, 'eip155:421614': 1 },
        refundsWaitForFinality: true,
      },
    });
    expect(await lookAround(onChain(await node(8_453)))).toEqual({ wrong: [], absent: [] });
    expect(await lookAround(onChain(await node(1)))).toEqual({
      wrong: ['X402_RPC_URLS for eip155:8453 leads to the chain 1'],
      absent: [],
    });
    // Reports need no chain: a silent one neither prevents a start nor is waited for.
    expect(await lookAround(onChain('http://127.0.0.1:9'))).toEqual({
      wrong: [],
      absent: [{ isDatabase: false, sentence: 'X402_RPC_URLS for eip155:8453 does not answer' }],
    });
  });

  it('is checked in production as far as the account at Stripe: one that holds no US dollars is refused', async () => {
    const read = readConfiguration(environment);
    const settingsAt = (apiUrl: string) => ({
      ...read,
      environment: 'live' as const,
      card: { ...read.card, secretKey: 'rk_live_x', mode: 'live' as const, apiUrl },
    });
    expect(await lookAround(settingsAt(await stripeHolding('eur', 'usd')))).toEqual({ wrong: [], absent: [] });
    expect(await lookAround(settingsAt(await stripeHolding('eur')))).toEqual({
      wrong: ['STRIPE_SECRET_KEY is of an account that settles in EUR: fees are booked in USD alone'],
      absent: [],
    });
    // A restricted key need not read the balance; that it may not read warnings of fraud is said.
    expect(await lookAround(settingsAt(await stripeHolding()))).toEqual({
      wrong: [],
      absent: [{ isDatabase: false, sentence: expect.stringContaining('may not read early fraud warnings') }],
    });
    expect(await lookAround(settingsAt('http://127.0.0.1:9'))).toEqual({
      wrong: [],
      absent: [{ isDatabase: false, sentence: 'STRIPE_SECRET_KEY could not be tried at Stripe' }],
    });
    // A key that Stripe has ended stops no start, and a check names it.
    expect(await lookAround(settingsAt(await stripeSaying(401, [])))).toEqual({
      wrong: [],
      absent: [{ isDatabase: false, sentence: expect.stringMatching(/^STRIPE_SECRET_KEY is refused by Stripe: /) }],
    });
  });
});
