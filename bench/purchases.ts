import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { migrate } from '../commands/migrate.ts';
import { startPostgres } from '../commands/postgres.ts';
import type { Ports } from '../sandbox/ports.ts';
import { price } from '../server/service/terms.ts';
import { exampleRequest } from '../server/work-check/sample.ts';
import { buyOverHttp } from './http-buyer.ts';
import { Latencies, perSecond, round, spread, table } from './measure.ts';
import { startPeer, startService } from './service.ts';
import { buyOverSql, type Principal } from './sql-buyer.ts';

const clients = 16;
const principalCount = 64;
const tables = [
  'quotes jobs payments reports receipts reviews ledger_transfers audit_rows idempotency_claims'.split(' '),
  ['pgboss.job'],
].flat();

export interface Effort {
  rounds: number;
  seconds: number;
  filled: number;
}

/** Full purchases per second over HTTP against SQL by hand, round by round on fresh copies of one filled database. */
export async function benchPurchases(ports: Ports, dataDir: string, effort: Effort): Promise<string> {
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    port: ports.postgres,
    durable: true,
  });
  const stub = await startPeer('facilitator-stub.ts', String(ports.facilitator), `0x${'22'.repeat(20)}`);
  try {
    const admin = openPool(postgres.url, 1);
    const at = (name: string) => new URL(`/${name}`, postgres.url).href;
    const env = (name: string) => stubbedEnvironment(ports, dataDir, at(name));
    await admin.query('create database filled');
    await migrate(at('filled'));
    const principals = await fill(env('filled'), at('filled'), effort.filled);

    const figures = { sql: [] as number[], http: [] as number[] };
    const latencies = new Latencies();
    const rows: Record<string, string[]> = {};
    for (let round = 0; round < effort.rounds; round += 1) {
      for (const side of ['sql', 'http'] as const) {
        await admin.query(`create database run template filled strategy file_copy`);
        const pool = openPool(at('run'), clients);
        const before = await count(pool);
        const perSec =
          side === 'sql'
            ? await perSecond(clients, effort.seconds, (client) => buyOverSql(pool, pick(principals, client)))
            : await overHttp(env('run'), principals, effort.seconds, latencies);
        figures[side].push(perSec);
        rows[side] = difference(before, await count(pool));
        await pool.end();
        await admin.query('drop database run with (force)');
      }
    }
    await admin.end();
    const sql = spread(figures.sql);
    const http = spread(figures.http);
    return [
      '## Purchases, pay stubbed at the facilitator and the chain',
      table(
        ['', 'purchases/s', 'ratio'],
        [
          ['SQL by hand, same rows and reads', sql.text, '1'],
          ['over HTTP, one API process, one worker', http.text, round(http.median / sql.median)],
        ],
      ),
      '',
      '## Rows a purchase',
      table(
        ['table', 'SQL by hand', 'service'],
        tables.map((name, index) => [name, rows.sql?.[index] ?? '', rows.http?.[index] ?? '']),
      ),
      '',
      `## Operations over HTTP, ${clients} clients`,
      table(['operation', 'requests', 'p50 ms', 'p99 ms'], latencies.rows()),
    ].join('\n');
  } finally {
    stub.stop();
    await postgres.stop();
  }
}

function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  // A connection that is closing when its database is dropped says so; nobody needs it any more.
  pool.on('error', () => {});
  return pool;
}

function stubbedEnvironment(ports: Ports, dataDir: string, databaseUrl: string): Record<string, string> {
  const stub = `http://127.0.0.1:${ports.facilitator}`;
  return {
    ...sandboxedEnvironment(ports, dataDir, databaseUrl),
    X402_FACILITATOR_URL: stub,
    X402_PAY_TO: `0x${'22'.repeat(20)}`,
    X402_RPC_URLS: `84532=${stub},421614=${stub}`,
  };
}

/** Signs the principals in, buys one check for the sample, then buys the rest over SQL, and lets PostgreSQL tidy up. */
async function fill(env: Record<string, string>, databaseUrl: string, purchases: number): Promise<Principal[]> {
  const pool = openPool(databaseUrl, clients);
  const service = await startService(env);
  const principals = await Promise.all(
    Array.from({ length: principalCount }, (_, index) =>
      signIn(service.baseUrl, pool, env.SECRET_KEY ?? '', index + 1),
    ),
  );
  await pool.query(`update grants set daily_limit_microcents = ${10n ** 18n}`);
  const body = { ...exampleRequest, max_price_microcents: Number(price) };
  await buyOverHttp(service.baseUrl, pick(principals, 0), body, new Latencies());
  await service.stop();
  await pool.query(await readFile(path.join(import.meta.dirname, 'purchase.sql'), 'utf8'));
  let left = purchases;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (left > 0) {
        left -= 1;
        await buyOverSql(pool, pick(principals, client + left));
      }
    }),
  );
  await pool.query(`update pgboss.job set state = 'completed', completed_on = now() where state <> 'completed'`);
  await pool.query('vacuum analyze');
  await pool.end();
  return principals;
}

async function signIn(baseUrl: string, pool: pg.Pool, secretKey: string, index: number): Promise<Principal> {
  const wallet = privateKeyToAccount(`0x${index.toString(16).padStart(64, '0')}`);
  const post = async (address: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    return (await fetch(baseUrl + address, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const challenge = await post('/api/x402/v1/wallets/challenge', { address: wallet.address });
  const signature = await wallet.signMessage({ message: challenge.message });
  const session = await post('/api/x402/v1/wallets/verify', { challenge_key: challenge.challenge_key, signature });
  const principalKey = wallet.address.toLowerCase();
  const { rows } = await pool.query(
    'select account_key, grant_key from principals join grants using (principal_key) where principal_key = $1',
    [principalKey],
  );
  return {
    principalKey,
    accountKey: rows[0].account_key,
    grantKey: rows[0].grant_key,
    token: session.access_token,
    tokenHash: createHmac('sha256', secretKey).update(session.access_token).digest('base64url'),
  };
}

async function overHttp(
  env: Record<string, string>,
  principals: Principal[],
  seconds: number,
  latencies: Latencies,
): Promise<number> {
  const service = await startService(env);
  const body = { ...exampleRequest, max_price_microcents: Number(price) };
  try {
    const buy = (times: Latencies) => (client: number) =>
      buyOverHttp(service.baseUrl, pick(principals, client), body, times);
    await perSecond(clients, 2, buy(new Latencies()));
    return await perSecond(clients, seconds, buy(latencies));
  } finally {
    await service.stop();
  }
}

function pick(principals: Principal[], client: number): Principal {
  const principal = principals[client % principals.length];
  if (!principal) throw new Error('no principal');
  return principal;
}

async function count(pool: pg.Pool): Promise<number[]> {
  const columns = tables.map((name) => `(select count(*)::int from ${name})`).join(', ');
  const { rows } = await pool.query({ text: `select ${columns}`, rowMode: 'array' });
  return rows[0] ?? [];
}

/** Rows per purchase, which must be the same on both sides for the ratio to mean anything. */
function difference(before: number[], after: number[]): string[] {
  const bought = (after[1] ?? 0) - (before[1] ?? 0);
  return after.map((value, index) => round((value - (before[index] ?? 0)) / bought));
}
