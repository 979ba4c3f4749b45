/**
 * `npm run seed -- N` fills a migrated, empty database with N purchases (default 1,000) in every state, with all that
 * belongs to them: to try the console and to measure it. The content is short, the books balance, and open purchases
 * are among the newest. None of it was ever on a chain and its receipts carry no real signature, so run no worker on
 * such a database. Reads the server's environment and refuses one for real money.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { type Configuration, readConfiguration } from '../server/configuration.ts';
import { countBetween } from '../server/console/hours.ts';
import { ConfigurationError } from '../server/kernel/configuration-error.ts';
import { queriesOn } from '../server/kernel/database.ts';
import { canonicalJson, digestOf } from '../server/kernel/digest.ts';
import { SteadyClient } from '../server/kernel/postgres/steady-client.ts';
import { seal } from '../server/kernel/seal.ts';
import { openQueue } from '../server/queue/queue.ts';
import { price, service } from '../server/service/terms.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import { CheckRequest, evidenceManifest, plannedChecks } from '../server/work-check/contract.ts';
import { forecastOf } from '../server/work-check/forecast.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

const defaultPurchases = 1_000;
const purchasesMax = 10_000_000;
const purchasesEach = 50;
/** This many of the newest purchases keep their sealed content; older ones have lost it, as after 30 days. */
const contentMax = 1_000;
/** Some of this many newest purchases are unpaid, queued or in progress. */
const freshMax = 2_000;
/** Rows that may exist in an empty database: migrations, the numbering, what was counted, and keys from a first start. */
const beside = ['_prisma_migrations', 'transaction_numbers', 'hours_counted', 'secret_keys', 'receipt_keys'];

/** Three short works on the same evidence that the assessor judges differently. */
const works = [
  'The invoice of 3 May 2026 is over 120 EUR.',
  'The invoice of 3 May 2026 is over 210 EUR.',
  'The supplier is satisfied.',
];

await runCommand(async () => {
  const wanted = Number(process.argv[2] ?? defaultPurchases);
  if (!Number.isInteger(wanted) || wanted < 100 || wanted > purchasesMax) {
    throw new Refusal(`Say how many purchases, 100 to ${purchasesMax.toLocaleString('en')}: npm run seed -- 1000`);
  }
  const configuration = environment();
  const client = new SteadyClient({ connectionString: configuration.databaseUrl });
  await client.connect();
  try {
    await requireEmpty(client);
    const began = performance.now();
    const rows = await seed(client, configuration, wanted);
    const seconds = (performance.now() - began) / 1_000;
    console.log(
      `${wanted.toLocaleString('en')} purchases, ${rows.toLocaleString('en')} rows in ${seconds.toFixed(1)} s: ` +
        `${Math.round(rows / seconds).toLocaleString('en')} rows a second.`,
    );
    return 0;
  } finally {
    await client.end();
  }
});

function environment(): Configuration {
  try {
    const configuration = readConfiguration(process.env);
    if (configuration.environment === 'live') throw new Refusal('ENVIRONMENT is live: nothing is made up there.');
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Refusal(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}`);
  }
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
     and not relispartition order by relname`,
  );
  return rows.map(({ name }) => name).filter((name) => !beside.includes(name));
}

/** Throws a `Refusal` when a table to fill has rows, or when triggers cannot be turned off. */
async function requireEmpty(client: pg.Client): Promise<void> {
  const tables = await tablesOf(client);
  if (!tables.includes('jobs'))
    throw new Refusal('DATABASE_URL names a database without tables: npm run migrate first.');
  for (const table of tables) {
    const { rows } = await client.query(`select from ${client.escapeIdentifier(table)} limit 1`);
    if (rows.length > 0) throw new Refusal(`The database is not empty: ${table} has rows.`);
  }
  const { rows } = await client.query<{ may: boolean }>(
    `select has_parameter_privilege('session_replication_role', 'SET') as may`,
  );
  if (!rows[0]?.may) throw new Refusal('This needs a role that may set session_replication_role, such as a superuser.');
}

/** Fills the tables in one transaction. Resolves to the number of rows. */
async function seed(client: pg.Client, configuration: Configuration, purchases: number): Promise<number> {
  await client.query('begin');
  await writeTerms(client, configuration, purchases);
  await client.query(readFileSync(path.join(import.meta.dirname, 'seed.sql'), 'utf8'));
  await sealContent(client, configuration);
  const { rows: queued } = await client.query<{ job_key: string }>(`select job_key from jobs where state = 'queued'`);
  const tables = await tablesOf(client);
  await client.query('commit');
  const queue = await openQueue(configuration.databaseUrl, 'sender', 'work-check seed');
  await queue.boss.insert(
    'check',
    queued.map(({ job_key }) => ({ data: { job_key }, singletonKey: job_key })),
  );
  await queue.stop();
  let rows = queued.length;
  await count(client);
  for (const table of tables) {
    // A statement of its own: it also updates the planner's statistics.
    await client.query(`vacuum analyze ${client.escapeIdentifier(table)}`);
    const counted = await client.query<{ rows: string }>(
      `select reltuples::bigint as rows from pg_class where oid = $1::regclass`,
      [client.escapeIdentifier(table)],
    );
    rows += Number(counted.rows[0]?.rows ?? 0);
  }
  return rows;
}

