import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { startDoor } from '../../e2e/support/start-door.ts';
import { resealAll, stillNeeded } from '../console/reseal.ts';
import { openRuntime } from '../open-runtime.ts';
import type { Runtime } from '../runtime.ts';
import { ConfigurationError } from './configuration-error.ts';
import { requireSecretKeys, retireOthers } from './secret-keys.ts';

const service = await startService();
const { pool } = service.database;
const old = service.environment.SECRET_KEY ?? '';
const fresh = randomBytes(32).toString('base64url');

/** Opens the same as a process that starts with this SECRET_KEY. */
async function started<T>(secretKey: string, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime({ ...service.environment, SECRET_KEY: secretKey }, 'web');
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

const needed = ({ db, configuration }: Runtime) => stillNeeded(db, configuration.keyring, new Date());

describe('a start', () => {
  it('with another key than the database knows is refused, in a sentence that names the key', async () => {
    const start = started(fresh, async () => {});
    await expect(start).rejects.toThrow(ConfigurationError);
    await expect(start).rejects.toThrow(/^SECRET_KEY lacks the key [0-9a-f]{16}/);
    const { rows } = await pool.query('select count(*)::int from secret_keys');
    expect(rows).toEqual([{ count: 1 }]);
  });
});

describe('a rotation of the key', () => {
  it('moves content by command and credentials by use, and then the old key may go', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const idle = await Agent.arrive(service);
    const both = `${fresh},${old}`;
    const door = await startDoor({ ...service.environment, SECRET_KEY: both });
    const later = agent.at(door.baseUrl);
    // Texts sealed under the old key open under the new list.
    expect((await later.get(`/api/agent/v1/jobs/${jobKey}/evidence`)).body.items[0].text).toEqual(expect.any(String));
    const under = async (key: string) =>
      (await pool.query(`select key_id from credentials where principal_key = $1`, [key])).rows;
    const [moved] = await under(agent.wallet.address.toLowerCase());
    const [kept] = await under(idle.wallet.address.toLowerCase());
    expect(moved.key_id).not.toBe(kept.key_id);
    await later.paidJob();
    await started(both, async (runtime) => {
      const { db, configuration } = runtime;
      expect((await needed(runtime)).texts).toBeGreaterThan(0);
      expect(await resealAll(db, configuration.keyring)).toBeGreaterThan(0);
      expect(await needed(runtime)).toMatchObject({ texts: 0, credentials: 1 });
      expect(await resealAll(db, configuration.keyring)).toBe(0);
    });
    // One credential still needs it: a start without it is refused.
    await expect(started(fresh, async () => {})).rejects.toThrow('SECRET_KEY lacks the key');
    expect((await idle.at(door.baseUrl).get('/api/agent/v1/me')).status).toBe(200);
    expect((await later.get(`/api/agent/v1/jobs/${jobKey}/evidence`)).body.items[0].text).toEqual(expect.any(String));
    door.stop();
    await started(both, async (runtime) => {
      expect(await needed(runtime)).toEqual({ texts: 0, credentials: 0, registrations: 0 });
      await retireOthers(runtime.db, runtime.configuration.keyring, new Date());
    });
    await started(fresh, async (runtime) => {
      expect(runtime.configuration.keyring.all).toHaveLength(1);
      await expect(requireSecretKeys(runtime.db, runtime.configuration.keyring, new Date())).resolves.toBeUndefined();
    });
    await expect(started(old, async () => {})).rejects.toThrow('SECRET_KEY lacks the key');
  });

  it('seals a text for its own row: moved to another it does not open', async () => {
    const agent = await Agent.arrive(service);
    const [one, two] = [await agent.paidJob(), await agent.paidJob()];
    await pool.query('alter table quotes disable trigger user');
    await pool.query(
      `update quotes set input = (select input from quotes join jobs using (quote_key) where job_key = $1)
       where quote_key = (select quote_key from jobs where job_key = $2)`,
      [one, two],
    );
    await pool.query('alter table quotes enable trigger user');
    expect((await agent.get(`/api/agent/v1/jobs/${one}/evidence`)).status).toBe(200);
    expect((await agent.get(`/api/agent/v1/jobs/${two}/evidence`)).status).toBe(500);
  });
});
