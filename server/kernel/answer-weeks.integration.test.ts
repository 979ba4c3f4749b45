import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { daySeconds } from '../service/terms.ts';
import { keepAnswerWeeks } from './idempotency.ts';

const service = await startService();
const { pool } = service.database;
const keepWeeks = () => keepAnswerWeeks(service.runtime);

/** A quote under a key of its own, asked for again by `again`. */
async function keyed(agent: Agent) {
  const sent = { idempotency_key: randomUUID() };
  const first = await agent.quote(sent);
  expect(first.status).toBe(201);
  return { key: sent.idempotency_key, first, again: () => agent.quote(sent) };
}

/** The table that the answer to a key lies in, and what week it is of. */
async function placeOf(key: string): Promise<string | undefined> {
  const { rows } = await pool.query(
    `select a.tableoid::regclass::text as place from idempotency_claims
     join idempotency_answers a using (week, number) where idempotency_key = $1`,
    [key],
  );
  return rows[0]?.place;
}

const isThere = async (table: string) =>
  (await pool.query('select to_regclass($1) as oid', [table])).rows[0].oid !== null;

/** Works at an instant so many days ago, as the service sees it. */
async function ago<T>(days: number, work: () => Promise<T>): Promise<T> {
  service.advanceClock(-days * daySeconds);
  try {
    return await work();
  } finally {
    service.advanceClock(days * daySeconds);
  }
}

describe('the answers to idempotency keys', () => {
  beforeEach(keepWeeks);

  it('lie in the table of the week in which the key was taken, for five weeks to come', async () => {
    const { key } = await keyed(await Agent.arrive(service));
    const { rows } = await pool.query('select answers_of_week(week_of(now())) as now');
    expect(await placeOf(key)).toBe(rows[0].now);
    for (const weeks of [1, 2, 3, 4, 5]) {
      const { rows } = await pool.query('select answers_of_week(week_of(now()) + 7 * $1::int) as name', [weeks]);
      expect(await isThere(rows[0].name)).toBe(true);
    }
  });

  it('are given again in the weeks after, byte for byte', async () => {
    const agent = await Agent.arrive(service);
    const { first, again } = await keyed(agent);
    await ago(-8, async () => {
      await agent.signIn();
      await keepWeeks();
      const repeated = await again();
      expect([repeated.status, repeated.text]).toEqual([201, first.text]);
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    });
  });

  it.each([
    ['in a table of its own', true],
    ['that nobody made in time', false],
  ])('of a week %s go once no key of it is left, and not before', async (_, isMade) => {
    if (isMade) await pool.query(`select make_answer_week(week_of(now() - interval '50 days'))`);
    const agent = await Agent.arrive(service);
    const { key, again, first } = await ago(50, async () => {
      await agent.signIn();
      return keyed(agent);
    });
    const place = (await placeOf(key)) ?? '';
    expect(place).toMatch(isMade ? /^idempotency_answers_\d{4}_\d\d_\d\d$/ : /^idempotency_answers_default$/);
    const kept = async () =>
      (await pool.query(`select from ${place} where body like '%' || $1 || '%'`, [first.body.quote_key])).rowCount;

    await keepWeeks();
    expect(await kept()).toBe(1);
    await ago(50, async () => {
      await agent.signIn();
      expect((await again()).text).toBe(first.text);
    });

    await service.deleteExpired();
    if (isMade) {
      // Whoever still reads an answer keeps them all for now.
      const reader = await pool.connect();
      await reader.query('begin; select count(*) from idempotency_answers');
      await keepWeeks();
      expect(await kept()).toBe(1);
      await reader.query('commit');
      reader.release();
    }

    await keepWeeks();
    if (isMade) expect(await isThere(place)).toBe(false);
    else expect(await kept()).toBe(0);
    await agent.signIn();
    const anew = await again();
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(anew.body.quote_key).not.toBe(first.body.quote_key);
  });
});
