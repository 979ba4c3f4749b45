import { beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { isIntegrityViolation } from '../../kernel/database.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { archiveDue } from './archive-due.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const store = runtime.archive as ObjectStore;
const sandbox = controlClient(service.sandbox.controlUrl);
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;

let agent: Agent;
beforeEach(async () => {
  agent = await Agent.arrive(service);
});

/** A purchase that may be archived: accepted, its content deleted, its receipts 100 days old. */
async function oldPurchase(): Promise<string> {
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  expect((await agent.post(`${jobAt(jobKey)}/review`, { decision: 'accept' })).status).toBe(200);
  expect((await (await Member.of(service, agent)).send('DELETE', `${jobAt(jobKey)}/content`)).status).toBe(200);
  await pool.query(`set session_replication_role = replica;
    update receipts set issued_at = issued_at - interval '100 days' where job_key = '${jobKey}';
    update job_texts set at = at - interval '100 days' where job_key = '${jobKey}';
    set session_replication_role = origin`);
  return jobKey;
}

const archive = (through = store) =>
  archiveDue({ db: runtime.db, archive: through, signer: runtime.receiptSigner, now: runtime.clock(), afterDays: 90 });

const manifests = async () => (await sandbox.archived()).filter((key) => key.startsWith('manifests/')).length;

async function textsHere(): Promise<number> {
  const { rows } = await pool.query('select count(*) as here from job_texts');
  return Number(rows[0].here);
}

/** The bucket for a run that another one overtakes, from first to last, at the call to `at`. */
function overtaken(at: 'put' | 'get', prefix: string): ObjectStore {
  let isLeft = true;
  const overtake = async (call: string, key: string) => {
    if (!isLeft || call !== at || !key.startsWith(prefix)) return;
    isLeft = false;
    await archive();
  };
  return {
    async put(key, bytes) {
      await overtake('put', key);
      await store.put(key, bytes);
    },
    async get(key) {
      await overtake('get', key);
      return store.get(key);
    },
  };
}

describe('a run that another one overtakes', () => {
  it.each([
    ['before it puts an object', 'put', 'objects/'],
    ['while it reads an object back, before it looks for the last manifest', 'get', 'objects/'],
    ['before it puts its manifest', 'put', 'manifests/'],
    ['while it reads its manifest back', 'get', 'manifests/'],
  ] as const)('%s changes nothing, and says so', async (_, at, prefix) => {
    const jobKey = await oldPurchase();
    const before = (await agent.get(`${jobAt(jobKey)}/report`)).text;
    const refused = await archive(overtaken(at, prefix)).then(
      () => null,
      (error: unknown) => error,
    );
    expect(isIntegrityViolation(refused)).toBe(true);
    expect(await textsHere()).toBe(0);
    expect((await agent.get(`${jobAt(jobKey)}/report`)).text).toBe(before);
    const { faults } = await checkArchive(runtime.db, store);
    expect(faults).toEqual([]);
    await oldPurchase();
    expect((await archive()).jobs).toBe(1);
    expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
  });
});

describe('a database restored to before a run, beside the bucket as it is', () => {
  it('reads its texts from its rows, puts them there again, and the check finds nothing wrong', async () => {
    const jobKey = await oldPurchase();
    const before = (await agent.get(`${jobAt(jobKey)}/receipts`)).text;
    const restore = await service.backup();
    await archive();
    const newer = await manifests();
    await restore();
    expect(await textsHere()).toBeGreaterThan(0);
    expect((await agent.get(`${jobAt(jobKey)}/receipts`)).text).toBe(before);
    expect((await archive()).jobs).toBe(1);
    expect(await textsHere()).toBe(0);
    expect(await manifests()).toBeGreaterThan(newer);
    expect((await agent.get(`${jobAt(jobKey)}/receipts`)).text).toBe(before);
    expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
  });
});
