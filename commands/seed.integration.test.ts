import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { brokenInvariants } from '../e2e/support/invariants.ts';
import { startService } from '../e2e/support/service.ts';
import { type JobState, jobStates } from '../server/purchases/states.ts';

// The sandbox's chains know none of the seeded transfers.
const service = await startService({}, { checked: false });
const { pool } = service.database;

const run = (words: string[], changes: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'seed.ts'), ...words], {
    env: { ...process.env, ...service.environment, ...changes },
  });

describe('npm run seed', { timeout: 120_000 }, () => {
  it('makes nothing up where real money is taken', async () => {
    const live = {
      ENVIRONMENT: 'live',
      BASE_URL: 'https://work-check.example',
      X402_FACILITATOR_URL: 'https://facilitator.example',
      X402_NETWORKS: 'eip155:8453',
      X402_RPC_URLS: '8453=https://base.example',
      SMTP_URL: 'smtps://mail.example',
      ARCHIVE_URL: 'https://bucket.example/archive',
      X402_PAY_TO: `0x${'1'.repeat(39)}2`,
      X402_REFUND_KEY: '',
      TRUSTED_PROXIES: '1',
      OPERATOR_NAME: 'Acme',
      OPERATOR_EMAIL: 'owner@acme.example',
    };
    await expect(run(['300'], live)).rejects.toMatchObject({ stderr: expect.stringContaining('ENVIRONMENT is live') });
    expect((await pool.query('select from jobs')).rowCount).toBe(0);
  });

  it('fills every table with books that balance and invariants that hold', async () => {
    const { stdout } = await run(['2000']);
    expect(stdout).toMatch(/^2,000 purchases, [\d,]+ rows in [\d.]+ s: [\d,]+ rows a second\.\n$/);
    expect(await brokenInvariants(pool)).toEqual([]);
    const schema = readFileSync(path.resolve(import.meta.dirname, '../prisma/schema.prisma'), 'utf8');
    const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name = '']) => name);
    // A seeded service runs only once a role is granted, no worker seals its audit, and nobody is to be written to.
    const unseeded =
      'operators operator_acts operator_views finding_labels audit_seals due_letters approvals invitations webhook_endpoints archive_manifests archived_jobs archived_audit archived_ledger archived_credit ledger_left audit_ends receipt_number_gaps worker_presence card_accounts'.split(
        ' ',
      );
    const empty: string[] = [];
    for (const table of tables) {
      if ((await pool.query(`select from ${table} limit 1`)).rowCount === 0) empty.push(table);
    }
    expect(empty.filter((table) => !unseeded.includes(table))).toEqual([]);
    const { rows: quotes } = await pool.query('select count(*)::int as count from quotes');
    expect(quotes[0].count).toBe(2_000);
    const { rows: states } = await pool.query<{ state: JobState }>('select distinct state from jobs');
    expect(states.map(({ state }) => state).toSorted()).toEqual(jobStates.toSorted());
  });

  it('leaves no reference that leads nowhere', async () => {
    const { rows } = await pool.query<{ from: string; to: string; pairs: [string, string][] }>(`
      select conrelid::regclass::text as from, confrelid::regclass::text as to, (
        select json_agg(json_build_array(a.attname, b.attname)) from unnest(conkey, confkey) k (own, other)
        join pg_attribute a on a.attrelid = conrelid and a.attnum = own
        join pg_attribute b on b.attrelid = confrelid and b.attnum = other) as pairs
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
    expect(rows.length).toBeGreaterThan(20);
    for (const { from, to, pairs } of rows) {
      const dangling = await pool.query(`
        select from ${from} f where ${pairs.map(([own]) => `f."${own}" is not null`).join(' and ')}
        and not exists (select from ${to} t where ${pairs.map(([own, other]) => `t."${other}" = f."${own}"`).join(' and ')})
        limit 1`);
      expect(dangling.rowCount, `${from} -> ${to}`).toBe(0);
    }
  });

  it('refuses a database that is not empty', async () => {
    await expect(run(['300'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database is not empty: \w+ has rows\.\n$/),
    });
  });
});
