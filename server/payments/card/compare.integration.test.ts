import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, dashboardOf, listen, paidOnPage, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

// Makes the provider's books and ours differ on purpose.
const service = await startService(withCard, { checked: false });
const { pool } = service.database;
const control = stripeOf(service);
const stripe = dashboardOf(service);
beforeAll(() => listen(service));
afterEach(() => control.clearFaults());

const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;
const intentOf = async (paymentKey: string) =>
  (await control.books()).payment_intents.find(({ metadata }) => metadata.payment_key === paymentKey)?.id ?? '';

/** Compares the books `minutes` from now: then no object is too young. */
async function look(minutes = 6): Promise<void> {
  service.advanceClock(minutes * 60);
  await control.advance(minutes * 60);
  await service.sweep();
}

/** The current differences of one object, as operators see them. */
async function differing(objectId: string) {
  const { rows } = await pool.query(
    `select kind, ours, theirs from reconciliation_differences where object_id = $1 and gone_at is null`,
    [objectId],
  );
  return rows;
}

/** The output of `npm run money`. */
async function money(): Promise<string> {
  const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
  const env = { ...process.env, DATABASE_URL: service.database.url };
  return (await promisify(execFile)(process.execPath, [command], { env })).stdout;
}

/** Drops all announcements: webhooks are lost, and events cannot be listed. */
async function deaf(): Promise<void> {
  await control.webhookFault({ mode: 'lose', times: 'always' });
  await control.fault({ mode: 'error_500', on: 'events.list', times: 'always' });
}

/** A charge made with our key, past the service. */
const chargedBeside = (metadata: Record<string, string>) =>
  stripe.paymentIntents.create({
    amount: 500,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    metadata,
    allowed_payment_method_types: ['card'],
  });

