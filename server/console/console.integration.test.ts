import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { repeatsCounted } from '../kernel/idempotency.ts';
import { operatorContext } from '../transports/context.ts';

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

const purchaseOf = async (key: string) => (await perform('console_purchase', ctx(), { key })).body;
const actsOn = async (key: string) => {
  const { rows } = await pool.query(
    `select action, reason, amount_microcents from operator_acts
     where purchase_key = (select quote_key from jobs where job_key = $1) order by sequence`,
    [key],
  );
  return rows.map((row) => [row.action, row.reason, row.amount_microcents && Number(row.amount_microcents)]);
};

describe('the list of purchases', () => {
  it('holds several and excluding filters at once, and walks by page without a gap', async () => {
    const others = [await agent.authorizedJob(), await agent.authorizedJob()];
    const list = async (input: object) => (await perform('console_purchases', ctx(), input)).body;
    const keys = async (input: object) => (await list(input)).purchases.map(({ job_key }) => job_key);
    expect(await keys({})).toEqual([...others.toReversed(), delivered]);
    expect(await keys({ sort: 'oldest' })).toEqual([delivered, ...others]);
    const filters = (...all: [string, string, boolean?][]) => ({
      filters: all.map(([field, value, not = false]) => ({ field, value, not })),
    });
    expect(await keys(filters(['job', 'delivered']))).toEqual([delivered]);
    expect((await keys(filters(['job', 'delivered'], ['job', 'awaiting_payment']))).length).toBe(3);
    expect(await keys(filters(['job', 'delivered', true]))).toEqual(others.toReversed());
    expect(await keys(filters(['payment', 'none', true], ['rail', 'x402']))).toEqual([delivered]);
    expect(await keys(filters(['verdict', 'revise']))).toEqual([delivered]);
    expect(await keys(filters(['verdict', 'supported']))).toEqual([]);
    expect(await keys(filters(['review', 'overdue']))).toEqual([]);
    await expect(list(filters(['job', 'lost']))).rejects.toMatchObject({ code: 'validation_failed' });
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, after: first.next_after });
    expect([...first.purchases, ...second.purchases].map(({ job_key }) => job_key)).toEqual(await keys({}));
    expect(second.next_after).toBeNull();
  });
});

