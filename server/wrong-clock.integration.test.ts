import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { scrape } from '../e2e/support/scrape.ts';
import { startService } from '../e2e/support/service.ts';
import { freePort } from '../sandbox/ports.ts';

/** The machines of a process and of the database disagree about the time: the database's counts. */
const service = await startService({}, { alone: true });
const { pool } = service.database;
const shifted = (seconds: number, later = false) => ({
  NODE_OPTIONS: `--import ${path.resolve(import.meta.dirname, '../e2e/support/shifted-clock.ts')}`,
  CLOCK_SHIFT_SECONDS: String(seconds),
  CLOCK_SHIFT_LATER: later ? 'yes' : '',
});
const month = 32 * 86_400;

let agent: Agent;
beforeAll(async () => {
  agent = await Agent.arrive(service);
});
const contentLeft = async () =>
  (await pool.query('select count(*)::int as kept from quotes where input is not null')).rows[0].kept;

describe('a machine whose clock is wrong', () => {
  it('does no harm when it is set wrong while a worker runs: nothing is deleted, and the worker stops to work', async () => {
    const job = await agent.paidJob();
    await service.execute(job);
    const kept = await contentLeft();
    const metricsPort = await freePort();
    const worker = service.startWorker({ ...shifted(month, true), METRICS_PORT: String(metricsPort) });
    await worker.ready;
    process.kill(worker.pid ?? 0, 'SIGUSR2');
    const skew = await vi.waitFor(
      async () => {
        const found = (await scrape(metricsPort)).value('work_check_clock_skew_seconds') ?? 0;
        expect(found).toBeGreaterThan(month - 60);
        return found;
      },
      { timeout: 20_000, interval: 500 },
    );
    expect(skew).toBeLessThan(month + 60);
    // Longer than every round that deletes waits; the next measurement is within.
    await sleep(12_000);
    expect(await contentLeft()).toBe(kept);
    const next = await agent.paidJob();
    await sleep(3_000);
    expect((await agent.job(next)).body.state).toBe('queued');
    await worker.stop();
  }, 90_000);

  it('makes a web process unready, and refuse with a reason of its own what it would decide', async () => {
    const door = await service.startDoor(shifted(61));
    const other = await Agent.arrive(service);
    const behind = Object.assign(Object.create(Object.getPrototypeOf(other)), other, { baseUrl: door.baseUrl });
    const ready = await fetch(`${door.baseUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready', reasons: ['clock_differs'] }]);
    const answer = await fetch(`${door.baseUrl}/api/agent/v1/me`, {
      headers: { authorization: `Bearer ${behind.token}` },
    });
    expect([answer.status, (await answer.json()).reasons]).toEqual([503, ['clock_differs']]);
    const contract = await fetch(`${door.baseUrl}/api/agent/v1/services/svc_work_check`);
    const { availability } = await contract.json();
    expect([availability.state, availability.reasons]).toEqual([
      'unavailable',
      ['clock_differs', 'no_payment_rail_available'],
    ]);
    await door.stop();
  });

  it('is no matter below a minute: what ends goes by the clock of the database', async () => {
    const door = await service.startDoor(shifted(-45));
    const other = await Agent.arrive({ ...service, baseUrl: door.baseUrl });
    const quoted = await other.authorizedJob();
    const { pay_by: payBy } = (await pool.query('select pay_by from jobs where job_key = $1', [quoted])).rows[0];
    const straight = await (await Agent.arrive(service)).authorizedJob();
    const { pay_by: reference } = (await pool.query('select pay_by from jobs where job_key = $1', [straight])).rows[0];
    expect(Math.abs(reference - payBy)).toBeLessThan(15_000);
    await door.stop();
  });
});

describe('a database whose disk is full', () => {
  /** PostgreSQL's own answer to a write that finds no room; small changes of rows that are there still fit. */
  const refuse = `
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger no_room before insert on reports execute function no_room();
    create trigger no_room before insert on quotes execute function no_room()`;
  const allow = 'drop function no_room() cascade';

  it('uses up no try of a paid check, which is delivered once there is room', async () => {
    const job = await agent.paidJob();
    await pool.query(refuse);
    try {
      for (let tries = 0; tries < 5; tries += 1) {
        await expect(service.execute(job)).rejects.toThrow('No space left');
      }
    } finally {
      await pool.query(allow);
    }
    const { rows } = await pool.query('select state, tries from jobs where job_key = $1', [job]);
    expect(rows).toEqual([{ state: 'running', tries: 0 }]);
    await service.execute(job);
    expect((await agent.job(job)).body.state).toBe('delivered');
  });

  it('is a 503 with a reason of its own, for readiness and availability too, while reading goes on', async () => {
    await pool.query(refuse);
    try {
      const { status, body, headers } = await agent.quote();
      expect([status, body.code, body.reasons, headers.has('retry-after')]).toEqual([
        503,
        'service_unavailable',
        ['database_full', 'no_payment_rail_available'],
        true,
      ]);
      expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
      const { availability } = (await agent.get('/api/agent/v1/services/svc_work_check')).body;
      expect([availability.reasons, availability.registrations.reasons]).toEqual([
        ['database_full', 'no_payment_rail_available'],
        ['database_full'],
      ]);
      await expect
        .poll(async () => (await agent.get('/readyz')).body)
        .toEqual({ status: 'not_ready', reasons: ['database_full'] });
    } finally {
      await pool.query(allow);
    }
  });
});
