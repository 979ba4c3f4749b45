import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, cards, heard, listen, paidOnPage, payByCard, stripeOf } from '../../e2e/support/card.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { grantRole } from '../identity/operators.ts';
import { transact } from '../kernel/transaction.ts';
import { seconds } from '../service/terms.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const reason = 'a trial';
const stripe = stripeOf(service);

let agent: Agent;
beforeAll(async () => {
  agent = await Agent.arrive(service);
  await listen(service);
});

const purchaseOf = async (key: string) => (await perform('console_purchase', ctx(), { key })).body;
const obstacleOf = async (key: string, name: string) =>
  (await purchaseOf(key)).actions.find((action) => action.name === name)?.obstacle;
const actsOn = async (key: string) => {
  const { rows } = await pool.query(
    `select action, amount_microcents::int as amount from operator_acts
     where purchase_key = (select quote_key from jobs where job_key = $1) order by sequence`,
    [key],
  );
  return rows.map(({ action, amount }) => [action, amount]);
};
const accountOf = async (account: string) => {
  const { rows } = await pool.query(
    `select coalesce(sum(case when credit_account = $1 then amount_microcents else -amount_microcents end), 0)::int as sum
     from ledger_transfers where $1 in (debit_account, credit_account)`,
    [account],
  );
  return rows[0].sum;
};
const receiptOf = async (jobKey: string, by: Agent = agent) =>
  (await by.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;

async function accepted(by: Agent = agent, paid?: string): Promise<string> {
  const jobKey = paid ?? (await by.paidJob());
  await service.execute(jobKey);
  expect((await by.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' })).status).toBe(200);
  return jobKey;
}

describe('a refund of an accepted job', () => {
  it('takes the charge from the revenue once, gives it back over the chain, and a receipt says so', async () => {
    const jobKey = await accepted();
    const earned = await accountOf('revenue:work_check');
    const twice = await Promise.allSettled([1, 2].map(() => perform('refund_charge', ctx(), { key: jobKey, reason })));
    expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await accountOf('revenue:work_check')).toBe(earned - 500_000_000);
    expect(await purchaseOf(jobKey)).toMatchObject({ state: 'waived', payment_state: 'refund_pending' });
    await service.sweep();
    expect(await purchaseOf(jobKey)).toMatchObject({ payment_state: 'refunded', charge_state: 'waived' });
    expect(await receiptOf(jobKey)).toMatchObject({
      charge: { state: 'waived', amount_microcents: 0 },
      remedy: { kind: 'refund', state: 'refunded', amount_microcents: 500_000_000 },
    });
    expect(await actsOn(jobKey)).toEqual([['refund_charge', 500_000_000]]);
    expect(await obstacleOf(jobKey, 'refund_charge')).toBe(
      'The job is waived: only an accepted charge can be refunded.',
    );
  });

  it('goes back to the card that paid, and not while its bank contests the payment', async () => {
    const { agent: buyer } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, buyer);
    await accepted(buyer, jobKey);
    await perform('refund_charge', ctx(), { key: jobKey, reason });
    await service.sweep();
    await heard(service);
    expect(await receiptOf(jobKey, buyer)).toMatchObject({ remedy: { kind: 'refund', state: 'refunded' } });
    const other = await paidOnPage(service, buyer);
    await accepted(buyer, other.jobKey);
    const { intent_id } = (
      await pool.query('select intent_id from card_charges where payment_key = $1', [other.paymentKey])
    ).rows[0];
    await stripe.openDispute({ payment_intent: intent_id });
    await heard(service);
    expect(await obstacleOf(other.jobKey, 'refund_charge')).toBe('The payment is disputed.');
    await expect(perform('refund_charge', ctx(), { key: other.jobKey, reason })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
  });

  it('of what credit paid becomes credit again', async () => {
    const buyer = await Agent.arrive(service);
    await buyer.post(`/api/agent/v1/jobs/${await buyer.paidJob()}/cancel`);
    const { body: quote } = await buyer.quote();
    const { body: job } = await buyer.authorize(quote.quote_key);
    await buyer.post(`/api/agent/v1/jobs/${job.job_key}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: 'spend',
    });
    await accepted(buyer, job.job_key);
    await perform('refund_charge', ctx(), { key: job.job_key, reason });
    expect(await purchaseOf(job.job_key)).toMatchObject({ state: 'waived', payment_state: 'credited' });
    expect((await buyer.get('/api/agent/v1/me')).body.wallet_credit_microcents).toBe(500_000_000);
  });
});

describe('running a check again', () => {
  it('frees a job of a worker that hangs, and the next one delivers it', async () => {
    const jobKey = await agent.paidJob();
    await pool.query(
      `update jobs set state = 'running', tries = 3, fence = 3, lease_until = now() + interval '1 hour' where job_key = $1`,
      [jobKey],
    );
    await pool.query(
      `insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
       select audit_month(quote_key), quote_key, now(), 'worker', 'start', 'queued', 'running' from jobs where job_key = $1`,
      [jobKey],
    );
    await service.execute(jobKey);
    expect((await purchaseOf(jobKey)).state).toBe('running');
    await perform('run_again', ctx(), { key: jobKey, reason });
    await service.execute(jobKey);
    expect((await purchaseOf(jobKey)).state).toBe('delivered');
    expect(await actsOn(jobKey)).toEqual([['run_again', null]]);
    expect(await obstacleOf(jobKey, 'run_again')).toBe('The job is delivered: no check is due.');
  });
});

describe('what moves money', () => {
  it('asks for a sign-in of the last minutes, and nothing else does', async () => {
    const jobKey = await accepted();
    const { account_key } = await purchaseOf(jobKey);
    await transact(service.runtime.db, (tx) => grantRole(tx, 'till@example.com', 'admin', new Date()));
    const member = await Member.ofAccount(service, account_key, 'till@example.com');
    const isFresh = async () => (await perform('console_me', member.pageContext(), {})).body.may_move_money;
    const transfer = { network: 'eip155:84532', transaction: `0x${'0'.repeat(64)}`, position: 0, reason };
    expect(await isFresh()).toBe(true);
    service.advanceClock(seconds.freshSignIn + 1);
    try {
      expect(await isFresh()).toBe(false);
      for (const name of ['cancel_job', 'waive_charge', 'refund_charge'] as const) {
        await expect(perform(name, member.pageContext(), { key: jobKey, reason })).rejects.toMatchObject({
          code: 'fresh_sign_in_required',
        });
      }
      await expect(perform('give_back', member.pageContext(), transfer)).rejects.toMatchObject({
        code: 'fresh_sign_in_required',
      });
      const many = { action: 'waive_charge', keys: [jobKey], reason };
      await expect(perform('act_on_purchases', member.pageContext(), many)).rejects.toMatchObject({
        code: 'fresh_sign_in_required',
      });
      await perform('note_purchase', member.pageContext(), { key: jobKey, reason });
    } finally {
      service.advanceClock(-seconds.freshSignIn - 1);
    }
    expect(await actsOn(jobKey)).toEqual([['note_purchase', null]]);
  });
});

describe('an action on many purchases', () => {
  it('says before what it will touch, does each by itself, and tells what was refused', async () => {
    const [due, done] = [await agent.paidJob(), await accepted()];
    const keys = [due, done, due];
    const preview = (await perform('preview_acts', ctx(), { action: 'run_again', keys })).body;
    expect(preview).toMatchObject({ touched: 1, amount_microcents: 500_000_000 });
    expect(preview.purchases.map(({ job_key, obstacle }) => [job_key, obstacle])).toEqual([
      [due, null],
      [done, 'The job is accepted: no check is due.'],
    ]);
    expect(await actsOn(due)).toEqual([]);
    const { body } = await perform('act_on_purchases', ctx(), { action: 'run_again', keys, reason });
    expect(body).toEqual({ done: 1, refused: [{ key: done, because: 'The job is accepted: no check is due.' }] });
    expect([await actsOn(due), await actsOn(done)]).toEqual([[['run_again', null]], []]);
    await expect(
      perform('act_on_purchases', ctx(), { action: 'ask_again', keys: [due], reason }),
    ).rejects.toMatchObject({ code: 'action_not_allowed' });
    await service.execute(due);
  });

  it('is for a role that may do it to one', async () => {
    const { account_key } = await purchaseOf(await agent.paidJob());
    await transact(service.runtime.db, (tx) => grantRole(tx, 'help@example.com', 'support', new Date()));
    const support = await Member.ofAccount(service, account_key, 'help@example.com');
    for (const [name, more] of [
      ['preview_acts', {}],
      ['act_on_purchases', { reason }],
    ] as const) {
      const input = { action: 'waive_charge', keys: ['job_any'], ...more };
      await expect(perform(name, support.pageContext(), input)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a saved view', () => {
  it('belongs to its operator, is replaced by its name, and is removed once', async () => {
    const views = async (answer: Promise<{ body: { views: { name: string; query: string; view_key: string }[] } }>) =>
      (await answer).body.views;
    await perform('save_view', ctx(), { name: 'Stuck', query: '?is=job:running' });
    await perform('save_view', ctx(), { name: 'Stuck', query: 'is=job:queued&not=rail:card' });
    const saved = await views(perform('console_views', ctx(), {}));
    expect(saved.map(({ name, query }) => [name, query])).toEqual([['Stuck', 'is=job:queued&not=rail:card']]);
    const { account_key } = await purchaseOf(await agent.paidJob());
    await transact(service.runtime.db, (tx) => grantRole(tx, 'look@example.com', 'viewer', new Date()));
    const viewer = await Member.ofAccount(service, account_key, 'look@example.com');
    expect(await views(perform('console_views', viewer.pageContext(), {}))).toEqual([]);
    const view_key = saved[0]?.view_key ?? '';
    await expect(perform('remove_view', viewer.pageContext(), { view_key })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await views(perform('remove_view', ctx(), { view_key }))).toEqual([]);
    for (let number = 0; number < 20; number += 1) {
      await perform('save_view', ctx(), { name: `View ${number}`, query: '' });
    }
    await expect(perform('save_view', ctx(), { name: 'One more', query: '' })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
  });
});

describe('a purchase paid by card', () => {
  it('tells what the provider was asked and what it announced, and is found by every name of theirs', async () => {
    const { agent: buyer, member } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, buyer, { member });
    await accepted(buyer, jobKey);
    await perform('refund_charge', ctx(), { key: jobKey, reason });
    await service.sweep();
    await heard(service);
    const purchase = await purchaseOf(jobKey);
    const kinds = new Set(purchase.timeline.map(({ kind }) => kind));
    for (const kind of ['provider', 'webhook', 'refund', 'request', 'ledger'] as const) expect(kinds).toContain(kind);
    const asked = purchase.timeline.filter(({ kind }) => kind === 'request').map(({ title }) => title);
    expect(asked).toEqual(expect.arrayContaining(['Asked: check work', 'Asked: pay']));
    const { rows } = await pool.query(
      `select session_id, p.intent_id, charge_id, provider_refund_id, customer_id, event_id
       from card_payments p join card_charges using (payment_key) join refunds using (payment_key), lateral (
         select event_id from card_events where object_id = session_id limit 1) e where payment_key = $1`,
      [paymentKey],
    );
    const { customer_id, ...names } = rows[0];
    for (const q of Object.values(names) as string[]) {
      const [first] = (await perform('console_search', ctx(), { q })).body.results;
      expect([q, first?.page]).toEqual([q, `/console/purchases/${jobKey}`]);
    }
    const [customer] = (await perform('console_search', ctx(), { q: customer_id })).body.results;
    expect(customer?.page).toBe(`/console/customers/${purchase.account_key}`);
    expect(JSON.stringify(purchase.timeline)).not.toContain(cards.good);
  });

  it('tells of the letter that went out about it, without its address', async () => {
    const { agent: buyer, member, customer } = await buyingByCard(service);
    await paidOnPage(service, buyer, { member });
    const jobKey = await buyer.authorizedJob();
    expect((await payByCard(buyer, jobKey, 'card_saved')).status).toBe(200);
    const letters = async () => (await purchaseOf(jobKey)).timeline.filter(({ kind }) => kind === 'letter');
    expect(await letters()).toEqual([]);
    await customer.letters();
    expect(await letters()).toMatchObject([{ title: 'Letter: notice', detail: 'sent', failed: false }]);
    expect(JSON.stringify(await letters())).not.toContain(customer.email);
  });
});

describe('a name', () => {
  it('is found although it is not written quite right', async () => {
    const { rows } = await pool.query(
      `update principals set name = 'Rotterdam harbour master' where principal_key = (
         select principal_key from principals where kind = 'agent' limit 1) returning account_key`,
    );
    for (const q of ['Roterdam harbor', 'HARBOUR', 'rotterdam']) {
      const { results } = (await perform('console_search', ctx(), { q })).body;
      expect([q, results[0]?.page]).toEqual([q, `/console/customers/${rows[0].account_key}`]);
    }
    expect((await perform('console_search', ctx(), { q: 'zzzz qqqq' })).body.results).toEqual([]);
  });
});
