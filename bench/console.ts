import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { migrate } from '../commands/migrate.ts';
import { createDatabase, startPostgres } from '../commands/postgres.ts';
import type { Ports } from '../sandbox/ports.ts';
import { readConfiguration } from '../server/configuration.ts';
import { grantRole } from '../server/identity/operators.ts';
import { makeSignInLink, spendSignInLink } from '../server/identity/sign-in.ts';
import { openDatabase } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import { transact } from '../server/kernel/transaction.ts';
import { openQueue } from '../server/queue/queue.ts';
import { sessionCookie } from '../server/transports/member-session.ts';
import { round, spread, table } from './measure.ts';
import { startService } from './service.ts';

/** A page or a search of the console. */
interface Place {
  name: string;
  address: string;
}

/** Figures by the name of the place, in milliseconds, and the tables that were read from end to end. */
interface Figures {
  times: Map<string, number[]>;
  scans: string[];
}

/** How long the statistics of a session that has nothing to do may wait (PGSTAT_IDLE_INTERVAL). */
const statisticsMs = 11_000;
/** A table of fewer rows is read from end to end by choice. */
const scannedRows = 5_000;
/** Rows of one page of the list. */
const pageRows = 50;

/** Times every list, search and page of the console on a database of so many seeded purchases each. */
export async function benchConsole(
  ports: Ports,
  dataDir: string,
  { sizes, rounds }: { sizes: readonly number[]; rounds: number },
): Promise<string> {
  // A million purchases take half an hour to make: `CONSOLE_DATA=folder` keeps them, and finds them there the next time.
  const folder = process.env.CONSOLE_DATA ? path.resolve(process.env.CONSOLE_DATA) : dataDir;
  mkdirSync(folder, { recursive: true });
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    port: ports.postgres,
    durable: true,
  });
  const figures: Figures[] = [];
  try {
    for (const size of sizes) {
      const url = await createDatabase(postgres.url, `console_${size}`);
      const env = sandboxedEnvironment(ports, folder, url);
      await migrate(url);
      if (await isEmpty(url)) await seed(env, size);
      figures.push(await figuresOf(env, rounds));
    }
  } finally {
    await postgres.stop();
  }
  return report(sizes, figures);
}

async function isEmpty(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query('select from jobs limit 1');
  await client.end();
  return rowCount === 0;
}

async function seed(env: Record<string, string>, purchases: number): Promise<void> {
  const script = path.resolve(import.meta.dirname, '../commands/seed.ts');
  const child = spawn(process.execPath, [script, String(purchases)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`npm run seed ended with ${code}`);
}

/** The times of every place on the seeded database that `env` names, read by an operator over HTTP, one at a time. */
async function figuresOf(env: Record<string, string>, rounds: number): Promise<Figures> {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 1 });
  const cookie = await operatorCookie(env);
  const places = await placesIn(pool);
  const server = await startService(env, { worker: false });
  const times = new Map<string, number[]>();
  try {
    const visit = async ({ name, address }: Place): Promise<number> => {
      const began = performance.now();
      const answer = await fetch(server.baseUrl + address, { headers: { cookie }, redirect: 'manual' });
      await answer.text();
      if (answer.status >= 400) throw new Error(`${name}: ${address} answered ${answer.status}`);
      return performance.now() - began;
    };
    for (const place of places) await visit(place);
    await pool.query('select pg_stat_reset()');
    for (const place of places) {
      const taken: number[] = [];
      for (let turn = 0; turn < rounds; turn += 1) taken.push(await visit(place));
      times.set(place.name, taken);
    }
    await sleep(statisticsMs);
    const { rows } = await pool.query<{ relname: string; scans: string; rows: string }>(
      `select relname, seq_scan as scans, seq_tup_read / seq_scan as rows from pg_stat_user_tables
       where seq_scan > 0 and seq_tup_read / seq_scan > $1 order by relname`,
      [scannedRows],
    );
    return { times, scans: rows.map((row) => `${row.relname} (${row.scans} times ${row.rows} rows)`) };
  } finally {
    await server.stop();
    await pool.end();
  }
}

/** The session of an operator who may see everything. */
async function operatorCookie(env: Record<string, string>): Promise<string> {
  const configuration = readConfiguration(env);
  const db = openDatabase(env.DATABASE_URL ?? '', { connections: 1 });
  const now = new Date();
  const email = 'bench@seed.example';
  await transact(db, (tx) => grantRole(tx, email, 'admin', now));
  const { account_key: accountKey } = await db.one<{ account_key: string }>(sql`
    select account_key from members where email = ${email}`);
  const link = await makeSignInLink(db, configuration.baseUrl, { accountKey, email }, now);
  const from = { origin: '127.0.0.1/32', browser: 'the bench', marks: null };
  const queue = await openQueue(env.DATABASE_URL ?? '', 'sender', 'bench');
  const token = new URL(link).searchParams.get('link') ?? '';
  const session = await spendSignInLink({ db, queue, configuration }, token, now, from);
  await queue.stop();
  await db.end();
  if (!session) throw new Error('the link was spent');
  return (await sessionCookie(configuration, session)).split(';')[0] ?? '';
}

