import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { Member } from '../../../e2e/support/member.ts';
import { tentatively } from '../../../e2e/support/planted.ts';
import { scrape } from '../../../e2e/support/scrape.ts';
import { startService } from '../../../e2e/support/service.ts';
import { startDoor } from '../../../e2e/support/start-door.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { freePort } from '../../../sandbox/ports.ts';
import { perform } from '../../door/perform.ts';
import type { Database } from '../../kernel/database.ts';
import { metrics } from '../../kernel/metrics.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import type { Sql } from '../../kernel/sql.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveDue } from './archive-due.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const sandbox = controlClient(service.sandbox.controlUrl);
const store = runtime.archive as ObjectStore;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;
const receiptList = '/api/agent/v1/receipts';
const books = '/api/agent/v1/bookkeeping';

let agent: Agent;
let member: Member;
beforeEach(async () => {
  agent = await Agent.arrive(service);
  member = await Member.of(service, agent);
});
afterEach(() => sandbox.clearArchiveFaults());

async function accepted(): Promise<string> {
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  expect((await agent.post(`${jobAt(jobKey)}/review`, { decision: 'accept' })).status).toBe(200);
  return jobKey;
}

/** Makes purchases ones that may be archived: their content deleted, their receipts 100 days old. */
async function makeOld(...jobKeys: string[]): Promise<void> {
  for (const jobKey of jobKeys) expect((await member.send('DELETE', `${jobAt(jobKey)}/content`)).status).toBe(200);
  await pool.query(`set session_replication_role = replica;
    update receipts set issued_at = issued_at - interval '100 days' where job_key in ('${jobKeys.join("', '")}');
    update job_texts set at = at - interval '100 days' where job_key in ('${jobKeys.join("', '")}');
    set session_replication_role = origin`);
}

const archive = () =>
  archiveDue({ db: runtime.db, archive: store, signer: runtime.receiptSigner, now: runtime.clock(), afterDays: 90 });

async function archived(): Promise<string> {
  const jobKey = await accepted();
  await makeOld(jobKey);
  await archive();
  return jobKey;
}

async function objectOf(jobKey: string): Promise<string> {
  const { rows } = await pool.query(`select encode(digest, 'hex') as hex from archived_jobs where job_key = $1`, [
    jobKey,
  ]);
  return `objects/${rows[0].hex}`;
}

/** How often this process has read the bucket. */
async function reads(): Promise<number> {
  const { values } = await metrics.archiveCalls.get();
  return values.reduce((sum, { labels, value }) => sum + (labels.call === 'read' ? value : 0), 0);
}

describe('npm start -- --check-config', { timeout: 120_000 }, () => {
  const script = path.join(import.meta.dirname, '../../start.ts');
  const check = (changes: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [script, '--check-config'], {
      env: { ...process.env, ...service.environment, ...changes },
    }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );
  const whole = /^The environment is complete\.\n$/;

  it('asks the bucket whether it takes the key, before anything is there and after', async () => {
    expect(await check()).toMatch(whole);
    await archived();
    expect(await check()).toMatch(whole);
  });

  it.each([
    ['another secret', () => ({ ARCHIVE_SECRET_ACCESS_KEY: 'another' }), /ARCHIVE_URL is refused: .*403 Signature\w+/],
    [
      'an unknown key',
      () => ({ ARCHIVE_ACCESS_KEY_ID: 'another' }),
      /ARCHIVE_URL is refused: .*403 InvalidAccessKeyId/,
    ],
    ['no bucket', () => ({ ARCHIVE_URL: `${service.sandbox.archive.url}s` }), /ARCHIVE_URL is refused: .*NoSuchBucket/],
  ])('is wrong with %s, in a sentence', async (_, changes, sentence) => {
    const said = await check(changes());
    expect(said).toMatch(/The environment cannot be used:\n/);
    expect(said).toMatch(sentence);
  });

  it('is wrong for a bucket that lacks the newest manifest, or has another in its place', async () => {
    await archived();
    const newest =
      (await sandbox.archived())
        .filter((key) => key.startsWith('manifests/'))
        .toSorted()
        .at(-1) ?? '';
    const signed = await store.get(newest);
    await store.put(newest, Buffer.from('another'));
    expect(await check()).toContain('ARCHIVE_URL leads to a bucket whose newest manifest is another one');
    await sandbox.removeArchived(newest);
    expect(await check()).toContain('ARCHIVE_URL leads to a bucket that lacks the newest manifest');
    await store.put(newest, signed);
  });

  it('is wrong without a bucket once texts lie in one; a process without it says so once and serves the rest', async () => {
    const without = { ARCHIVE_URL: '', ARCHIVE_ACCESS_KEY_ID: '', ARCHIVE_SECRET_ACCESS_KEY: '' };
    const [old, young] = [await archived(), await accepted()];
    const sentence = 'ARCHIVE_URL is missing: reports and receipts of old purchases lie in its bucket';
    expect(await check(without)).toContain(`The environment cannot be used:\n  ${sentence}\n`);
    const door = await service.startDoor(without);
    const there = agent.at(door.baseUrl);
    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await there.get(`${jobAt(old)}/report`);
      expect([status, body.reasons]).toEqual([503, ['archive_unreachable']]);
      expect((await there.get(`${jobAt(young)}/report`)).status).toBe(200);
    }
    expect(door.log().split(sentence)).toHaveLength(2);
  });

  it('says that the bucket is not there now, which stops no start', async () => {
    expect(await check({ ARCHIVE_URL: 'http://127.0.0.1:9/archive' })).toMatch(
      /^The environment is complete\.\nNot there now:\n {2}ARCHIVE_URL cannot be reached\n$/,
    );
    await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
    expect(await check()).toMatch(/Not there now:\n {2}ARCHIVE_URL: the bucket answers 503 SlowDown/);
  });
});

