import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, cards, heard, listen, paidOnPage, stripeOf } from '../../e2e/support/card.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { closeBooks } from '../ledger/closing.ts';
import { deadLetterQueue, letterQueue } from '../queue/queue.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const reason = 'a trial';

let agent: Agent;
let jobKey: string;
let paymentKey: string;

beforeAll(async () => {
  await listen(service);
  ({ agent } = await buyingByCard(service));
  ({ jobKey, paymentKey } = await paidOnPage(service, agent));
  await service.execute(jobKey);
});

const actsOn = async (subject: string) => {
  const { rows } = await pool.query('select action, reason, actor from operator_acts where subject = $1', [subject]);
  return rows;
};
const intentOf = async (key: string) => {
  const intent = (await stripe.books()).payment_intents.find(({ metadata }) => metadata.payment_key === key);
  return intent?.id ?? expect.unreachable();
};
const disputes = async () => (await perform('console_disputes', ctx(), {})).body;
const money = async () => (await perform('console_money', ctx(), {})).body;

describe('a card dispute', () => {
  let key: string;

  it('is listed with its deadline and its block, and its page shows what the bank will be sent', async () => {
    ({ id: key } = await stripe.openDispute({ payment_intent: await intentOf(paymentKey), reason: 'fraudulent' }));
    await heard(service);
    const { open } = await disputes();
    expect(open.rows).toMatchObject([
      { dispute_key: key, job_key: jobKey, reason: 'fraudulent', amount_microcents: 500_000_000, answered_at: null },
    ]);
    expect(Date.parse(open.rows[0]?.respond_by ?? '')).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const { blocks } = await money();
    // Of the account, which the dispute names, and of the card.
    expect(blocks.rows.map(({ payer }) => payer?.slice(0, 5) ?? null).sort()).toEqual(['card:', null]);
    expect(blocks.rows.find(({ payer }) => payer === null)?.block_key).toBe(open.rows[0]?.block_key);
    const { evidence, obstacle } = (await perform('console_dispute', ctx(), { dispute_key: key })).body;
    expect(obstacle).toBeNull();
    expect(evidence.activity).toMatch(/authorize by .*\n.*collect/);
    expect(evidence.record).toMatch(/Report 1 of .*: revise, sha256:\w+\nSigned receipt rcpt_/);
    expect(JSON.stringify(evidence)).not.toContain('Rotterdam');
    await expect(perform('console_dispute', ctx(), { dispute_key: 'du_none' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is answered once, with its act, and the bank has the evidence', async () => {
    const statement = 'The report was delivered and read.';
    const answer = () => perform('answer_dispute', ctx(), { dispute_key: key, statement, reason });
    expect((await answer()).body).toEqual({ outcome: 'answered' });
    const [sent] = (await stripe.books()).disputes;
    expect(sent).toMatchObject({ status: 'under_review', evidence: { refund_refusal_explanation: statement } });
    expect(sent?.evidence.uncategorized_text).toContain('Signed receipt');
    await expect(answer()).rejects.toMatchObject({ code: 'action_not_allowed' });
    expect(await actsOn(key)).toEqual([{ action: 'answer_dispute', reason, actor: 'operator' }]);
    await heard(service);
    expect((await disputes()).open.rows[0]?.answered_at).not.toBeNull();
  });

  it('that was answered before the answer was written down is not answered twice', async () => {
    await pool.query('update card_disputes set answered_at = null where dispute_id = $1', [key]);
    const { body } = await perform('answer_dispute', ctx(), { dispute_key: key, statement: 'Again.', reason });
    expect(body).toEqual({ outcome: 'answered_before' });
    const [sent] = (await stripe.books()).disputes;
    expect(sent?.evidence_details.submission_count).toBe(1);
  });

  it('that has ended is listed with how, and cannot be answered', async () => {
    await stripe.closeDispute(key, 'won');
    await heard(service);
    const { open, closed } = await disputes();
    expect(open.total).toBe(0);
    expect(closed.rows).toMatchObject([{ dispute_key: key, outcome: 'won', block_key: null }]);
    await expect(
      perform('answer_dispute', ctx(), { dispute_key: key, statement: 'Too late.', reason }),
    ).rejects.toMatchObject({ code: 'action_not_allowed', message: 'The dispute has ended.' });
  });

  it('that two operators answer at once is answered by one of them', async () => {
    const other = await paidOnPage(service, agent);
    await service.execute(other.jobKey);
    const { id } = await stripe.openDispute({ payment_intent: await intentOf(other.paymentKey), reason: 'fraudulent' });
    await heard(service);
    await stripe.fault({ mode: 'slow', on: 'disputes.retrieve', ms: 400, times: 2 });
    const answers = ['One.', 'Two.'].map((statement) =>
      perform('answer_dispute', ctx(), { dispute_key: id, statement, reason }),
    );
    const outcomes = (await Promise.all(answers)).map(({ body }) => body.outcome);
    expect(outcomes.sort()).toEqual(['answered', 'answered_before']);
    const sent = (await stripe.books()).disputes.find((dispute) => dispute.id === id);
    expect(sent?.evidence_details.submission_count).toBe(1);
    await stripe.closeDispute(id, 'won');
    await heard(service);
  });
});

describe('a refund to a card', () => {
  it('that its bank did not take waits for a person, and is told with why', async () => {
    const failing = await paidOnPage(service, agent, { card: cards.good });
    await perform('cancel_job', ctx(), { key: failing.jobKey, reason });
    await heard(service);
    const [refund] = (await stripe.books()).refunds;
    await stripe.settle(refund?.id ?? '', 'failed', 'expired_or_canceled_card');
    await heard(service);
    const { refunds } = await money();
    expect(refunds.rows).toMatchObject([
      { job_key: failing.jobKey, state: 'refund_failed', network: 'card', waits_for: 'person' },
    ]);
    expect(refunds.rows[0]?.failure).toContain('bank');
  });

  it('that is on its way waits for its next try', async () => {
    const slow = await paidOnPage(service, agent, { card: cards.refundPending });
    await perform('cancel_job', ctx(), { key: slow.jobKey, reason });
    const row = (await money()).refunds.rows.find(({ job_key }) => job_key === slow.jobKey);
    expect(row).toMatchObject({ state: 'refund_pending', waits_for: 'try' });
    await heard(service);
    await heard(service);
  });
});

describe('the inbox of announcements', () => {
  it('lists them with their tries, walks by page, and has one looked into once more', async () => {
    const list = async (input: object) => (await perform('console_webhooks', ctx(), input)).body;
    const all = await list({ limit: 200 });
    expect(all.events.length).toBeGreaterThan(3);
    expect(all.events.every(({ handled_at, tries }) => handled_at !== null && tries === 1)).toBe(true);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, after: first.next_after });
    expect([...first.events, ...second.events]).toEqual(all.events.slice(0, 4));
    const event_key = all.events[0]?.event_key ?? '';
    await perform('hear_again', ctx(), { event_key, reason });
    expect(await list({ waiting: true })).toMatchObject({ waiting: 1, events: [{ event_key }] });
    await service.sweep();
    expect(await list({ waiting: true })).toMatchObject({ waiting: 0, events: [] });
    expect((await list({})).events.find((one) => one.event_key === event_key)?.tries).toBe(2);
    expect(await actsOn(event_key)).toEqual([{ action: 'hear_again', reason, actor: 'operator' }]);
    await expect(list({ after: 'evt_none' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(perform('hear_again', ctx(), { event_key: 'evt_none', reason })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('tells why one could not be looked into', async () => {
    const { rows } = await pool.query('select event_id from card_events order by received_at limit 1');
    await stripe.fault({ mode: 'error_500', times: 1 });
    await perform('hear_again', ctx(), { event_key: rows[0].event_id, reason });
    await service.sweep();
    await stripe.clearFaults();
    const { events } = (await perform('console_webhooks', ctx(), { waiting: true })).body;
    expect(events.map(({ event_key, failure }) => [event_key, failure !== null])).toEqual([[rows[0].event_id, true]]);
    service.advanceClock(60);
    await service.sweep();
    service.advanceClock(-60);
    expect((await perform('console_webhooks', ctx(), { waiting: true })).body.events).toEqual([]);
  });

  it('shows a payload to who has said why, and keeps that', async () => {
    const { rows } = await pool.query(
      "select event_id from card_events where type = 'payment_intent.succeeded' limit 1",
    );
    const event_key = rows[0].event_id;
    await expect(perform('read_webhook', ctx(), { event_key })).rejects.toMatchObject({ code: 'action_not_allowed' });
    await perform('open_webhook', ctx(), { event_key, reason });
    const { body } = await perform('read_webhook', ctx(), { event_key });
    expect(JSON.parse(body.payload ?? '')).toMatchObject({ id: event_key, type: 'payment_intent.succeeded' });
    expect(await actsOn(event_key)).toContainEqual({ action: 'open_webhook', reason, actor: 'operator' });
  });
});

describe('a dead letter', () => {
  /** A letter that failed for good, as the queue stores it. */
  const die = async (kind: string) => {
    const { boss } = service.runtime.queue;
    await boss.send(letterQueue, { kind }, { retryLimit: 0 });
    const messages = await boss.fetch<{ kind: string }>(letterQueue, { batchSize: 100 });
    for (const { id } of messages) await boss.fail(letterQueue, id, new Error('the mail server is gone'));
  };
  const failures = async (input = {}) => (await perform('console_failures', ctx(), input)).body;

  it('is told with why it was not sent, and put back: one, all of a kind, or all', async () => {
    for (const kind of ['trial_a', 'trial_a', 'trial_b', 'trial_b']) await die(kind);
    const before = await failures();
    expect(before.letters.rows.map(({ kind }) => kind)).toEqual(['trial_a', 'trial_a', 'trial_b', 'trial_b']);
    expect(before.letters.rows[0]?.error).toContain('Error');
    expect(before.kinds).toEqual([
      { value: 'trial_a', count: 2 },
      { value: 'trial_b', count: 2 },
    ]);
    expect((await failures({ kind: 'trial_b' })).letters.total).toBe(2);
    const letter_id = before.letters.rows[0]?.letter_id;
    expect((await perform('retry_letters', ctx(), { letter_id, reason })).body).toEqual({ moved: 1 });
    await expect(perform('retry_letters', ctx(), { letter_id, reason })).rejects.toMatchObject({ code: 'not_found' });
    expect((await perform('retry_letters', ctx(), { kind: 'trial_b', reason })).body).toEqual({ moved: 2 });
    expect((await perform('retry_letters', ctx(), { reason })).body).toEqual({ moved: 1 });
    expect((await failures()).letters.total).toBe(0);
    const { rows } = await pool.query(
      `select data ->> 'kind' as kind from pgboss.job where name = $1 and state = 'created' and data ->> 'kind' like 'trial%'
       order by 1`,
      [letterQueue],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['trial_a', 'trial_a', 'trial_b', 'trial_b']);
    expect(await actsOn('letters:trial_b')).toMatchObject([
      { action: 'retry_letters', reason: `2 put back: ${reason}` },
    ]);
    await pool.query(`delete from pgboss.job where name in ($1, $2)`, [letterQueue, deadLetterQueue]);
  });

  it('stands beside jobs that failed, with why and what became of their money', async () => {
    const { jobKey: job } = await paidOnPage(service, agent);
    service.advanceClock(1_801);
    await service.sweep();
    const { failed } = await failures();
    service.advanceClock(-1_801);
    expect(failed.rows).toMatchObject([{ job_key: job, state: 'failed', tries: 0 }]);
    expect(failed.rows[0]?.payment_state).toMatch(/^refund/);
    expect(failed.rows[0]?.failure).toMatch(/\w/);
  });
});

describe('the ledger', () => {
  const ledger = async () => (await perform('console_ledger', ctx(), {})).body;

  it('balances, and shows the same sums whether or not the books were closed', async () => {
    const before = await ledger();
    expect(before.closed_at).toBeNull();
    expect(before.difference_microcents).toBe(0);
    const { rows } = await pool.query(
      `select count(*)::int as count, sum(amount_microcents)::float8 as sum from ledger_transfers`,
    );
    expect(before.accounts.reduce((sum, one) => sum + one.debited_microcents, 0)).toBe(rows[0].sum);
    expect(before.accounts.reduce((sum, one) => sum + one.entries, 0)).toBe(2 * rows[0].count);
    await closeBooks(service.runtime);
    const closed = await ledger();
    expect(closed.closed_at).not.toBeNull();
    expect(closed.accounts).toEqual(before.accounts);
    const more = await paidOnPage(service, agent);
    const after = await ledger();
    const held = (one: typeof after) =>
      one.accounts.find(({ account }) => account === 'liability:held')?.balance_microcents ?? 0;
    expect(held(after)).toBe(held(closed) - 500_000_000);
    service.advanceClock(3_601);
    await closeBooks(service.runtime);
    service.advanceClock(-3_601);
    expect((await ledger()).accounts).toEqual(after.accounts);
    const { entries } = (await perform('console_entries', ctx(), { account: 'liability:held' })).body;
    expect(entries).toContainEqual(
      expect.objectContaining({ event: 'collected', job_key: more.jobKey, credit_account: 'liability:held' }),
    );
  });

  it('lists entries by page without a gap, of all accounts and of one', async () => {
    for (const account of [null, 'asset:card']) {
      const list = async (input: object) => (await perform('console_entries', ctx(), { account, ...input })).body;
      const all = (await list({ limit: 200 })).entries;
      const walked = [];
      for (let after: string | null = null; ; ) {
        const page = await list({ limit: 3, after });
        walked.push(...page.entries);
        after = page.next_after;
        if (after === null) break;
      }
      expect(walked).toEqual(all);
      expect(all.length).toBeGreaterThan(3);
    }
    await expect(perform('console_entries', ctx(), { after: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('shows what differs from the books of the provider, with both sides', async () => {
    const { rows } = await pool.query('select charge_id, intent_id from card_charges where payment_key = $1', [
      paymentKey,
    ]);
    const [{ charge_id, intent_id }] = rows;
    await pool.query(
      `insert into reconciliation_differences (book, kind, object_id, ours, theirs, first_seen_at, last_seen_at)
       values ('card', 'charge', $1, '5.00 USD', '4.00 USD', now(), now())`,
      [charge_id],
    );
    expect((await ledger()).differences).toMatchObject({
      total: 1,
      rows: [
        {
          job_key: jobKey,
          provider_page: `https://dashboard.stripe.com/test/payments/${intent_id}`,
          kind: 'charge',
          theirs: '4.00 USD',
        },
      ],
    });
    await pool.query('update reconciliation_differences set gone_at = now()');
    expect((await ledger()).differences.total).toBe(0);
  });
});
