import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { startService } from '../e2e/support/service.ts';
import { startDoor } from '../e2e/support/start-door.ts';
import { openKeyring } from '../server/kernel/keyring.ts';

const service = await startService();
const old = service.environment.SECRET_KEY ?? '';
const next = randomBytes(32).toString('base64url');

const run = (secretKey: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'rotate-keys.ts'), ...words], {
    env: { ...process.env, ...service.environment, SECRET_KEY: secretKey },
  });

it('a rotation by command says what still needs the old key, and ends when told', { timeout: 180_000 }, async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await expect(run(next)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The environment cannot be used:\n {2}SECRET_KEY lacks the key .*\n$/),
  });
  const both = `${next},${old}`;
  expect((await run(both)).stdout).toBe(
    'Sealed 1 texts anew. Still need another key: 0 texts, 1 credentials, 0 registrations.\n' +
      'Keep the other keys on the list, and run this again later.\n',
  );
  expect((await run(both)).stdout).toMatch(/^Sealed 0 texts anew\. /);
  expect((await run(both, 'end')).stdout).toContain(`\nTake off the list: ${openKeyring([old]).first.id}.\n`);
  expect((await run(next)).stdout).toMatch(/\nNo other key is in use\.\n$/);
  const door = await startDoor({ ...service.environment, SECRET_KEY: next });
  const later = agent.at(door.baseUrl);
  expect((await later.job(jobKey)).status).toBe(401);
  await later.signIn();
  expect((await later.get(`/api/agent/v1/jobs/${jobKey}/evidence`)).body.items[0].text).toEqual(expect.any(String));
  await door.stop();
});
