import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { resealAll, stillNeeded } from '../console/reseal.ts';
import { openRuntime } from '../open-runtime.ts';
import type { Runtime } from '../runtime.ts';
import { ConfigurationError } from './configuration-error.ts';
import { openKeyring } from './keyring.ts';
import { requireSecretKeys, retireOthers } from './secret-keys.ts';

const [old, fresh] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
const both = `${fresh},${old}`;
const service = await startService({ SECRET_KEY: both });
const { pool } = service.database;

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
    const start = started(old, async () => {});
    await expect(start).rejects.toThrow(ConfigurationError);
    await expect(start).rejects.toThrow(/^SECRET_KEY lacks the key [0-9a-f]{16}/);
    const { rows } = await pool.query('select count(*)::int from secret_keys');
    expect(rows).toEqual([{ count: 1 }]);
  });
});

describe('a rotation of the key', () => {
  it('moves content by command and credentials by use, and then the old key may go', async () => {
    const before = await service.startDoor({ SECRET_KEY: `${old},${fresh}` });
    const arriving = { baseUrl: before.baseUrl, sandbox: service.sandbox };
    const agent = await Agent.arrive(arriving);
    const jobKey = await agent.paidJob();
    const idle = await Agent.arrive(arriving);
    const later = agent.at(service.baseUrl);
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
    expect((await idle.at(service.baseUrl).get('/api/agent/v1/me')).status).toBe(200);
    expect((await later.get(`/api/agent/v1/jobs/${jobKey}/evidence`)).body.items[0].text).toEqual(expect.any(String));
    await before.stop();
    await started(both, async (runtime) => {
      expect(await needed(runtime)).toEqual({ texts: 0, credentials: 0, registrations: 0 });
      const retire = () => retireOthers(runtime.db, runtime.configuration.keyring, new Date());
      const oldKey = openKeyring([old]).first.id;
      expect(await retire()).toEqual({ retired: [], inFront: [oldKey] });
      await pool.query(`update secret_keys set in_front_at = in_front_at - interval '1 minute' where key_id = $1`, [
        oldKey,
      ]);
      expect(await retire()).toEqual({ retired: [oldKey], inFront: [] });
    });
    await started(fresh, async (runtime) => {
      expect(runtime.configuration.keyring.all).toHaveLength(1);
      await expect(requireSecretKeys(runtime.db, runtime.configuration.keyring)).resolves.toBeUndefined();
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
