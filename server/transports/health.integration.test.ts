import pg from 'pg';
import { expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { lookAround } from '../environment-faults.ts';

const service = await startService({ STOP_DELAY_SECONDS: '4' });
const { pool } = service.database;

/** A process looks at its database anew after half a second. */
const patience = { timeout: 10_000 };

async function readinessAt(baseUrl: string) {
  const [live, ready] = await Promise.all(['/livez', '/readyz'].map((path) => fetch(`${baseUrl}${path}`)));
  return {
    live: live?.status,
    ready: ready?.status,
    said: await ready?.json(),
    connection: ready?.headers.get('connection'),
  };
}

const readiness = () => readinessAt(service.baseUrl);
const availability = async () => {
  const contract = await fetch(`${service.baseUrl}/api/agent/v1/services/svc_work_check`);
  return (await contract.json()).availability;
};
const missing = (reason: string) => ({ live: 200, ready: 503, said: { status: 'not_ready', reasons: [reason] } });
const ready = { live: 200, ready: 200, said: { status: 'ready' } };

it('a process whose migrations have not all been applied is alive and not ready', async () => {
  const { rows } = await pool.query(
    'select max(migration_name) as last, max(finished_at) as at from _prisma_migrations',
  );
  const [{ last, at }] = rows;
  await pool.query('update _prisma_migrations set finished_at = null where migration_name = $1', [last]);
  await expect.poll(readiness, patience).toMatchObject(missing('migrations_missing'));
  await pool.query('update _prisma_migrations set finished_at = $2 where migration_name = $1', [last, at]);
  await expect.poll(readiness, patience).toMatchObject(ready);
});

it('a process whose database answers and takes no writes is not ready and sells nothing, and another waits for it', async () => {
  const { DATABASE_URL: url = '' } = service.environment;
  const name = new URL(url).pathname.slice(1);
  // As after a failover to the wrong server, or where a provider closes a database whose disk fills.
  const set = async (change: string) => {
    const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
    await client.connect();
    await client.query(`alter database ${name} ${change}`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like 'work-check%'`,
      [name],
    );
    await client.end();
  };
  await set('set default_transaction_read_only = on');
  await expect.poll(readiness, patience).toMatchObject(missing('database_unreachable'));
  await expect.poll(availability, patience).toMatchObject({
    state: 'unavailable',
    reasons: ['database_unreachable', 'no_payment_rail_available'],
    registrations: { state: 'closed', reasons: ['database_unreachable'] },
  });
  const { wrong, absent } = await lookAround(service.runtime.configuration);
  expect([wrong, absent]).toEqual([
    [],
    [{ isDatabase: true, sentence: expect.stringMatching(/^DATABASE_URL leads to a server that takes no writes/) }],
  ]);
  await set('reset default_transaction_read_only');
  await expect.poll(readiness, patience).toMatchObject(ready);
  await expect.poll(availability, patience).toMatchObject({ state: 'available', registrations: { state: 'open' } });
});

it('a process whose receipts nobody could verify is alive and not ready', async () => {
  // Only a restore of another database takes a key away: the triggers let nobody.
  const { rows } = await pool.query('select to_jsonb(receipt_keys) as key from receipt_keys');
  await pool.query('alter table receipt_keys disable trigger user');
  await pool.query('delete from receipt_keys');
  await expect.poll(readiness, patience).toMatchObject(missing('receipt_keys_missing'));
  for (const { key } of rows) {
    await pool.query('insert into receipt_keys select * from jsonb_populate_record(null::receipt_keys, $1)', [key]);
  }
  await pool.query('alter table receipt_keys enable trigger user');
  await expect.poll(readiness, patience).toMatchObject(ready);
});

it('a process that is told to stop says so, answers who waits early, closes their connections, and ends', async () => {
  const door = await service.startDoor();
  const agent = (await Agent.arrive(service)).at(door.baseUrl);
  const jobKey = await agent.authorizedJob();
  const { headers } = await agent.job(jobKey);
  const waiting = agent.job(jobKey, { prefer: 'wait=25', 'if-none-match': headers.get('etag') ?? '' });
  const ended = door.stop();
  await expect
    .poll(() => readinessAt(door.baseUrl), { timeout: 4_000, interval: 20 })
    .toMatchObject({ ...missing('stopping'), connection: 'close' });
  const asked = await agent.get('/api/agent/v1/me');
  expect([asked.status, asked.headers.get('connection')]).toEqual([200, 'close']);
  expect((await waiting).status).toBe(304);
  await ended;
  await expect(agent.get('/api/agent/v1/me')).rejects.toThrow();
});
