import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../../e2e/support/agent.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { perform } from '../../door/perform.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { daySeconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveDue } from './archive-due.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const sandbox = controlClient(service.sandbox.controlUrl);
const store = runtime.archive as ObjectStore;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;
const afterDays = 90;

/** After this long, everything here is old. */
const oldSeconds = 100 * daySeconds;

let agent: Agent;
beforeEach(async () => {
  agent = await Agent.arrive(service);
});
afterEach(() => sandbox.clearArchiveFaults());

async function delivered(changes: Record<string, unknown> = {}): Promise<string> {
  const jobKey = await agent.paidJob(changes);
  await service.execute(jobKey);
  return jobKey;
}

async function accepted(changes: Record<string, unknown> = {}): Promise<string> {
  const jobKey = await delivered(changes);
  expect((await agent.post(`${jobAt(jobKey)}/review`, { decision: 'accept' })).status).toBe(200);
  return jobKey;
}

/** A run of `npm run archive` at the service's time. */
const archive = (through = store) =>
  archiveDue({ db: runtime.db, archive: through, signer: runtime.receiptSigner, now: runtime.clock(), afterDays });

/** Does `work` when what was bought until now is old, and its content deleted; sessions have ended meanwhile. */
async function whenOld(work: () => Promise<void>): Promise<void> {
  service.advanceClock(oldSeconds);
  try {
    await service.deleteExpired();
    await agent.signIn();
    await work();
  } finally {
    service.advanceClock(-oldSeconds);
    await agent.signIn();
  }
}

/** Deletes a purchase's content, as its customer may. */
async function deleteContent(jobKey: string): Promise<void> {
  const deleted = await (await Member.of(service, agent)).send('DELETE', `${jobAt(jobKey)}/content`);
  expect([deleted.status, deleted.body.deleted_at]).toEqual([200, expect.any(String)]);
}

/** Dates the receipts of these purchases back: nobody can pay while the service's clock is not the chain's. */
async function age(...jobKeys: string[]): Promise<void> {
  await pool.query(`set session_replication_role = replica;
    update receipts set issued_at = issued_at - interval '100 days' where job_key in ('${jobKeys.join("', '")}');
    update job_texts set at = at - interval '100 days' where job_key in ('${jobKeys.join("', '")}');
    set session_replication_role = origin`);
}

/** How many texts of a job are in the database. */
async function textsHere(jobKey: string): Promise<number> {
  const { rows } = await pool.query('select count(*) as here from job_texts where job_key = $1', [jobKey]);
  return Number(rows[0].here);
}