/** Every list, search and page, on rows that are there. */
async function placesIn(pool: pg.Pool): Promise<Place[]> {
  const { rows } = await pool.query<Record<string, string>>(
    `select job_key, quote_key, jobs.account_key, jobs.principal_key, payment_key, session_id, charge_id,
       intent_id, customer_id, receipt_key
     from jobs join payments using (job_key) join card_payments using (payment_key)
       join card_charges using (payment_key, intent_id) join receipts using (job_key)
     where jobs.state = 'accepted' and session_id is not null order by jobs.created_at desc offset 50 limit 1`,
  );
  const of = rows[0] ?? {};
  const one = async (text: string): Promise<string> => (await pool.query(text)).rows[0]?.found ?? '';
  const far = await one(
    `select job_key as found from jobs order by created_at desc, job_key desc
     offset least(${pageRows} * 9999, (select count(*) from jobs) - 2 * ${pageRows}) limit 1`,
  );
  const names = {
    'key of a job': of.job_key,
    'key of a quote': of.quote_key,
    'key of a payment': of.payment_key,
    'key of a receipt': of.receipt_key,
    'key of a registration': await one('select registration_key as found from registrations limit 1'),
    'e-mail': await one('select email as found from members limit 1'),
    wallet: await one(`select principal_key as found from principals where kind = 'wallet' limit 1`),
    transaction: await one('select transaction as found from chain_transfers limit 1'),
    'session of Stripe': of.session_id,
    'charge of Stripe': of.charge_id,
    'intent of Stripe': of.intent_id,
    'refund of Stripe': await one(
      'select provider_refund_id as found from refunds where provider_refund_id is not null limit 1',
    ),
    'dispute of Stripe': await one('select dispute_id as found from card_disputes limit 1'),
    'customer of Stripe': of.customer_id,
    'idempotency key': 'seed-77',
    'name, written wrong': 'Purchesing agent 42',
    'what nothing is called': 'xyzzy',
  };
  const lists = {
    'all purchases': '',
    'page 10,000': `?after=${far}`,
    'oldest first': '?sort=oldest',
    failed: '?is=job:failed',
    'in doubt': '?is=payment:unknown&is=payment:processing',
    'overdue reviews': '?is=review:overdue',
    'open reviews': '?is=review:open',
    'money going back': '?is=payment:refund_pending&is=payment:refund_failed',
    'a verdict that nothing has': '?is=verdict:escalate',
    'by card and disputed': '?is=rail:card&is=payment:disputed',
    'not accepted, not canceled': '?not=job:accepted&not=job:canceled&not=review:overdue',
    'waived by card': '?is=charge:waived&not=rail:x402',
    'of a customer': `?is=customer:${of.account_key}`,
    'of a month': `?from=${monthAgo}&is=payment:refunded`,
  };
  const named = (group: string, all: object, addressOf: (value: string) => string): Place[] =>
    Object.entries(all).map(([name, value]) => ({ name: `${group}${name}`, address: addressOf(value) }));
  return [
    ...named('list: ', lists, (query) => `/console/purchases${query}`),
    ...named('search: ', names, (q) => `/console/search?${new URLSearchParams({ q })}`),
    ...named('page: ', pagesOf(of, far, names['dispute of Stripe']), (address) => address),
  ];
}

/** Pages, for one purchase and its customer, a purchase far back and a dispute. */
function pagesOf(of: Record<string, string>, far: string, dispute: string): Record<string, string> {
  return {
    'overview of a day': '/console',
    'overview of a week': '/console?days=7',
    'overview of a month': '/console?days=30',
    purchase: `/console/purchases/${of.job_key}`,
    'preview of several': `/console/purchases/bulk?action=note_purchase&key=${of.job_key}&key=${far}`,
    'money in doubt': '/console/money',
    customers: '/console/customers',
    'customers by a beginning': '/console/customers?q=owner4',
    customer: `/console/customers/${of.account_key}`,
    disputes: '/console/disputes',
    dispute: `/console/disputes/${dispute}`,
    'failed jobs': '/console/failures',
    ledger: '/console/ledger',
    'entries of an account': '/console/ledger/entries?account=liability:held',
    webhooks: '/console/webhooks',
    'webhooks that wait': '/console/webhooks?waiting=1',
    quality: '/console/quality',
    'audit log': '/console/audit',
  };
}

const monthAgo = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);

function report(sizes: readonly number[], figures: readonly Figures[]): string {
  const names = [...(figures[0]?.times.keys() ?? [])];
  const rows = names.map((name) => {
    const medians = figures.map(({ times }) => spread(times.get(name) ?? []).median);
    const [before = Number.NaN] = medians;
    return [name, ...medians.map(round), round((medians.at(-1) ?? Number.NaN) / before)];
  });
  const heads = sizes.map((size) => `of ${size.toLocaleString('en')}, ms`);
  return [
    '## The console, one reader, medians',
    table(['', ...heads, 'ratio'], rows),
    ...figures.map(
      ({ scans }, index) =>
        `\nRead from end to end with ${sizes[index]?.toLocaleString('en')}: ${scans.join(', ') || 'no table'}.`,
    ),
  ].join('\n');
}