/** Counts what happened in each hour, as the worker does. */
async function count(client: pg.Client): Promise<void> {
  await client.query('analyze');
  const { rows } = await client.query<{ until: string }>('select oldest_open_transaction() as until');
  await countBetween(
    queriesOn((statement) => client.query(statement as never)),
    0n,
    BigInt(rows[0]?.until ?? 0),
    new Date(),
  );
}

/** The row of `seed_terms`: what differs between installations. */
async function writeTerms(client: pg.Client, configuration: Configuration, purchases: number): Promise<void> {
  const requests = works.map(requestOn);
  const reports = await Promise.all(
    requests.map((request) =>
      checkWork(request, { assessor: embeddedAssessor, now: new Date(), serviceKey: service.serviceKey }),
    ),
  );
  const bodies = reports.map((report) => JSON.stringify(report));
  const { x402, keyring } = configuration;
  const [request] = requests as [CheckRequest];
  const terms = {
    now: new Date().toISOString(),
    n: purchases,
    buyers: Math.max(4, Math.ceil(purchases / purchasesEach)),
    content: Math.min(contentMax, purchases),
    fresh: Math.max(200, Math.min(freshMax, Math.ceil(purchases / 20))),
    strays: Math.max(2, Math.ceil(purchases / 5_000)),
    price: Number(price),
    service_key: service.serviceKey,
    contract_version: service.contractVersion,
    terms_version: service.termsVersion,
    receipt_version: service.receiptVersion,
    key_id: keyring.first.id,
    networks: x402 && x402.networks.length > 1 ? x402.networks.slice(0, 2) : ['eip155:84532', 'eip155:421614'],
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    pay_to: (x402?.payTo[0] ?? `0x${'5'.repeat(40)}`).toLowerCase(),
    evidence: evidenceManifest(request),
    planned_checks: plannedChecks(request),
    forecast: forecastOf(request, 'rules, and no language model'),
    report_bodies: bodies,
    report_verdicts: reports.map(({ verdict }) => verdict),
    report_digests: reports.map((report) => digestOf(canonicalJson(report))),
    signature: JSON.stringify({ kid: 'seeded', alg: 'EdDSA', jws: 'seeded' }),
  };
  await client.query(
    `create temp table seed_terms (now timestamptz, n bigint, buyers int, content int, fresh int, strays int, price bigint,
       service_key text, contract_version text, terms_version text, receipt_version text, key_id text, networks text[],
       asset text, pay_to text, evidence jsonb, planned_checks jsonb, forecast jsonb,
       report_bodies text[], report_verdicts text[], report_digests text[],
       signature text) on commit drop`,
  );
  await client.query(`insert into seed_terms select (json_populate_record(null::seed_terms, $1)).*`, [
    JSON.stringify(terms),
  ]);
}

function requestOn(work: string): CheckRequest {
  return CheckRequest.parse({
    work_product: work,
    request: 'Say what the invoice is over.',
    criteria: ['States the amount'],
    evidence: [{ source: 'Invoice', text: 'Invoice of 3 May 2026. Total: 120 EUR.' }],
  });
}

/** Content and dispute texts of the newest purchases, and a governed source for each agent's account. */
async function sealContent(client: pg.Client, { keyring }: Configuration): Promise<void> {
  const sealAll = async (keys: string, column: Parameters<typeof seal>[2]['column'], text: string, write: string) => {
    const { rows } = await client.query<{ key: string }>(keys);
    const sealed = rows.map(({ key }) => seal(text, keyring, { column, row: key }));
    await client.query(write, [rows.map(({ key }) => key), sealed]);
  };
  const request = JSON.stringify(requestOn(works[0] ?? ''));
  await sealAll(
    `select quote_key as key from seed_purchases where has_content`,
    'quotes.input',
    request,
    `update quotes set input = sealed, input_deleted_at = null
     from unnest($1::text[], $2::text[]) s (key, sealed) where quote_key = key`,
  );
  await sealAll(
    `select review_key as key from reviews join seed_purchases using (job_key) where decision = 'dispute' and has_content`,
    'dispute_texts.texts',
    JSON.stringify({ detail: 'The citation is of another page.' }),
    `insert into dispute_texts (review_key, texts) select key, sealed from unnest($1::text[], $2::text[]) s (key, sealed)`,
  );
  await sealAll(
    `select 'source_' || substr(md5('source' || nr), 1, 22) as key from seed_buyers where is_agent and nr <= 20000`,
    'sources.text',
    'Amounts are in euros.',
    `insert into sources (source_key, account_key, name, media_type, text, digest, bytes, added_by, added_at)
     select key, account_key, 'Handbook', 'text/plain', sealed, 'sha256:' || encode(sha256('Amounts are in euros.'), 'hex'), 21,
       member_key, joined_at
     from unnest($1::text[], $2::text[]) s (key, sealed)
     join seed_buyers on key = 'source_' || substr(md5('source' || nr), 1, 22)`,
  );
}