describe('a list', () => {
  it('says in its row what lies in an archive that does not answer, and shows everything else', async () => {
    const [old, young] = [await archived(), await accepted()];
    const before = (await agent.get(books)).body;
    const rows = (await agent.get(receiptList)).body.receipts;
    await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
    const list = await agent.get(receiptList);
    expect(list.status).toBe(200);
    const rowOf = (of: { job_key: string }[], jobKey: string) => of.find(({ job_key }) => job_key === jobKey);
    const { receipt_key, sequence } = rowOf(rows, old) as Record<string, unknown>;
    expect(rowOf(list.body.receipts, old)).toEqual({
      job_key: old,
      receipt_key,
      sequence,
      issued_at: expect.any(String),
      unreachable: 'archive_unreachable',
    });
    expect(rowOf(list.body.receipts, young)).toEqual(rowOf(rows, young));

    const now = await agent.get(books);
    expect([now.status, now.body.sums]).toEqual([200, before.sums]);
    expect(rowOf(now.body.receipts, old)).toEqual({
      ...rowOf(before.receipts, old),
      receipt: null,
      left_out: 'archive_unreachable',
    });
    expect(rowOf(now.body.receipts, young)).toEqual(rowOf(before.receipts, young));
  });

  it.each([receiptList, books])('(%s) reads few objects a page, and shows all rows on several', async (list) => {
    const jobKeys: string[] = [];
    for (let count = 0; count < 9; count += 1) jobKeys.push(await accepted());
    await makeOld(...jobKeys);
    await archive();
    jobKeys.push(await accepted());
    const seen: { job_key: string }[] = [];
    for (let at: string | null = ''; at !== null; ) {
      const before = await reads();
      const { body, headers } = await agent.get(`${list}?limit=100${at && `&after=${at}`}`);
      expect((await reads()) - before).toBeLessThanOrEqual(8);
      seen.push(...body.receipts);
      at = body.next_after;
      if (at) expect(headers.get('link')).toContain('limit=100');
    }
    expect(seen.map(({ job_key }) => job_key)).toEqual(jobKeys.toReversed());
    expect(JSON.stringify(seen)).not.toContain('archive_unreachable');
  });

  it('of figures reads no object, and has the figures of the signed receipts', async () => {
    await archived();
    const disputed = await agent.paidJob();
    await service.execute(disputed);
    const dispute = { decision: 'dispute', reason: 'report_incomplete' };
    expect((await agent.post(`${jobAt(disputed)}/review`, dispute)).status).toBe(200);
    for (const name of ['refunded', 'sent back'] as const) {
      const jobKey = await accepted();
      await perform('refund_charge', operatorContext(runtime), { key: jobKey, reason: 'a trial' });
      if (name === 'sent back') await service.sweep();
    }
    const { receipts } = (await agent.get(`${books}?limit=100`)).body;
    const before = await reads();
    const figures = await agent.get(`${books}?view=figures&limit=100`);
    expect(await reads()).toBe(before);
    expect(figures.body.receipts.length).toBe(receipts.length);
    for (const [index, { receipt, ...row }] of receipts.entries()) {
      expect(figures.body.receipts[index]).toEqual({ ...row, receipt: null, left_out: 'not_asked' });
      expect(row).toMatchObject({
        receipt_key: receipt.receipt_key,
        collected_at: receipt.collection.collected_at,
        amount_microcents: receipt.collection.amount_microcents,
        rail: receipt.collection.rail,
        reference: receipt.collection.reference,
        charge_state: receipt.charge.state,
        charged_microcents: receipt.charge.amount_microcents,
        remedy_kind: receipt.remedy.kind,
        given_back_microcents: receipt.remedy.amount_microcents,
      });
    }
    const kinds = new Set(receipts.map(({ remedy_kind }: { remedy_kind: string }) => remedy_kind));
    expect(kinds).toEqual(new Set(['none', 'correction', 'refund']));
  });
});

