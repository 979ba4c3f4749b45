import { beforeAll, describe, expect, it } from 'vitest';
import { type Case, measureCase } from '../../commands/check-cases.ts';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { operatorContext } from '../transports/context.ts';
import { countHours } from './hours.ts';
import { sealAudit } from './seals.ts';

const service = await startService();
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const reason = 'a trial';

let agent: Agent;
let delivered: string;

beforeAll(async () => {
  agent = await Agent.arrive(service);
  delivered = await agent.paidJob();
  await service.execute(delivered);
});

describe('the seals of the audit', () => {
  const verify = async () => (await perform('verify_acts', ctx(), {})).body;
  /** Changes rows past all triggers, as anybody with access to the database can. */
  const rewrite = async (statement: string) => {
    const client = await pool.connect();
    await client.query(`begin; set local session_replication_role = replica; ${statement}; commit`);
    client.release();
  };

  it('are made once an hour, and cover what was done since the last', async () => {
    await perform('open_findings', ctx(), { reason });
    await Promise.all([sealAudit(service.runtime), sealAudit(service.runtime)]);
    await sealAudit(service.runtime);
    const { seals, sealed_rows, broken } = await verify();
    const { rows } = await pool.query(
      'select (select count(*) from audit_rows)::int + (select count(*) from operator_acts)::int as all',
    );
    expect({ seals, sealed_rows, broken }).toEqual({ seals: 1, sealed_rows: rows[0].all, broken: [] });
    await agent.authorizedJob();
    service.advanceClock(3_601);
    await sealAudit(service.runtime);
    service.advanceClock(-3_601);
    expect(await verify()).toMatchObject({ seals: 2, broken: [] });
    expect((await verify()).sealed_rows).toBeGreaterThan(rows[0].all);
    await expect(pool.query('delete from audit_seals')).rejects.toThrow('only grows');
  });

  it('leave out a transaction that is open, and take it once it has ended', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      `insert into operator_acts (subject, at, actor, role, action, reason)
       values ('trial', now(), 'operator', 'command', 'note_purchase', 'slow')`,
    );
    service.advanceClock(7_202);
    await sealAudit(service.runtime);
    await client.query('commit');
    client.release();
    expect((await verify()).broken).toEqual([]);
    service.advanceClock(3_601);
    await sealAudit(service.runtime);
    service.advanceClock(-10_803);
    const after = await verify();
    expect(after.broken).toEqual([]);
    const { rows } = await pool.query(
      `select count(*)::int as count from audit_seals s join operator_acts a
         on a.transaction >= s.from_transaction and a.transaction < s.to_transaction where a.subject = 'trial'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('show a purchase whose whole chain was written anew, one that was taken out, and a seal that was changed', async () => {
    const { rows } = await pool.query('select quote_key from jobs where job_key = $1', [delivered]);
    const key = rows[0].quote_key;
    await rewrite(
      'create table audit_kept as select * from audit_rows; create table seals_kept as select * from audit_seals',
    );
    const restore = () =>
      rewrite(`delete from audit_rows; insert into audit_rows select * from audit_kept;
        delete from audit_seals; insert into audit_seals select * from seals_kept`);
    const forged = `update audit_rows set actor = 'somebody', hash = encode(sha256(convert_to(concat_ws(E'\\x1f',
        purchase_key, sequence, extract(epoch from at), 'somebody', action, state_from, state_to, previous_hash),
        'UTF8')), 'hex')
      where purchase_key = '${key}' and sequence = (select max(sequence) from audit_rows where purchase_key = '${key}')`;
    await rewrite(forged);
    expect((await verify()).broken).toEqual([{ subject: 'seal', sequence: 1, fault: 'broken' }]);
    await restore();
    await rewrite(`delete from audit_rows where purchase_key = '${key}'`);
    expect((await verify()).broken).toEqual([{ subject: 'seal', sequence: 1, fault: 'broken' }]);
    await restore();
    await rewrite(`update audit_rows set actor = 'somebody' where purchase_key = '${key}' and sequence = 1`);
    expect((await verify()).broken).toEqual([{ subject: key, sequence: 1, fault: 'changed' }]);
    await restore();
    await rewrite("update audit_seals set hash = repeat('0', 64) where number = 1");
    expect((await verify()).broken).toEqual([
      { subject: 'seal', sequence: 2, fault: 'missing' },
      { subject: 'seal', sequence: 1, fault: 'broken' },
    ]);
    await restore();
    await rewrite('drop table audit_kept; drop table seals_kept');
    expect((await verify()).broken).toEqual([]);
  });
});

describe('the quality of reports', () => {
  const queue = async () => (await perform('console_findings', ctx(), {})).body.findings;

  it('is told by week, with what was disputed and corrected', async () => {
    const { weeks, measured, configuration } = (await perform('console_quality', ctx(), {})).body;
    expect(weeks).toMatchObject([{ reports: 1, verdicts: [{ value: 'revise', count: 1 }], disputed: 0, corrected: 0 }]);
    expect(measured?.figures).toBeDefined();
    expect(configuration).toContain('rules');
  });

  it('is judged only by who has said why', async () => {
    const judged = { job_key: delivered, report_number: 1, finding: 0, label: 'right' };
    await pool.query('select 1');
    service.advanceClock(901);
    await expect(queue()).rejects.toMatchObject({ code: 'action_not_allowed' });
    await expect(perform('label_finding', ctx(), judged)).rejects.toMatchObject({ code: 'action_not_allowed' });
    await expect(perform('export_cases', ctx(), {})).rejects.toMatchObject({ code: 'action_not_allowed' });
    service.advanceClock(-901);
  });

  it('is labelled finding by finding, and comes out as cases that can be measured', async () => {
    await perform('open_findings', ctx(), { reason });
    const before = await queue();
    expect(before.length).toBeGreaterThan(1);
    expect(before.some(({ statements }) => statements.length > 0)).toBe(true);
    for (const { work, evidence } of before) {
      expect(work).toContain('Rotterdam');
      expect(evidence.map(({ text }) => text).join(' ')).toContain('Rotterdam');
    }
    for (const { job_key, report_number, finding, status } of before) {
      const label = status === 'contradicted' ? 'right' : 'wrong';
      await perform('label_finding', ctx(), { job_key, report_number, finding, label, error: 'wrong_number' });
    }
    expect(await queue()).toEqual([]);
    const { labels } = (await perform('console_quality', ctx(), {})).body;
    expect(labels.reduce((sum, one) => sum + one.right + one.wrong, 0)).toBe(before.length);
    const { cases, left_out } = (await perform('export_cases', ctx(), {})).body;
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.length + left_out).toBe(before.length);
    for (const one of cases as unknown as Case[]) {
      expect(one.id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      const [from, to] = one.planted.replace;
      expect(JSON.stringify(one.work_product)).toContain(JSON.stringify(from).slice(1, -1));
      expect(from).not.toBe(to);
      expect(one.clean.criteria).toHaveLength(one.criteria.length);
      const measured = await measureCase(one);
      expect(measured.planted.verdict).not.toBe('supported');
    }
    const { rows } = await pool.query(
      "select count(*)::int as count from operator_acts where action = 'label_finding'",
    );
    expect(rows[0].count).toBe(before.length);
    await expect(
      perform('label_finding', ctx(), { job_key: delivered, report_number: 1, finding: 99, label: 'wrong' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what is counted by the hour', () => {
  const figures = async () => {
    const { webhooks: _, database: __, ...overview } = (await perform('console_overview', ctx(), { days: 7 })).body;
    const { weeks } = (await perform('console_quality', ctx(), {})).body;
    return { ...overview, weeks };
  };
  const counted = async () => {
    const { rows } = await pool.query('select coalesce(sum(count), 0)::int as sum from hourly_figures');
    return rows[0].sum;
  };

  it('says the same as the purchases, before it is counted, after, and with what came since', async () => {
    const corrected = await agent.paidJob();
    await service.execute(corrected);
    await agent.post(`/api/agent/v1/jobs/${corrected}/review`, { decision: 'dispute', reason: 'other', detail: 'why' });
    await service.execute(corrected);
    const before = await figures();
    expect(await counted()).toBe(0);
    await Promise.all([countHours(service.runtime), countHours(service.runtime)]);
    const sum = await counted();
    expect(sum).toBeGreaterThan(20);
    expect(await figures()).toEqual(before);
    await countHours(service.runtime);
    expect(await counted()).toBe(sum);
    const { rows } = await pool.query(`
      select count(*)::int as purchases, count(*) filter (where delivered_at is not null)::int as delivered,
        sum(price_microcents) filter (where collected_at is not null)::float8 as volume_microcents,
        sum(price_microcents) filter (where charge_state = 'held')::float8 as held_microcents
      from jobs`);
    expect(before).toMatchObject(rows[0]);
    expect(before.rails).toMatchObject([{ rail: 'x402', delivered: rows[0].delivered, failed: 0, over_target: 0 }]);
    expect(before.weeks).toMatchObject([{ reports: rows[0].delivered + 1, disputed: 1, rechecked: 1 }]);
    await agent.authorizedJob();
    expect((await figures()).purchases).toBe(before.purchases + 1);
    expect((await figures()).series.at(-1)?.count).toBe((before.series.at(-1)?.count ?? 0) + 1);
  });

  it('leaves out a transaction that is open, and takes it once it has ended', async () => {
    const client = await pool.connect();
    await countHours(service.runtime);
    const before = await counted();
    await client.query('begin');
    await client.query(`
      insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
      select audit_month(quote_key), quote_key, now(), 'system', 'late_payment_kept', state, state from jobs limit 1`);
    await agent.authorizedJob();
    await countHours(service.runtime);
    expect(await counted()).toBe(before);
    await client.query('commit');
    client.release();
    await countHours(service.runtime);
    expect(await counted()).toBe(before + 2);
  });
});
