import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { migrate } from '../commands/migrate.ts';
import { startPostgres } from '../commands/postgres.ts';
import type { Ports } from '../sandbox/ports.ts';
import { newToken, tokenHash } from '../server/identity/token.ts';
import { openKeyring } from '../server/kernel/keyring.ts';
import { buyOverHttp } from './http-buyer.ts';
import { Connection } from './http-client.ts';
import { Latencies } from './measure.ts';
import { startPeer, startService } from './service.ts';

/** How many buy at once, everywhere. */
export const clients = 16;
/** As many grants as purchases are spread over. */
const principalCount = 1_000;

/** Someone who may buy. */
export interface Principal {
  principalKey: string;
  accountKey: string;
  grantKey: string;
  token: string;
  tokenHash: string;
}

/** A copy of the filled database, thrown away afterwards. */
export interface Copy {
  /** For a service on this database. */
  readonly env: Record<string, string>;
  readonly pool: pg.Pool;
}

export interface Arena {
  readonly principals: readonly Principal[];
  onCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * A PostgreSQL with one database of `filled` purchases, vacuumed and analysed, to take copies of; and the stand-ins
 * for facilitator, chain and Stripe.
 */
export async function openArena(ports: Ports, dataDir: string, filled: number): Promise<Arena> {
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    port: ports.postgres,
    durable: true,
  });
  const admin = openPool(postgres.url, 1);
  const at = (name: string) => new URL(`/${name}`, postgres.url).href;
  const env = (name: string) => stubbedEnvironment(ports, dataDir, at(name));
  const stubs = [
    await startPeer('facilitator-stub.ts', String(ports.facilitator), env('filled').X402_PAY_TO ?? ''),
    await startPeer('stripe-stub.ts', String(ports.stripe)),
  ];
  await admin.query('create database filled');
  await migrate(at('filled'));
  const principals = await fill(env('filled'), at('filled'), filled);
  let copies = 0;
  return {
    principals,
    async onCopy(work) {
      copies += 1;
      const name = `copy_${copies}`;
      await admin.query(`create database ${name} template filled strategy file_copy`);
      const pool = openPool(at(name), clients);
      try {
        return await work({ env: env(name), pool });
      } finally {
        await pool.end();
        await admin.query(`drop database ${name} with (force)`);
      }
    },
    async close() {
      for (const stub of stubs) stub.stop();
      await admin.end();
      await postgres.stop();
    },
  };
}

/** Whom a client buys as: each of the thousand in turn, or always the same. */
export function buyerOf(principals: readonly Principal[], turn: number): Principal {
  const principal = principals[turn % principals.length];
  if (!principal) throw new Error('no principal');
  return principal;
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
    X402_RPC_URLS: `84532=${stub},421614=${stub}`,
  };
}

/** One wallet signs in and buys one check; then both are copied, and PostgreSQL tidies up. */
async function fill(env: Record<string, string>, databaseUrl: string, purchases: number): Promise<Principal[]> {
  const pool = openPool(databaseUrl, clients);
  const service = await startService(env);
  const first = await signIn(service.baseUrl, pool, env.SECRET_KEY ?? '');
  await pool.query(`update grants set daily_limit_microcents = ${10n ** 15n}`);
  const connection = await Connection.open(service.baseUrl);
  await buyOverHttp(connection, first, new Latencies());
  connection.close();
  await service.stop();
  for (const file of ['purchase.sql', 'fill.sql']) {
    await pool.query(await readFile(path.join(import.meta.dirname, file), 'utf8'));
  }
  const principals = [
    first,
    ...Array.from({ length: principalCount - 1 }, (_, nr) => invented(nr + 1, env.SECRET_KEY ?? '')),
  ];
  await pool.query({
    text: `insert into bench_principals select row_number() over () - 1, a, b, c, d
      from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as x(a, b, c, d)`,
    values: (['principalKey', 'accountKey', 'grantKey', 'tokenHash'] as const).map((key) =>
      principals.map((who) => who[key]),
    ),
  });
  await pool.query('select bench_fill_principals()');
  await pool.query(`select bench_fill($1, 'first', $2)`, [purchases, principalCount]);
  await pool.query('vacuum analyze');
  await pool.end();
  return principals;
}

async function signIn(baseUrl: string, pool: pg.Pool, secretKey: string): Promise<Principal> {
  const wallet = privateKeyToAccount(`0x${'1'.padStart(64, '0')}`);
  const post = async (address: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    return (await fetch(baseUrl + address, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const challenge = await post('/api/x402/v1/wallets/challenge', { address: wallet.address });
  const signature = await wallet.signMessage({ message: challenge.message });
  const session = await post('/api/x402/v1/wallets/verify', { challenge_key: challenge.challenge_key, signature });
  const { rows } = await pool.query(
    'select principal_key, account_key, grant_key from principals join grants using (principal_key)',
  );
  return {
    principalKey: rows[0].principal_key,
    accountKey: rows[0].account_key,
    grantKey: rows[0].grant_key,
    token: session.access_token,
    tokenHash: tokenHash(session.access_token, openKeyring([secretKey]).first),
  };
}

function invented(nr: number, secretKey: string): Principal {
  const token = newToken('wallet');
  const id = createHmac('sha256', 'bench').update(String(nr)).digest('hex');
  return {
    principalKey: `0x${id.slice(0, 40)}`,
    accountKey: `acct_${id.slice(0, 22)}`,
    grantKey: `grant_${id.slice(0, 22)}`,
    token,
    tokenHash: tokenHash(token, openKeyring([secretKey]).first),
  };
}
