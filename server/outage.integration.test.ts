import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresUrl } from '../commands/test-database.ts';
import { Agent, type Client } from '../e2e/support/agent.ts';
import { Member } from '../e2e/support/member.ts';
import { ask, operationNames, wellFormed } from '../e2e/support/requests.ts';
import { startService } from '../e2e/support/service.ts';
import type { Operation } from './operation/operation.ts';
import { operations } from './operations.ts';

/** Checks the invariants after each test, when the database is reachable again. */
const service = await startService({}, { alone: true });
const name = new URL(service.database.url).pathname.slice(1);
const nothing = { quote_key: 'quote_none', job_key: 'job_none', source_key: 'source_none', agent_key: 'agent_none' };

let agent: Agent;
let member: Member;
beforeAll(async () => {
  agent = await Agent.arrive(service);
  member = await Member.of(service, agent);
});
afterEach(() => vi.restoreAllMocks());

/** Runs `work` while the database refuses the service and has closed its connections. */
async function whileDown<T>(work: () => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: postgresUrl() });
  await admin.connect();
  try {
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = $1 and application_name like 'work-check%'`,
      [name],
    );
    return await work();
  } finally {
    await admin.query(`alter database ${name} with allow_connections true`);
    await admin.end();
  }
}

const clientFor = (operation: Operation): Client =>
  operation.audience.includes('agent') || operation.audience.includes('public') ? agent : member;

/** What the process has logged since, by event. */
function logged(): { event: string; level: string; time: string; process: string }[] {
  const write = vi.mocked(process.stderr.write);
  return write.mock.calls
    .map(([line]) => String(line))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

describe('a database that cannot be reached', () => {
  it('is a 503 that says so, for every operation that needs it', async () => {
    const answers = await whileDown(async () => {
      const found: Record<string, unknown> = {};
      for (const each of operationNames) {
        const { status, headers, body } = await ask(clientFor(operations[each]), each, wellFormed[each](nothing));
        found[each] = [status, body.code, body.reasons, headers.has('retry-after')];
      }
      return found;
    });
    const needless = ['discovery', 'service_contract'];
    const down = [503, 'service_unavailable', ['database_unreachable'], true];
    const expected = operationNames.map((each) => [each, needless.includes(each) ? answers[each] : down]);
    expect(answers).toEqual(Object.fromEntries(expected));
    for (const each of needless) expect(answers[each]).toEqual([200, undefined, undefined, false]);
  });

  it('is a reason that the contract names', async () => {
    const { body } = await whileDown(() => agent.get('/api/agent/v1/services/svc_work_check'));
    const { state, reasons, registrations } = body.availability;
    expect([state, reasons, registrations]).toEqual([
      'unavailable',
      ['database_unreachable', 'no_payment_rail_available'],
      { state: 'closed', reasons: ['database_unreachable'] },
    ]);
  });

  it('makes a process unready, and no less alive', async () => {
    const health = async () => {
      const [live, ready] = [await agent.get('/livez'), await agent.get('/readyz')];
      return [live.status, ready.status, ready.body];
    };
    expect(await health()).toEqual([200, 200, { status: 'ready' }]);
    expect(await whileDown(() => new Promise((resolve) => setTimeout(resolve, 600)).then(health))).toEqual([
      200,
      503,
      { status: 'not_ready', reasons: ['database_unreachable'] },
    ]);
  });

  it('is told once, and once more when it is back', async () => {
    await agent.get('/api/agent/v1/me');
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await whileDown(async () => {
      for (let tries = 0; tries < 5; tries += 1) await agent.get('/api/agent/v1/me');
    });
    await expect.poll(() => agent.get('/api/agent/v1/me').then(({ status }) => status)).toBe(200);
    const told = logged().filter(({ event }) => event.startsWith('database_unreachable'));
    expect(told.map(({ event, level }) => [event, level])).toEqual([
      ['database_unreachable', 'error'],
      ['database_unreachable_over', 'info'],
    ]);
    for (const line of told) {
      expect(Number.isNaN(Date.parse(line.time))).toBe(false);
      expect(line.process).toContain(String(process.pid));
    }
  });
});

describe('a row that somebody else holds', () => {
  it.each(['/api/agent/v1/receipts', '/api/agent/v1/jobs', '/api/agent/v1/jobs/job_none/receipts'])(
    'is the same 503 where it is read through models: %s',
    async (list) => {
      const holder = await service.database.pool.connect();
      await holder.query('begin');
      await holder.query('lock table jobs in access exclusive mode');
      const { status, body } = await agent.get(list);
      await holder.query('rollback');
      holder.release();
      expect([status, body.code, body.reasons]).toEqual([503, 'service_unavailable', ['database_busy']]);
    },
  );

  it('is a 503 to who only reads, not a conflict', async () => {
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table quotes in access exclusive mode');
    const { status, body } = await agent.get('/api/agent/v1/purchases/quote_none');
    await holder.query('rollback');
    holder.release();
    expect([status, body.code, body.reasons]).toEqual([503, 'service_unavailable', ['database_busy']]);
  });
});
