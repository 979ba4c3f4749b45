import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../commands/migrate.ts';
import { createDatabase, type Postgres, startPostgres } from '../commands/postgres.ts';
import { freePort } from '../sandbox/ports.ts';
import type { Sandbox } from '../sandbox/start.ts';
import { temporarySandbox } from '../sandbox/temporary-sandbox.ts';
import { perform } from '../server/door/perform.ts';
import { openRuntime } from '../server/open-runtime.ts';
import { allOperations } from '../server/operations.ts';
import type { Runtime } from '../server/runtime.ts';
import { operatorContext } from '../server/transports/context.ts';
import { chosenPart, shareOf } from './support/part.ts';
import { type ReplicaServer, startReplica } from './support/replica.ts';
import { environmentOf } from './support/service.ts';

/** A database of a million purchases and its replica: who reads the rows that the console shows? */
const purchases = shareOf(1_000_000, chosenPart());
const rounds = 5;
const minute = 60_000;
/** The only table that the console's overview asks the primary for: whether anything is sold is decided there. */
const decided = ['switches'];

const folder = mkdtempSync(path.join(tmpdir(), 'console-on-replica-'));
// When root starts PostgreSQL, it runs as nobody, who must be able to enter.
chmodSync(folder, 0o755);
let postgres: Postgres | undefined;
let sandbox: Sandbox | undefined;
let replica: ReplicaServer | undefined;
let env: Record<string, string>;
let pool: pg.Pool;

beforeAll(async () => {
  postgres = await startPostgres({
    dataDir: path.join(folder, 'primary'),
    port: await freePort(),
    durable: true,
    settings: { wal_keep_size: '4GB', max_wal_size: '4GB' },
  });
  sandbox = await temporarySandbox();
  const url = await createDatabase(postgres.url, 'work_check');
  env = environmentOf(url, await freePort(), folder, sandbox);
  await migrate(url);
  const script = path.resolve(import.meta.dirname, '../commands/seed.ts');
  const seeding = spawn(process.execPath, [script, String(purchases)], { env: { ...process.env, ...env } });
  expect(await once(seeding, 'exit')).toEqual([0, null]);
  replica = await startReplica(postgres.url);
  const onReplica = new URL(url);
  onReplica.port = String(replica.port);
  env = { ...env, DATABASE_READ_URL: onReplica.href, DATABASE_READ_LAG_SECONDS: '10' };
  pool = new pg.Pool({ connectionString: url, max: 1 });
}, 120 * minute);

afterAll(async () => {
  await pool.end();
  await replica?.remove();
  await sandbox?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 10 * minute);

/** Rows of our tables that a server has read for whoever asked, by table. */
async function rowsRead(of: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await of.query(
    `select relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables
     where schemaname = 'public'`,
  );
  return new Map(rows.map(({ relname, read }) => [relname, Number(read)]));
}

/** What a web process reads, by server and table, from its start to its end: a session tells its figures as it ends. */
async function readBy(work: (runtime: Runtime) => Promise<void>) {
  const copy = new pg.Pool({ connectionString: env.DATABASE_READ_URL, max: 1 });
  const before = [await rowsRead(pool), await rowsRead(copy)];
  const runtime = await openRuntime(env, 'web');
  await expect.poll(() => runtime.replica?.watch.isCurrent(), { timeout: minute }).toBe(true);
  await work(runtime);
  await runtime.close();
  const ended = `select count(*)::int as left from pg_stat_activity where application_name like 'work-check%'`;
  for (const one of [pool, copy]) {
    await expect.poll(async () => (await one.query(ended)).rows[0].left, { timeout: minute }).toBe(0);
  }
  const after = [await rowsRead(pool), await rowsRead(copy)];
  await copy.end();
  return after.map(
    (tables, server) => new Map([...tables].map(([name, read]) => [name, read - (before[server]?.get(name) ?? 0)])),
  );
}

it('of what the console lists and counts, the primary reads nothing', { timeout: 60 * minute }, async () => {
  const names = Object.values(allOperations).flatMap((operation) =>
    operation.name.startsWith('console_') && 'readsReplica' in operation ? [operation.name] : [],
  );
  const { rows } = await pool.query(
    `select job_key, account_key, pg_stat_force_next_flush() from jobs order by created_at desc offset 90 limit 1`,
  );
  const inputs: Record<string, object[]> = {
    console_overview: [{ days: 1 }, { days: 7 }, { days: 30 }],
    console_purchases: [{}, { sort: 'oldest' }, { filters: [{ field: 'job', value: 'failed', not: false }] }],
    console_search: [{ q: rows[0].job_key }, { q: 'Purchesing agent 42' }],
    console_customers: [{ account_key: rows[0].account_key }],
  };
  const took: number[] = [];
  // The first start makes keys, and the look-up above counts with it.
  await readBy(async () => {});
  const [idle] = await readBy(async () => {});
  const [primary, copy] = await readBy(async (runtime) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) {
        for (const input of inputs[name] ?? [{}]) {
          const began = performance.now();
          await perform(name as 'console_overview', operatorContext(runtime), input);
          took.push(performance.now() - began);
        }
      }
    }
  });
  const asked = [...(primary ?? [])].filter(([name, read]) => read > (idle?.get(name) ?? 0));
  const sum = (tables: Map<string, number> | undefined) => [...(tables ?? [])].reduce((all, [, read]) => all + read, 0);
  const sorted = took.toSorted((one, other) => one - other);
  console.log(
    `${purchases} purchases, ${took.length} reads of ${names.length} kinds: the replica read ${sum(copy)} rows, the ` +
      `primary ${JSON.stringify(Object.fromEntries(asked))}; half of them within ${sorted[took.length >> 1]?.toFixed(0)} ms, ` +
      `the slowest ${sorted.at(-1)?.toFixed(0)} ms`,
  );
  expect(sum(copy)).toBeGreaterThan(1_000);
  expect(asked.filter(([name]) => !decided.includes(name))).toEqual([]);
});