/** Everything that buyers read of a job's texts, but for what depends on the time of day. */
async function readings(jobKey: string, member: Member): Promise<string[]> {
  const answers: Answer[] = [
    ...(await Promise.all(
      ['report', 'report?view=summary', 'receipt', 'receipts'].map((part) => agent.get(`${jobAt(jobKey)}/${part}`)),
    )),
    await agent.get('/api/agent/v1/receipts?limit=1'),
    await member.get(`/api/agent/v1/bookkeeping?job_key=${jobKey}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const books = answers.at(-1)?.body;
  return [
    ...answers.slice(0, -1).map(({ text }) => text),
    JSON.stringify([books.sums, books.receipts[0].receipt, books.receipts[0].verdict]),
  ];
}

describe('an old purchase', () => {
  it('has its texts in the archive, and every door reads them as they were', async () => {
    const jobKey = await accepted();
    const before = await readings(jobKey, await Member.of(service, agent));
    await whenOld(async () => {
      const { jobs, texts } = await archive();
      expect([jobs > 0, texts >= 4]).toEqual([true, true]);
      expect(await textsHere(jobKey)).toBe(0);
      expect(await readings(jobKey, await Member.of(service, agent))).toEqual(before);
      expect(await archive()).toEqual({ jobs: 0, texts: 0, bytes: 0 });
      expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
    });
  });

  it('gets its next receipt after those in the archive, and that one goes there in time, too', async () => {
    const jobKey = await accepted();
    await whenOld(async () => {
      await archive();
      await perform('refund_charge', operatorContext(runtime), { key: jobKey, reason: 'a trial' });
      const { receipts } = (await agent.get(`${jobAt(jobKey)}/receipts`)).body;
      expect(receipts.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
        receipts.map((_: unknown, index: number) => index + 1),
      );
      expect(receipts.at(-1).charge.state).toBe('waived');
      await service.sweep();
      expect(await textsHere(jobKey)).toBeGreaterThan(0);
      await whenOld(async () => {
        await archive();
        expect(await textsHere(jobKey)).toBe(0);
        const chain = (await agent.get(`${jobAt(jobKey)}/receipts`)).body.receipts;
        expect(chain.slice(0, receipts.length)).toEqual(receipts);
      });
    });
  });
});

describe('what stays in the database', () => {
  it('is what is young, what is under review, and what its customer can still delete', async () => {
    const [open, submitted, young, old] = [await delivered(), await accepted(), await accepted(), await accepted()];
    await deleteContent(young);
    await deleteContent(old);
    await age(open, submitted, old);
    await archive();
    expect(await Promise.all([open, submitted, young, old].map(textsHere))).toEqual([3, 4, 4, 0]);
  });

  it('is all that was submitted: the archive never holds any of it', async () => {
    const mark = 'canary-of-the-archive';
    const jobKey = await accepted({ evidence: [`A note about ${mark}.`], request: `Is it about ${mark}?` });
    const { quote_key } = (await agent.job(jobKey)).body;
    await deleteContent(jobKey);
    await whenOld(async () => {
      await archive();
      expect(await textsHere(jobKey)).toBe(0);
      const { rows } = await pool.query(`select encode(digest, 'hex') as hex from archived_jobs where job_key = $1`, [
        jobKey,
      ]);
      const kept = gunzipSync(await store.get(`objects/${rows[0].hex}`)).toString();
      expect(kept).toContain(jobKey);
      expect(kept).not.toContain(`A note about ${mark}`);
      expect((await agent.get(`/api/agent/v1/purchases/${quote_key}`)).status).toBe(200);
    });
  });
});

describe('an archive that does not answer', () => {
  let archived: string;
  let before: string;
  beforeEach(async () => {
    archived = await accepted();
    before = (await agent.get(`${jobAt(archived)}/report`)).text;
  });

  it('is 503 for what lies there, and for nothing else', async () => {
    await deleteContent(archived);
    await age(archived);
    await archive();
    const young = await accepted();
    await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
    for (const part of ['report', 'receipt', 'receipts']) {
      const { status, headers, body } = await agent.get(`${jobAt(archived)}/${part}`);
      expect([status, headers.get('retry-after'), body.code, body.reasons]).toEqual([
        503,
        '30',
        'service_unavailable',
        ['archive_unreachable'],
      ]);
    }
    expect((await agent.job(archived)).status).toBe(200);
    for (const part of ['report', 'receipt', 'receipts'])
      expect((await agent.get(`${jobAt(young)}/${part}`)).status).toBe(200);
    const { receipts, timeline } = (await perform('console_purchase', operatorContext(runtime), { key: archived }))
      .body;
    expect([receipts.map(({ body }) => body), timeline.length > 0]).toEqual([receipts.map(() => null), true]);
    await sandbox.clearArchiveFaults();
    expect((await agent.get(`${jobAt(archived)}/report`)).text).toBe(before);
  });

  it.each(['exchange', 'drop'] as const)('or gives something else (%s) shows nothing of it', async (mode) => {
    await whenOld(async () => {
      await archive();
      await sandbox.archiveFault({ mode, method: 'GET' });
      expect((await agent.get(`${jobAt(archived)}/report`)).status).toBe(503);
      expect((await agent.get(`${jobAt(archived)}/report`)).text).toBe(before);
    });
  });
});

describe('a run', () => {
  /** The bucket for a process that ends at its call number `last`: before it, or right after. */
  function endingAt(last: number, isAfter: boolean): ObjectStore {
    let calls = 0;
    const call = async <T>(ask: () => Promise<T>): Promise<T> => {
      calls += 1;
      if (calls === last && !isAfter) throw new Error('the process ended');
      const answer = await ask();
      if (calls === last) throw new Error('the process ended');
      return answer;
    };
    return { put: (key, bytes) => call(() => store.put(key, bytes)), get: (key) => call(() => store.get(key)) };
  }

  it('that ends anywhere loses nothing, and the next one goes on', async () => {
    const jobKey = await accepted();
    const before = (await agent.get(`${jobAt(jobKey)}/report`)).text;
    const texts = await textsHere(jobKey);
    await whenOld(async () => {
      // The object, its reading, the manifest, its reading.
      for (const last of [1, 2, 3, 4])
        for (const isAfter of [false, true]) {
          await expect(archive(endingAt(last, isAfter))).rejects.toThrow('the process ended');
          expect(await textsHere(jobKey)).toBe(texts);
        }
      await sandbox.archiveFault({ mode: 'exchange', method: 'GET' });
      await expect(archive()).rejects.toThrow('the bucket gives something else than was put');
      await sandbox.archiveFault({ mode: 'refuse_after_keep', method: 'PUT' });
      await expect(archive()).rejects.toThrow('the bucket answers 503');
      expect(await textsHere(jobKey)).toBe(texts);
      expect((await archive()).jobs).toBeGreaterThan(0);
      expect(await textsHere(jobKey)).toBe(0);
      expect((await agent.get(`${jobAt(jobKey)}/report`)).text).toBe(before);
    });
  });

  it('beside another takes each text once', async () => {
    const jobKeys = [await accepted(), await accepted()];
    await whenOld(async () => {
      const runs = await Promise.allSettled([archive(), archive()]);
      expect(runs.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
      for (const jobKey of jobKeys) expect(await textsHere(jobKey)).toBe(0);
      expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
    });
  });
});

describe('npm run archive', { timeout: 120_000 }, () => {
  const commands = path.join(import.meta.dirname, '../../../commands');
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [path.join(commands, 'archive.ts'), ...words], {
      env: { ...process.env, ...service.environment },
    });

  it('says what went, and its check names what is missing', async () => {
    const jobKey = await accepted();
    await deleteContent(jobKey);
    await age(jobKey);
    await sandbox.archiveFault({ mode: 'refuse', method: 'PUT' });
    await expect(run()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^\{.*\}\nThe archive failed: the bucket answers 503 SlowDown to PUT objects\/\w+\. Start this again: nothing is lost\.\n$/,
      ),
    });
    expect((await run()).stdout).toMatch(
      /^\d+ texts of \d+ purchases went to the archive, \d+ bytes; \d+ months have no table of texts any more\.\nThe audit of \d+ months went there, \d+ rows, \d+ bytes\.\nThe books of \d+ months went there, \d+ entries, \d+ bytes\.\n$/,
    );
    expect(await textsHere(jobKey)).toBe(0);
    expect((await run('check')).stdout).toMatch(/^\d+ objects of \d+ manifests are as they were signed\.\n$/);
    const { rows } = await pool.query(`select encode(digest, 'hex') as hex from archived_jobs where job_key = $1`, [
      jobKey,
    ]);
    const lost = `objects/${rows[0].hex}`;
    const object = await store.get(lost);
    const manifest = (await sandbox.archived()).filter((key) => key.startsWith('manifests/')).at(0) ?? '';
    const signed = await store.get(manifest);
    await sandbox.removeArchived(lost);
    await store.put(manifest, Buffer.from('another'));
    const stderr = expect.stringMatching(`What is wrong:\n {2}manifest \\d+: .*\n {2}the object of ${jobKey}: .*404`);
    await expect(run('check')).rejects.toMatchObject({ code: 1, stderr });
    await store.put(lost, object);
    await store.put(manifest, signed);
    expect((await run('check')).stdout).toContain('are as they were signed');
  });
});