describe('the books of the card provider', () => {
  it('agree with ours after a purchase, a refund that is on its way, and one that has arrived', async () => {
    const { agent } = await buyingByCard(service);
    await paidOnPage(service, agent);
    const { jobKey } = await paidOnPage(service, agent);
    await control.outcome({ of: 'refund', times: 1 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await look();
    // Twice 5.00 less 2.9 % and 0.30 each; the refund has left the provider and not arrived.
    expect(await money()).toMatch(
      /^card: 9\.10 USD at the provider, 9\.10 USD in the books\n {2}they agree, looked at /m,
    );
    const refund = (await control.books()).refunds.at(-1);
    await control.settle(refund?.id ?? '', 'succeeded');
    await look();
    await look();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    const told = await money();
    expect(told).toContain('card: 4.10 USD at the provider, 4.10 USD in the books\n  they agree');
    expect(told).toContain('do not agree on: 0');
  });

  it('agree with ours after what was paid out to our bank, came back from there, and was taken as a fee of its own', async () => {
    const { agent } = await buyingByCard(service);
    await paidOnPage(service, agent);
    const held = async () => (await control.books()).movements.reduce((sum, { net }) => sum + net, 0);
    const move = async (...moves: Parameters<typeof control.moveBalance>[]) => {
      for (const of of moves) await control.moveBalance(...of);
      for (let again = 0; again < 2; again += 1) await look();
      expect(await differing('usd')).toEqual([]);
      const dollars = ((await held()) / 100).toFixed(2);
      expect(await money()).toContain(
        `card: ${dollars} USD at the provider, ${dollars} USD in the books\n  they agree`,
      );
      expect(await service.broken()).toEqual([]);
    };
    await move(['payout', 455]);
    await move(['payout_failure', 123], ['stripe_fee', 7]);
    await move(['payout', 45], ['stripe_fee', 2]);
    const { rows } = await pool.query(
      `select event, count(*)::int, sum(amount_microcents)::text as sum from ledger_transfers
      where event in ('paid_out', 'payout_returned', 'provider_fee') group by 1 order by 1`,
    );
    expect(rows).toMatchObject([
      { event: 'paid_out', count: 2 },
      { event: 'payout_returned', count: 1, sum: '123000000' },
      { event: 'provider_fee', count: 2, sum: '9000000' },
    ]);
  });

  it('tell of a dispute, and of a refund that came back, of which no event told', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const other = await paidOnPage(service, agent);
    await service.execute(jobKey);
    await agent.post(`/api/agent/v1/jobs/${other.jobKey}/cancel`);
    await service.sweep();
    expect(await paymentOf(agent, other.jobKey)).toBe('refunded');
    await deaf();
    const dispute = await control.openDispute({ payment_intent: await intentOf(paymentKey) });
    const refund = (await control.books()).refunds.at(-1);
    await control.settle(refund?.id ?? '', 'failed', 'expired_or_canceled_card');
    await look();
    expect(await paymentOf(agent, jobKey)).toBe('disputed');
    expect(await paymentOf(agent, other.jobKey)).toBe('refund_failed');
    // It ends months later, when it is in no list of new disputes.
    await control.closeDispute(dispute.id, 'won');
    await look(5 * 24 * 60);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    // Somebody gives the refund that came back another try.
    await control.outcome({ of: 'refund', times: 1 });
    const again = await stripe.refunds.create({ payment_intent: await intentOf(other.paymentKey) });
    await look();
    expect([await differing(again.id), await paymentOf(agent, other.jobKey)]).toEqual([[], 'refund_failed']);
    await control.settle(again.id, 'succeeded');
    await look();
    expect(await paymentOf(agent, other.jobKey)).toBe('refunded');
    await look();
    expect([await differing(refund?.id ?? ''), await differing(again.id), await differing('usd')]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await service.broken()).toEqual([]);
  });

  it('tell of a charge for an attempt that was given up: it goes back', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`);
    await deaf();
    const intent = await chargedBeside({ payment_key: body.payment_key });
    await look();
    await look();
    const [refund] = (await control.books()).refunds.filter(({ payment_intent }) => payment_intent === intent.id);
    expect(refund?.amount).toBe(500);
    expect(await service.broken()).toEqual([]);
  });

  it('agree on a refund of all that somebody made by hand: the job gives the charge up', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const refund = await stripe.refunds.create({ payment_intent: await intentOf(paymentKey) });
    await look();
    await look();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    expect(await differing(refund.id)).toEqual([]);
  });

  it('agree on a refund that somebody began by hand, and that went back in parts', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const intent = await intentOf(paymentKey);
    const part = await stripe.refunds.create({ payment_intent: intent, amount: 200 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await look();
    await look();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    const parts = (await control.books()).refunds.filter(({ payment_intent }) => payment_intent === intent);
    expect(parts.map(({ amount }) => amount).sort()).toEqual([200, 300]);
    for (const { id } of parts) expect(await differing(id)).toEqual([]);
    expect(parts.map(({ id }) => id)).toContain(part.id);
  });

  it('agree while a refund is under way of a charge that its bank has taken', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await control.outcome({ of: 'refund', times: 1 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await look();
    const intent = await intentOf(paymentKey);
    await control.closeDispute((await control.openDispute({ payment_intent: intent })).id, 'lost');
    for (let looks = 0; looks < 3; looks += 1) await look();
    const refund = (await control.books()).refunds.at(-1)?.id ?? '';
    expect([await paymentOf(agent, jobKey), await differing(refund), await differing('usd')]).toEqual([
      'reversed',
      [],
      [],
    ]);
    await control.settle(refund, 'succeeded');
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect([await differing(refund), await differing('usd')]).toEqual([[], []]);
  });

  it('differ while a dispute over a part of a charge is lost, until it is won after all', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const intent = await intentOf(paymentKey);
    const dispute = await control.openDispute({ payment_intent: intent, amount: 200 });
    await look();
    expect(await differing('disputes')).toEqual([]);
    await control.closeDispute(dispute.id, 'lost');
    await look();
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
    expect(await differing('disputes')).toEqual([{ kind: 'balance', ours: '-3.00 USD', theirs: '0.00 USD' }]);
    await control.closeDispute(dispute.id, 'won');
    await look();
    expect(await differing('disputes')).toEqual([]);
    expect(await service.broken()).toEqual([]);
  });

  it('keep for operators what they alone show, and what they do not show', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    const { paymentKey } = await paidOnPage(service, agent);
    const beside = await chargedBeside({ payment_key: 'pay_of_nobody' });
    // A part: a charge that went back as a whole is given up.
    const refund = await stripe.refunds.create({ payment_intent: await intentOf(paymentKey), amount: 200 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await look();
    const { rows } = await pool.query(
      `select provider_refund_id as id from refunds where job_key = $1 and state = 'refunded'`,
      [jobKey],
    );
    await rewritten(`update refunds set provider_refund_id = 're_other' where job_key = '${jobKey}'`);
    await look();
    expect(await differing(String(beside.latest_charge))).toEqual([
      { kind: 'charge', ours: null, theirs: '5.00 USD, fee 0.45 USD, of a purchase that is not known here' },
    ]);
    expect(await differing(refund.id)).toEqual([{ kind: 'refund', ours: null, theirs: '2.00 USD succeeded' }]);
    expect(await differing('re_other')).toEqual([{ kind: 'refund', ours: '5.00 USD refunded', theirs: null }]);
    expect(await differing(rows[0].id)).toEqual([
      { kind: 'refund', ours: '5.00 USD refunded as re_other', theirs: '5.00 USD succeeded' },
    ]);
    expect(await money()).toMatch(
      new RegExp(
        `do not agree on: [4-9]\\n(.*\\n)* {2}\\S+ {2}card refund {2}${refund.id} {2}ours: nothing {2}theirs: 2.00`,
      ),
    );
    // A settled difference is gone, but its row stays.
    await rewritten(`update refunds set provider_refund_id = '${rows[0].id}' where job_key = '${jobKey}'`);
    await look();
    expect(await differing('re_other')).toEqual([]);
    const { rows: kept } = await pool.query(
      `select gone_at > last_seen_at as gone from reconciliation_differences where object_id = 're_other'`,
    );
    expect(kept).toEqual([{ gone: true }]);
  });

  it('hold in all what ours say; a difference that stands at two looks is kept', async () => {
    await look();
    await look();
    await pool.query(
      `update reconciliation_differences set gone_at = now() + interval '1 year' where kind = 'balance'`,
    );
    // Of another business of the same account: not our charge.
    await chargedBeside({});
    await look();
    expect(await money()).toContain('THEY DIFFER BY');
    expect(await differing('usd')).toEqual([]);
    await look();
    expect(await differing('usd')).toMatchObject([{ kind: 'balance' }]);
  });
});

/** Changes rows past all triggers. */
async function rewritten(statement: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica; ${statement}; commit`);
  } finally {
    client.release();
  }
}

describe('a card payment whose outcome nobody knows', () => {
  it('is listed for operators, and ends within 60 seconds after the provider answers again', async () => {
    const { agent, member } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    for (const on of ['payment_intents.create', 'payment_intents.confirm']) {
      const jobKey = await agent.authorizedJob();
      await control.fault({ mode: 'drop_after', on, times: 1 });
      await control.fault({ mode: 'drop_before', times: 'always' });
      await control.webhookFault({ mode: 'lose', times: 'always' });
      expect((await payByCard(agent, jobKey, 'card_saved')).body.code).toBe('payment_unknown');
      for (let minutes = 0; minutes < 3; minutes += 1) {
        service.advanceClock(60);
        await service.sweep();
      }
      expect(await paymentOf(agent, jobKey)).toBe('unknown');
      expect(await money()).toMatch(
        new RegExp(`outcome is open: 1\\n {2}\\S+ {2}5.00 USD {2}card {2}pay_\\w+ {2}${jobKey}`),
      );
      await control.clearFaults();
      let seconds = 0;
      for (; seconds < 60 && (await paymentOf(agent, jobKey)) === 'unknown'; seconds += 5) {
        service.advanceClock(5);
        await service.sweep();
      }
      expect(await paymentOf(agent, jobKey)).toBe('collected');
      const { rows } = await pool.query(
        'select intent_id from card_charges join payments using (payment_key) where job_key = $1',
        [jobKey],
      );
      expect(rows).toHaveLength(1);
    }
  });
});