describe('the page of a purchase', () => {
  it('tells everything that was recorded, the newest first, without content or secrets', async () => {
    const purchase = await purchaseOf(delivered);
    const kinds = new Set(purchase.timeline.map(({ kind }) => kind));
    for (const kind of ['state', 'payment', 'chain', 'report', 'receipt', 'ledger', 'queue', 'request'] as const) {
      expect(kinds).toContain(kind);
    }
    const instants = purchase.timeline.map(({ at }) => at);
    expect(instants).toEqual(instants.toSorted().toReversed());
    expect(new Set(purchase.timeline.map(({ id }) => id)).size).toBe(purchase.timeline.length);
    expect(JSON.stringify(purchase.timeline)).not.toMatch(/signature|Rotterdam/);
    expect(purchase.verdict).toBe('revise');
    expect(await purchaseOf(purchase.quote_key)).toMatchObject({ job_key: delivered });
    await expect(purchaseOf('job_unknown')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('marks a request that came again: how often, and when last', async () => {
    const buyer = await Agent.arrive(service);
    const key = 'ordered-again';
    const { body: quote } = await buyer.quote({ idempotency_key: key });
    const { job_key } = (await buyer.authorize(quote.quote_key)).body;
    const ask = (times: number) =>
      Promise.all(Array.from({ length: times }, () => buyer.quote({ idempotency_key: key })));
    const mark = async () => {
      const { timeline } = await purchaseOf(job_key);
      const found = timeline.find(({ title }) => title === 'Asked: check work');
      return { detail: found?.detail, repeats: found?.raw.repeats };
    };
    expect(await mark()).toEqual({ detail: 'answered 201, not repeated since', repeats: 0 });
    const [repeat] = await ask(1);
    expect(repeat?.body.quote_key).toBe(quote.quote_key);
    expect((await buyer.quote({ idempotency_key: key, criteria: ['Another one.'] })).status).toBe(409);
    const instant = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
    expect((await mark()).detail).toMatch(new RegExp(`^answered 201, repeated once since, at ${instant}$`));
    await ask(3);
    expect((await mark()).detail).toMatch(new RegExp(`^answered 201, repeated 4 times since, last at ${instant}$`));
    for (let turn = 0; turn < repeatsCounted; turn += 1) await ask(1);
    expect((await mark()).detail).toMatch(/^answered 201, repeated at least 20 times since, last noted at /);
    expect((await mark()).repeats).toBe(repeatsCounted);
    service.advanceClock(61);
    await ask(1).finally(() => service.advanceClock(-61));
    expect((await mark()).repeats).toBe(repeatsCounted + 1);
  });

  it('counts twins that came at once as one request and its repeats', async () => {
    const buyer = await Agent.arrive(service);
    const twins = await Promise.all([1, 2, 3].map(() => buyer.quote({ idempotency_key: 'asked-at-once' })));
    const jobKey = (await buyer.authorize(twins[0]?.body.quote_key)).body.job_key;
    const signature = await buyer.signPayment(jobKey);
    for (const _ of [1, 2]) expect((await buyer.pay(jobKey, { key: 'paid-twice', signature })).status).toBe(200);
    const { timeline } = await purchaseOf(jobKey);
    const repeatsOf = (name: string) => timeline.find(({ key }) => key === name)?.raw.repeats;
    expect([repeatsOf('asked-at-once'), repeatsOf('paid-twice')]).toEqual([2, 1]);
  });

  it('is found by whatever names it', async () => {
    const { quote_key, payment_key, receipts, timeline } = await purchaseOf(delivered);
    const transaction = timeline.find(({ kind }) => kind === 'chain')?.key ?? '';
    const wallet = agent.wallet.address.toLowerCase();
    for (const q of [delivered, quote_key, payment_key ?? '', receipts[0]?.receipt_key ?? '', transaction]) {
      const { results } = (await perform('console_search', ctx(), { q })).body;
      const [first] = results;
      expect([
        q,
        [`/console/purchases/${delivered}`, `/console/purchases/${quote_key}`].includes(first?.page ?? ''),
      ]).toEqual([q, true]);
    }
    const { results } = (await perform('console_search', ctx(), { q: wallet })).body;
    expect(results.map(({ kind }) => kind)).toEqual(['customer', 'payment']);
    expect((await perform('console_search', ctx(), { q: "' or 1=1 --" })).body.results).toEqual([]);
  });

  it('shows content to who has said why, and keeps that', async () => {
    await expect(perform('read_content', ctx(), { key: delivered })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
    await perform('open_content', ctx(), { key: delivered, reason: 'the customer asked' });
    const { body } = await perform('read_content', ctx(), { key: delivered });
    expect(body.input).toContain('Rotterdam');
    expect(body.reports).toHaveLength(1);
    expect(await actsOn(delivered)).toContainEqual(['open_content', 'the customer asked', null]);
  });
});

describe('an action on a purchase', () => {
  it('that the table does not allow is refused with its reason, and leaves no act', async () => {
    const before = await actsOn(delivered);
    const { actions } = await purchaseOf(delivered);
    expect(Object.fromEntries(actions.map(({ name, obstacle }) => [name, obstacle]))).toEqual({
      ask_again: 'No payment or refund is open.',
      run_again: 'The job is delivered: no check is due.',
      cancel_job: 'The job is delivered.',
      refund_charge: 'The job is delivered: only an accepted charge can be refunded.',
      waive_charge: 'The review is not overdue.',
      open_content: null,
      note_purchase: null,
    });
    for (const name of ['ask_again', 'run_again', 'cancel_job', 'waive_charge', 'refund_charge'] as const) {
      await expect(perform(name, ctx(), { key: delivered, reason })).rejects.toMatchObject({
        code: 'action_not_allowed',
      });
    }
    expect(await actsOn(delivered)).toEqual(before);
  });

  it('cancels a paid job once, with its act in the same transaction', async () => {
    const job = await agent.paidJob();
    const twice = await Promise.allSettled([1, 2].map(() => perform('cancel_job', ctx(), { key: job, reason })));
    expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await agent.job(job)).body).toMatchObject({ state: 'canceled', payment_state: 'credited' });
    expect(await actsOn(job)).toEqual([['cancel_job', reason, 500_000_000]]);
  });

  it('asks the provider again, which resolves a payment that nobody knew of', async () => {
    const job = await agent.authorizedJob();
    const signature = await agent.signPayment(job);
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'drop_before_settle' });
    expect((await agent.pay(job, { signature })).body.code).toBe('payment_unknown');
    await clearFaults(service.sandbox.controlUrl);
    await pool.query(`update payments set lease_until = now() - interval '1 second' where job_key = $1`, [job]);
    const { body } = await perform('ask_again', ctx(), { key: job, reason });
    expect(body.payment_state).toBe('collected');
    expect(await actsOn(job)).toEqual([['ask_again', reason, null]]);
  });

  it('waives an overdue review, and the money goes back', async () => {
    service.advanceClock(15 * 86_400);
    await perform('waive_charge', ctx(), { key: delivered, reason }).finally(() => service.advanceClock(-15 * 86_400));
    const { rows } = await pool.query('select state, payment_state from jobs where job_key = $1', [delivered]);
    expect(rows).toEqual([{ state: 'waived', payment_state: 'refund_pending' }]);
    const { rows: acts } = await pool.query(
      "select reason, amount_microcents from operator_acts where action = 'waive_charge'",
    );
    expect(acts).toEqual([{ reason, amount_microcents: expect.anything() }]);
    await service.sweep();
  });
});

