import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { startService } from '../e2e/support/service.ts';
import { openKeyring } from '../server/kernel/keyring.ts';

const [old, next] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
const both = `${next},${old}`;
const service = await startService({ SECRET_KEY: both });
const oldKey = openKeyring([old]).first.id;

const run = (secretKey: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'rotate-keys.ts'), ...words], {
    env: { ...process.env, ...service.environment, SECRET_KEY: secretKey },
  });

/** Lets the time pass in which a process that has stopped might still be there. */
const aMinutePasses = () =>
  service.database.pool.query(
    `update secret_keys set in_front_at = in_front_at - interval '1 minute'
    where key_id = $1`,
    [oldKey],
  );

it('a rotation by command says what still needs the old key, and ends when told', { timeout: 180_000 }, async () => {
  const before = await service.startDoor({ SECRET_KEY: `${old},${next}` });
  const agent = (await Agent.arrive(service)).at(before.baseUrl);
  await agent.signIn();
  const jobKey = await agent.paidJob();
  await before.stop();
  await aMinutePasses();
  await expect(run(randomBytes(32).toString('base64url'))).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The environment cannot be used:\n {2}SECRET_KEY lacks the key .*\n$/),
  });
  expect((await run(both)).stdout).toBe(
    'Sealed 1 texts anew. Still need another key: 0 texts, 1 credentials, 0 registrations.\n' +
      'Keep the other keys on the list, and run this again later.\n',
  );
  expect((await run(both)).stdout).toMatch(/^Sealed 0 texts anew\. /);
  expect((await run(both, 'end')).stdout).toContain(`\nTake off the list: ${oldKey}.\n`);
  expect((await run(next)).stdout).toMatch(/\nNo other key is in use\.\n$/);
  const later = agent.at((await service.startDoor({ SECRET_KEY: next })).baseUrl);
  expect((await later.job(jobKey)).status).toBe(401);
  await later.signIn();
  expect((await later.get(`/api/agent/v1/jobs/${jobKey}/evidence`)).body.items[0].text).toEqual(expect.any(String));
});

it('no credential ends while a process still issues under the old key', { timeout: 180_000 }, async () => {
  const late = await service.startDoor({ SECRET_KEY: `${old},${next}` });
  const agent = (await Agent.arrive(service)).at(late.baseUrl);
  await agent.signIn();
  const refused = await run(both, 'end').catch((error) => error);
  expect(refused).toMatchObject({
    code: 1,
    stderr: `A process still has ${oldKey} in front of its list: what it issues would end. Start each anew with ${openKeyring([next]).first.id} in front, and run this again a minute later. Nothing has ended.\n`,
  });
  await late.stop();
  await aMinutePasses();
  expect((await agent.at(service.baseUrl).get('/api/agent/v1/me')).status).toBe(200);
  expect((await run(both, 'end')).stdout).toContain(`\nTake off the list: ${oldKey}.\n`);
  const door = await service.startDoor({ SECRET_KEY: next });
  expect((await agent.at(door.baseUrl).get('/api/agent/v1/me')).status).toBe(200);
});

it('a key that is ended while a process hangs is needed again once it goes on', { timeout: 180_000 }, async () => {
  const { pool } = service.database;
  const late = await service.startDoor({ SECRET_KEY: `${old},${next}` });
  await pool.query('update secret_keys set retired_at = now() where key_id = $1', [oldKey]);
  const agent = (await Agent.arrive(service)).at(late.baseUrl);
  await agent.signIn();
  const isNeeded = async () =>
    (await pool.query('select 1 from secret_keys where key_id = $1 and retired_at is null', [oldKey])).rowCount;
  await expect.poll(isNeeded, { timeout: 30_000 }).toBe(1);
  await expect(run(next)).rejects.toMatchObject({ stderr: expect.stringContaining(`lacks the key ${oldKey}`) });
  expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
});