describe('the figures of the archive', { timeout: 120_000 }, () => {
  it('tell what is there, what waits for it and for how long, and how its reads end', async () => {
    const lost = await archived();
    const waits = await accepted();
    await makeOld(waits);
    const port = await freePort();
    const door = await startDoor({ ...service.environment, METRICS_PORT: String(port) });
    const at = agent.at(door.baseUrl);
    await at.get(`${jobAt(lost)}/report`);
    const object = await store.get(await objectOf(lost));
    await sandbox.removeArchived(await objectOf(lost));
    expect((await at.get(`${jobAt(lost)}/report`)).status).toBe(503);
    await store.put(await objectOf(lost), object);
    await sandbox.archiveFault({ mode: 'drop', times: 1 });
    expect((await at.get(`${jobAt(lost)}/report`)).status).toBe(503);
    const read = await scrape(port);
    const { rows } = await pool.query('select count(*)::int as objects from archived_jobs');
    expect(read.value('work_check_archived_objects')).toBe(rows[0].objects);
    expect(read.value('work_check_archive_written_seconds')).toBeGreaterThanOrEqual(0);
    // It could go since its content was deleted, just now, however old it is.
    expect(read.value('work_check_archive_waits_seconds')).toBeGreaterThan(0);
    expect(read.value('work_check_archive_waits_seconds')).toBeLessThan(600);
    const results = ['answered', 'failed', 'damaged'].map((result) =>
      read.value('work_check_archive_calls_total', { call: 'read', result }),
    );
    expect(results).toEqual([1, 2, 1]);
    expect(read.value('work_check_archive_last_success_timestamp_seconds', { call: 'read' })).toBeGreaterThan(1e9);
    await archive();
    expect((await scrape(port)).value('work_check_archive_waits_seconds')).toBe(0);
    await door.stop();
  });
});

describe('the check of the archive', () => {
  /** What it says of a database that somebody has changed. */
  const saidOf = (change: string) =>
    tentatively(pool, async (client) => {
      await client.query('set local session_replication_role = replica');
      await client.query(change);
      const db = {
        one: async ({ text, values }: Sql) => (await client.query(text, [...values])).rows[0],
        many: async ({ text, values }: Sql) => (await client.query(text, [...values])).rows,
        maybe: async ({ text, values }: Sql) => (await client.query(text, [...values])).rows[0],
      } as unknown as Database;
      return (await checkArchive(db, store)).faults;
    });

  it('names a hole in the chain of manifests, wherever it is', async () => {
    for (let made = 0; made < 3; made += 1) await archived();
    const { rows } = await pool.query('select max(number) as last from archive_manifests');
    const { last } = rows[0];
    expect(await saidOf('select 1')).toEqual([]);
    const hole = await saidOf(`delete from archived_jobs where manifest = ${last - 1};
      delete from archive_manifests where number = ${last - 1}`);
    expect(hole[0]).toBe(`manifest ${last}: it does not follow the one before it`);
    expect(hole[1]).toMatch(/^the texts of job_\w+: \d left the database, 0 are archived$/);
  });

  it('names a text that is nowhere: a later manifest that is lost, or one that was deleted', async () => {
    const [lost, young] = [await archived(), await accepted()];
    const { rows } = await pool.query('select max(number) as last from archive_manifests');
    const forgotten = await saidOf(`delete from archived_jobs where manifest = ${rows[0].last};
      delete from archive_manifests where number = ${rows[0].last}`);
    expect(forgotten).toEqual([`the texts of ${lost}: 4 left the database, 0 are archived`]);
    expect(await saidOf(`delete from job_texts where kind = 'reports' and job_key = '${young}'`)).toEqual([
      `the texts of ${young}: 1 left the database, 0 are archived`,
    ]);
  });
});

describe('a purchase whose texts lie in several objects', () => {
  it('is read as far as they are there: its newest receipt needs no older one', async () => {
    const jobKey = await archived();
    const first = await objectOf(jobKey);
    await perform('refund_charge', operatorContext(runtime), { key: jobKey, reason: 'a trial' });
    await service.sweep();
    await pool.query(`set session_replication_role = replica;
      update receipts set issued_at = issued_at - interval '100 days' where job_key = '${jobKey}';
      update job_texts set at = at - interval '100 days' where job_key = '${jobKey}';
      set session_replication_role = origin`);
    const before = (await agent.get(`${jobAt(jobKey)}/receipt`)).text;
    await archive();
    const object = await store.get(first);
    await sandbox.removeArchived(first);
    expect((await agent.get(`${jobAt(jobKey)}/receipt`)).text).toBe(before);
    expect((await agent.get(`${jobAt(jobKey)}/receipts`)).status).toBe(503);
    await store.put(first, object);
    expect((await agent.get(`${jobAt(jobKey)}/receipts`)).status).toBe(200);
  });
});
