import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresUrl } from '../../commands/test-database.ts';
import { Agent } from '../../e2e/support/agent.ts';
import { Member } from '../../e2e/support/member.ts';
import { startReplica } from '../../e2e/support/replica.ts';
import { ask, operationNames, wellFormed } from '../../e2e/support/requests.ts';
import { startService } from '../../e2e/support/service.ts';
import { type Database, openDatabase } from '../kernel/database.ts';
import { metrics } from '../kernel/metrics.ts';
import { ReplicaWatch } from '../kernel/postgres/replica.ts';
import { sql } from '../kernel/sql.ts';
import { openRuntime } from '../open-runtime.ts';
import type { Operation } from '../operation/operation.ts';
import { allOperations, operations } from '../operations.ts';
import type { Runtime } from '../runtime.ts';
import { operatorContext } from '../transports/context.ts';
import { perform } from './perform.ts';

/** A real streaming replica, copied from the server that the service's database is on. */
const server = await startReplica(postgresUrl());
const servers = [server];
const service = await startService({}, { alone: true });

let runtime: Runtime;
let agent: Agent;
let member: Member;
let about: { quote_key: string; job_key: string; agent_key: string; source_key: string };

beforeAll(async () => {
  runtime = await openRuntime(
    { ...service.environment, DATABASE_READ_URL: at(server.port), DATABASE_READ_LAG_SECONDS: '2' },
    'web',
  );
  // What the service of this file answers with, too.
  Object.assign(service.runtime, { replica: runtime.replica });
  agent = await Agent.arrive(service);
  member = await Member.of(service, agent);
  const job_key = await agent.paidJob();
  await service.execute(job_key);
  const { quote_key } = (await agent.job(job_key)).body;
  const [{ agent_key } = { agent_key: '' }] = (await member.get('/api/agent/v1/agents')).body.agents;
  about = { quote_key, job_key, agent_key, source_key: 'source_none' };
});
afterAll(async () => {
  Object.assign(service.runtime, { replica: null });
  await runtime.close();
  for (const one of servers) await one.remove();
});

/** The service's database on another server. */
function at(port: number): string {
  const url = new URL(service.database.url);
  url.port = String(port);
  return url.href;
}

/** Where the log of a server that takes writes ends. */
const endOf = async (db: Database): Promise<string> =>
  (await db.one<{ lsn: string }>(sql`select pg_current_wal_flush_lsn()::text as lsn`)).lsn;

/** How many reads the replica has answered, and how many the primary in its place. */
async function answered(): Promise<{ replica: number; primary: number }> {
  const { values } = await metrics.reads.get();
  const of = (name: string) => values.find(({ labels }) => labels.server === name)?.value ?? 0;
  return { replica: of('replica'), primary: of('primary') };
}

/** Who answered what `work` read. */
async function answeredDuring<T>(work: () => Promise<T>): Promise<[T, { replica: number; primary: number }]> {
  const before = await answered();
  const result = await work();
  const after = await answered();
  return [result, { replica: after.replica - before.replica, primary: after.primary - before.primary }];
}

const lag = () => runtime.replica?.watch.lagSeconds() ?? 0;
const isUsed = () => expect.poll(() => runtime.replica?.watch.isCurrent(), { timeout: 20_000 }).toBe(true);
const isNotUsed = () => expect.poll(() => runtime.replica?.watch.isCurrent(), { timeout: 20_000 }).toBe(false);
const newestQuote = async (): Promise<string> =>
  (await agent.get('/api/agent/v1/purchases?limit=1')).body.purchases[0].quote_key;

/** Makes quotes, and expects each at once in the list. */
async function seesItsOwn(): Promise<void> {
  for (let made = 0; made < 3; made += 1) expect(await newestQuote()).not.toBe(undefined);
  for (let made = 0; made < 5; made += 1) {
    const { quote_key } = (await agent.quote()).body;
    expect(await newestQuote()).toBe(quote_key);
  }
}

const ofReplica = (all: Readonly<Record<string, Operation>>) =>
  Object.values(all)
    .filter(({ readsReplica }) => readsReplica)
    .map(({ name }) => name);

