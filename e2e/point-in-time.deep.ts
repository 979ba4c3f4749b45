import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { migrate } from '../commands/migrate.ts';
import { createDatabase, databaseUrl, type Postgres, startPostgres } from '../commands/postgres.ts';
import { controlClient } from '../sandbox/control-client.ts';
import { freePort } from '../sandbox/ports.ts';
import { temporarySandbox } from '../sandbox/temporary-sandbox.ts';
import { Agent } from './support/agent.ts';
import { copyBase, giveToServer, writeFor } from './support/base-copy.ts';
import { chainDifferences } from './support/chain-books.ts';
import { archiving, restoring } from './support/handbook.ts';
import { brokenInvariants } from './support/invariants.ts';
import { environmentOf, forkWorker } from './support/service.ts';
import { startDoor } from './support/start-door.ts';

const chain = 84532;
const database = 'work_check';
const patienceMs = 60_000;

const toClose: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of toClose.toReversed()) await close();
});

const folder = mkdtempSync(path.join(tmpdir(), 'point-in-time-'));
toClose.push(() => rmSync(folder, { recursive: true, force: true }));
// When root starts PostgreSQL, it runs as nobody, who must be able to enter.
chmodSync(folder, 0o755);
const archive = path.join(folder, 'log');
mkdirSync(archive);
giveToServer(archive);
const sandbox = await temporarySandbox();
toClose.push(() => sandbox.stop());
const control = controlClient(sandbox.controlUrl);

interface Bought {
  agent: Agent;
  jobKey: string;
}

async function startServer(name: string, settings: Record<string, string>): Promise<Postgres> {
  const dataDir = path.join(folder, name);
  const postgres = await startPostgres({ dataDir, port: await freePort(), durable: true, settings });
  toClose.push(() => postgres.stop());
  return postgres;
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  // The server may stop before an idle connection is closed.
  pool.on('error', () => {});
  toClose.push(() => pool.end());
  return pool;
}

/** Starts a worker process; resolves to its end. */
async function startWorker(env: Record<string, string>): Promise<() => Promise<unknown>> {
  const worker = forkWorker(env);
  toClose.push(() => worker.kill());
  await worker.ready;
  return () => worker.stop();
}

async function startWeb(env: Record<string, string>) {
  const door = await startDoor(env);
  toClose.push(() => door.stop());
  return door;
}

/** `npm run money`, with its words. */
const money = (env: Record<string, string>, ...words: string[]) => byOperator('money', env, words);

async function byOperator(command: string, env: Record<string, string>, words: string[]): Promise<string> {
  const file = path.resolve(import.meta.dirname, `../commands/${command}.ts`);
  const options = { env: { ...process.env, ...env } };
  return (await promisify(execFile)(process.execPath, [file, ...words], options)).stdout;
}

/** Waits for the report of a purchase, the first or the corrected one. */
async function untilReport({ agent, jobKey }: Bought, state: 'delivered' | 'redelivered'): Promise<void> {
  const read = async () => (await agent.job(jobKey, { prefer: 'wait=2' })).body.state;
  await expect.poll(read, { timeout: patienceMs, interval: 250 }).toBe(state);
}

async function buy(baseUrl: string): Promise<Bought> {
  const agent = await Agent.arrive({ baseUrl, sandbox });
  const bought = { agent, jobKey: await agent.paidJob() };
  await untilReport(bought, 'delivered');
  return bought;
}

/** Disputes the report, and the corrected one: the money goes back. */
async function disputeTwice(bought: Bought): Promise<void> {
  const { agent, jobKey } = bought;
  for (const state of ['delivered', 'redelivered'] as const) {
    await untilReport(bought, state);
    const { report_digest } = (await agent.job(jobKey)).body;
    const body = { decision: 'dispute', reason: 'other', report_digest };
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, body)).status).toBe(200);
  }
  await expect.poll(() => moved(bought), { timeout: patienceMs, interval: 250 }).toEqual({ in: 1, out: 1 });
}

async function moved({ agent }: { agent: Agent }): Promise<{ in: number; out: number }> {
  const { address } = agent.wallet;
  return {
    in: (await control.transfers(chain, { from: address, to: sandbox.payTo })).length,
    out: (await control.transfers(chain, { from: sandbox.payTo, to: address })).length,
  };
}

/** What its buyer reads of a purchase, to the byte. */
async function recordOf({ agent, jobKey }: Bought): Promise<string[]> {
  const at = `/api/agent/v1/jobs/${jobKey}`;
  return Promise.all([at, `${at}/report`, `${at}/receipts`].map(async (one) => (await agent.get(one)).text));
}