describe('a block', () => {
  it('is lifted once, with its act, and the customer page shows who did it and why', async () => {
    const { account_key } = await purchaseOf(delivered);
    await pool.query(
      `insert into purchase_blocks (block_key, account_key, cause, created_at) values ('block_trial', $1, 'remedies', now())`,
      [account_key],
    );
    const { blocks } = (await perform('console_money', ctx(), {})).body;
    expect(blocks.rows.map(({ block_key }) => block_key)).toEqual(['block_trial']);
    await perform('lift_block', ctx(), { block_key: 'block_trial', reason });
    await expect(perform('lift_block', ctx(), { block_key: 'block_trial', reason })).rejects.toMatchObject({
      code: 'not_found',
    });
    const customer = (await perform('console_customers', ctx(), { account_key })).body;
    expect(customer.blocks).toMatchObject([{ lifted_by: 'operator', lifted_because: reason }]);
    expect(customer.agents.map(({ state }) => state)).toEqual(['active']);
    const { rows } = await pool.query("select action from operator_acts where subject = 'block_trial'");
    expect(rows).toEqual([{ action: 'lift_block' }]);
  });
});

describe('the audit', () => {
  it('is whole, grows only, and shows a row that somebody with the database changed', async () => {
    const verify = async () => (await perform('verify_acts', ctx(), {})).body;
    const whole = await verify();
    expect(whole.broken).toEqual([]);
    expect([whole.acts, whole.rows].every((count) => count > 3)).toBe(true);
    await expect(pool.query('delete from operator_acts')).rejects.toThrow('only grows');
    const client = await pool.connect();
    const { rows } = await client.query(
      `select subject, sequence, reason from operator_acts where action = 'cancel_job'`,
    );
    const [act] = rows;
    const set = async (text: string) => {
      await client.query("set session_replication_role = 'replica'");
      await client.query('update operator_acts set reason = $1 where subject = $2 and sequence = $3', [
        text,
        act.subject,
        act.sequence,
      ]);
      await client.query("set session_replication_role = 'origin'");
    };
    await set('nothing happened');
    expect((await verify()).broken).toEqual([{ subject: act.subject, sequence: act.sequence, fault: 'changed' }]);
    await set(act.reason);
    expect((await verify()).broken).toEqual([]);
    const row = { purchase: act.subject, sequence: 2 };
    const setActor = async (actor: string) => {
      await client.query("set session_replication_role = 'replica'");
      await client.query('update audit_rows set actor = $1 where purchase_key = $2 and sequence = $3', [
        actor,
        row.purchase,
        row.sequence,
      ]);
      await client.query("set session_replication_role = 'origin'");
    };
    const { rows: audited } = await client.query(
      'select actor from audit_rows where purchase_key = $1 and sequence = $2',
      [row.purchase, row.sequence],
    );
    await setActor('somebody else');
    expect((await verify()).broken).toEqual([{ subject: row.purchase, sequence: row.sequence, fault: 'changed' }]);
    await setActor(audited[0].actor);
    expect((await verify()).broken).toEqual([]);
    client.release();
  });

  it('tells who did what', async () => {
    const { acts } = (await perform('console_acts', ctx(), {})).body;
    expect(acts.map(({ action }) => action)).toEqual(expect.arrayContaining(['waive_charge', 'cancel_job']));
    expect(acts.every(({ actor, role }) => actor === 'operator' && role === 'command')).toBe(true);
  });

  it('walks by page without a gap, past acts of the same instant', async () => {
    const keys = (await perform('console_purchases', ctx(), {})).body.purchases.map(({ job_key }) => job_key);
    await perform('act_on_purchases', ctx(), { action: 'note_purchase', keys, reason });
    const all = (await perform('console_acts', ctx(), {})).body.acts;
    expect(new Set(all.map(({ at }) => at)).size).toBeLessThan(all.length - 2);
    const walked = [];
    for (let after: string | null = null; ; ) {
      const page: { acts: typeof all; next_after: string | null } = (
        await perform('console_acts', ctx(), { after, limit: 2 })
      ).body;
      walked.push(...page.acts);
      after = page.next_after;
      if (after === null) break;
    }
    expect(walked).toEqual(all);
    await expect(perform('console_acts', ctx(), { after: '9:nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the overview', () => {
  it('counts what was bought and shows the books beside the chain', async () => {
    const { body } = await perform('console_overview', ctx(), {});
    const { rows } = await pool.query('select count(*)::int as count from jobs');
    expect(body.purchases).toBe(rows[0].count);
    expect(body.rails.map(({ rail }) => rail)).toEqual(['x402']);
    expect(body.verdicts).toEqual([{ value: 'revise', count: 1 }]);
    await service.sweep();
    const [chain] = (await perform('console_overview', ctx(), {})).body.chains;
    expect(chain?.balance_microcents).toBe(chain?.ledger_microcents);
  });
});