describe('a replica for reading', () => {
  it('is for lists, statistics and documents alone: nothing that decides about money, sessions or roles', () => {
    expect(ofReplica(allOperations)).toEqual([
      ...['agent_history', 'report', 'evidence', 'receipt', 'receipt_chain'],
      ...['purchases', 'jobs', 'bought', 'receipts', 'bookkeeping'],
      ...['console_me', 'console_overview', 'console_money', 'console_purchases', 'console_search', 'console_acts'],
      ...['verify_acts', 'console_customers', 'console_disputes', 'console_failures', 'console_accounts'],
      ...['console_ledger', 'console_entries', 'console_webhooks', 'console_quality', 'console_views'],
    ]);
    const all: Operation[] = Object.values(allOperations);
    for (const { effect, waits } of all.filter(({ readsReplica }) => readsReplica)) {
      expect([effect, waits]).toEqual(['read', undefined]);
    }
  });

  it('answers all of these, and the primary none of them', async () => {
    await isUsed();
    const ofCustomers = operationNames.filter((name) => (operations[name] as Operation).readsReplica);
    const [, byCustomers] = await answeredDuring(async () => {
      for (const name of ofCustomers) {
        const client = (operations[name] as Operation).audience.includes('agent') ? agent : member;
        expect([name, (await ask(client, name, wellFormed[name](about))).status]).toEqual([name, 200]);
      }
    });
    expect(byCustomers).toEqual({ replica: ofCustomers.length, primary: 0 });
    const inputs: Record<string, object> = {
      console_search: { q: about.job_key },
      console_customers: { account_key: member.accountKey },
    };
    const ofOperators = ofReplica(allOperations).filter((name) => !(name in operations));
    const [, byOperators] = await answeredDuring(async () => {
      for (const name of ofOperators) {
        await perform(name as 'console_me', operatorContext(service.runtime), inputs[name] ?? {});
      }
    });
    expect(byOperators).toEqual({ replica: ofOperators.length, primary: 0 });
  });

  it('shows whoever wrote something what they wrote', async () => {
    const [, by] = await answeredDuring(seesItsOwn);
    expect(by.replica).toBeGreaterThan(0);
  });

  it('is left alone while it lags, and used again once it has caught up', async () => {
    await server.pause();
    await agent.quote();
    await isNotUsed();
    const [, by] = await answeredDuring(seesItsOwn);
    expect(by).toEqual({ replica: 0, primary: 8 });
    await expect.poll(lag, { timeout: 20_000 }).toBeGreaterThan(1);
    await server.resume();
    await expect.poll(lag, { timeout: 20_000 }).toBeLessThan(1);
    await isUsed();
    expect((await answeredDuring(seesItsOwn))[1].replica).toBeGreaterThan(0);
  });

  it('may be away: the primary answers, also what the replica was asked when it went', async () => {
    await isUsed();
    await server.stop();
    vi.spyOn(ReplicaWatch.prototype, 'isCurrent').mockResolvedValueOnce(true);
    const [, by] = await answeredDuring(seesItsOwn);
    expect(by).toEqual({ replica: 0, primary: 8 });
    await server.start();
    await isUsed();
    expect((await answeredDuring(seesItsOwn))[1].replica).toBeGreaterThan(0);
  });

  it('is believed only if it follows this primary', async () => {
    const { db, replica } = runtime;
    const itself = new ReplicaWatch(db.shared, db.shared, 1);
    await expect.poll(() => itself.lagSeconds(), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await itself.isCurrent()).toBe(false);
    itself.close();
    await server.promote();
    await isNotUsed();
    const [, by] = await answeredDuring(seesItsOwn);
    expect(by).toEqual({ replica: 0, primary: 8 });
    expect(replica?.watch.lagSeconds()).toBeGreaterThan(0);
    // Two servers take writes now; a replica of the former primary has read on, and shows what the new one never had.
    const another = await startReplica(postgresUrl());
    servers.push(another);
    const [promoted, former] = [server, another].map(({ port }) => openDatabase(at(port), { connections: 2 }));
    if (!promoted || !former) throw new Error('unreachable');
    for (let made = 0; made < 20; made += 1) await agent.quote();
    const end = sql`select coalesce(pg_last_wal_replay_lsn(), '0/0') > ${await endOf(promoted)}::pg_lsn as is_beyond`;
    await expect.poll(() => former.one(end), { timeout: 20_000 }).toEqual({ is_beyond: true });
    const astray = new ReplicaWatch(promoted, former, 1);
    await expect.poll(() => astray.lagSeconds(), { timeout: 20_000 }).toBeGreaterThan(0.5);
    expect(await astray.isCurrent()).toBe(false);
    astray.close();
    await promoted.end();
    await former.end();
  });
});