/** The service on the first server. The base has one purchase whole and two in part; the log has the rest. */
async function untilMoment() {
  const first = await startServer('first', archiving(archive));
  const url = await createDatabase(first.url, database);
  await migrate(url);
  const env = environmentOf(url, await freePort(), folder, sandbox);
  const web = await startWeb(env);
  const endWorker = await startWorker(env);

  const inBase = await buy(web.baseUrl);
  const during = Promise.all([buy(web.baseUrl), buy(web.baseUrl)]);
  await copyBase(url, path.join(folder, 'first'), path.join(folder, 'second'));
  const kept = [inBase, ...(await during), await buy(web.baseUrl)];
  const toReturn = await buy(web.baseUrl);
  const agent = await Agent.arrive({ baseUrl: web.baseUrl, sandbox });
  const late = { agent, jobKey: await agent.authorizedJob() };
  const signature = await agent.signPayment(late.jobKey);
  const records = await Promise.all(kept.map(recordOf));

  const pool = poolOf(url);
  const { rows } = await pool.query<{ at: string }>('select clock_timestamp()::text as at');
  return { first, pool, env, web, endWorker, kept, records, toReturn, late, signature, moment: String(rows[0]?.at) };
}

/** What happens after the moment, until a mistake takes the tables and the server is lost with its data. */
async function afterMoment({ first, pool, web, endWorker, ...bought }: Awaited<ReturnType<typeof untilMoment>>) {
  const lost = [await buy(web.baseUrl), await buy(web.baseUrl)];
  await disputeTwice(bought.toReturn);
  expect((await bought.late.agent.pay(bought.late.jobKey, { signature: bought.signature })).status).toBe(200);
  await web.stop();
  await endWorker();
  await pool.query('drop schema public cascade');
  const { rows } = await pool.query('select pg_walfile_name(pg_switch_wal()) as name');
  await expect.poll(() => existsSync(path.join(archive, rows[0].name)), { timeout: patienceMs }).toBe(true);
  await first.stop();
  rmSync(path.join(folder, 'first'), { recursive: true });
  return lost;
}

/** The database on another server, as it was at that moment. */
async function restoredTo(moment: string): Promise<string> {
  writeFor(path.join(folder, 'second'), 'recovery.signal', '');
  const second = await startServer('second', { ...archiving(archive), ...restoring(archive, moment) });
  const url = databaseUrl(second.url, database);
  const recovering = async () => (await poolOf(url).query('select pg_is_in_recovery() as yes')).rows[0].yes;
  await expect.poll(recovering, { timeout: patienceMs, interval: 500 }).toBe(false);
  await migrate(url);
  return url;
}

it('a server that is lost comes back elsewhere as it was before a mistake, and explains every unit of money', {
  timeout: 300_000,
}, async () => {
  const before = await untilMoment();
  const { kept, records, toReturn, late, signature } = before;
  const lost = await afterMoment(before);
  const url = await restoredTo(before.moment);
  const env = { ...before.env, DATABASE_URL: url };
  expect(await byOperator('receipt-numbers', env, ['skip', '1000', 'restored'])).toContain('are left out.');
  await startWorker(env);
  await untilMoney(env, (told) => told.match(/they agree/g)?.length === 2 && told.includes('match no payment: 3'));
  const unmatched = (await money(env)).matchAll(/ (eip155:\d+) {2}from 0x\w+ {2}in (0x\w+) (\d+)$/gm);
  for (const [, ...name] of unmatched) await money(env, 'return', ...name);
  await untilMoney(env, (told) => told.includes('match no payment: 0') && told.includes('not carried out: 0'));
  const web = await startWeb(env);

  const now = ({ agent, jobKey }: Bought): Bought => ({ agent: agent.at(web.baseUrl), jobKey });
  expect(await Promise.all(kept.map(now).map(recordOf))).toEqual(records);
  for (const one of kept) expect(await moved(one)).toEqual({ in: 1, out: 0 });
  const read = async (one: Bought) => (await now(one).agent.job(one.jobKey)).body;
  expect(await read(toReturn)).toMatchObject({ state: 'waived', payment_state: 'refunded' });
  // The books never heard of this payment: it was given back, and cannot be presented again.
  const repeated = await now(late).agent.pay(late.jobKey, { signature });
  expect(repeated).toMatchObject({ status: 402, body: { error: expect.stringContaining('given back') } });
  expect(await read(late)).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
  for (const { agent, jobKey } of lost.map(now)) {
    expect((await agent.job(jobKey)).status, 'a session that was made in the lost time').toBe(401);
    agent.token = '';
    await agent.signIn();
    expect((await agent.job(jobKey)).status).toBe(404);
  }
  for (const one of [toReturn, late, ...lost]) expect(await moved(one)).toEqual({ in: 1, out: 1 });
  await buy(web.baseUrl);

  const told = await money(env);
  expect(told.match(/they agree/g)).toHaveLength(2);
  expect(told).toContain('no refund explains: 0');
  const pool = poolOf(url);
  expect(await brokenInvariants(pool)).toEqual([]);
  await expect.poll(() => chainDifferences(pool, sandbox.controlUrl), { timeout: patienceMs }).toEqual([]);
});

async function untilMoney(env: Record<string, string>, holds: (told: string) => boolean): Promise<void> {
  await expect.poll(async () => holds(await money(env)), { timeout: patienceMs, interval: 1_000 }).toBe(true);
}
