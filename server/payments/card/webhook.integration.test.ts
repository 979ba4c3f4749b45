import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  cards,
  click,
  fillIn,
  heard,
  listen,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const rolled = 'whsec_theSecretBeforeThatIsBeingRolled';
const service = await startService(async (sandbox) => {
  const card = await withCard(sandbox);
  return { ...card, STRIPE_WEBHOOK_SECRET: `${rolled},${card.STRIPE_WEBHOOK_SECRET}` };
});
const stripe = stripeOf(service);
const secret = service.sandbox.stripe.webhookSecret;
const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);
beforeAll(() => listen(service));

/** A signature header as the provider makes it. */
const signed = (payload: string, { with: key = secret, at = Date.now() } = {}) => {
  const t = Math.floor(at / 1_000);
  return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${payload}`).digest('hex')}`;
};
const post = (payload: string, signature: string) =>
  fetch(`${service.baseUrl}/api/webhooks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  });
const eventOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'payment_intent.succeeded',
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    data: { object: { id: 'pi_unknown', object: 'payment_intent', status: 'succeeded' } },
    ...changes,
  });
const kept = async () => {
  const { rows } = await service.database.pool.query<{ count: number }>(
    'select count(*)::int as count from card_events',
  );
  return rows[0]?.count ?? 0;
};

/** The rows that hold money. */
const moneyRows = async () => {
  const { rows } = await service.database.pool.query(
    `select (select count(*)::int from ledger_transfers) as ledger, (select count(*)::int from card_charges) as charges,
      (select count(*)::int from refunds) as refunds, (select count(*)::int from card_disputes) as disputes`,
  );
  return rows[0];
};

describe('an announcement of the card provider', () => {
  it.each([
    ['signed with another secret', (body: string) => [body, signed(body, { with: 'whsec_forged' })]],
    ['301 seconds old', (body: string) => [body, signed(body, { at: Date.now() - 301_000 })]],
    ['serialised anew', (body: string) => [JSON.stringify(JSON.parse(body), null, 1), signed(body)]],
    ['without a signature', (body: string) => [body, '']],
    [
      'of the other mode',
      (body: string) => {
        const live = body.replace('"livemode":false', '"livemode":true');
        return [live, signed(live)];
      },
    ],
  ] as [string, (body: string) => string[]][])('is refused when it is %s, and changes nothing', async (_, forge) => {
    const before = [await kept(), await moneyRows()];
    const [body = '', signature = ''] = forge(eventOf());
    const answer = await post(body, signature);
    expect(answer.status).toBe(401);
    await service.sweep();
    expect([await kept(), await moneyRows()]).toEqual(before);
  });

  it('is taken while its secret is rolled, by either', async () => {
    for (const key of [rolled, secret]) {
      const body = eventOf();
      expect((await post(body, signed(body, { with: key }))).status).toBe(200);
    }
    // The provider, asked about a made-up object, does not know it.
    await service.sweep();
  });

  it('is believed in nothing: neither that it was paid, nor how much, nor for what', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    await click(stranger, body.payment_key);
    const session = (await stripe.books()).sessions.at(-1);
    const before = await moneyRows();
    const lie = eventOf({
      type: 'checkout.session.completed',
      data: { object: { ...session, status: 'complete', payment_status: 'paid', amount_total: 1 } },
    });
    expect((await post(lie, signed(lie))).status).toBe(200);
    await service.sweep();
    expect(await moneyRows()).toEqual(before);
    expect((await agent.job(jobKey)).body.payment_state).toBe('requires_payer');
  });

  it('that comes again and again is kept once, and does nothing twice', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    const [count, before] = [await kept(), await moneyRows()];
    const events = (await stripe.deliveries()).map(({ id }) => id);
    await stripe.send(events, 5);
    await heard(service);
    expect([await kept(), await moneyRows()]).toEqual([count, before]);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
  });

  it('that is not stored is not acknowledged', async () => {
    const pool = service.database.pool;
    await pool.query('alter table card_events rename to card_events_away');
    const body = eventOf();
    const answer = await post(body, signed(body));
    await pool.query('alter table card_events_away rename to card_events');
    expect(answer.status).toBe(503);
    expect((await post(body, signed(body))).status).toBe(200);
  });

  it('is forgotten once it was looked into and can come no more, and not before', async () => {
    const pool = service.database.pool;
    const ids = ['evt_old_and_handled', 'evt_old_and_open', 'evt_of_late'] as const;
    for (const id of ids) {
      const body = eventOf({ id });
      expect((await post(body, signed(body))).status).toBe(200);
    }
    await service.sweep();
    const age = (id: string, changes: string) =>
      pool.query(`update card_events set ${changes} where event_id = $1`, [id]);
    await age(ids[0], `handled_at = now() - interval '32 days'`);
    await age(
      ids[1],
      `received_at = now() - interval '32 days', handled_at = null, next_try_at = now() + interval '1 day'`,
    );
    await age(ids[2], `handled_at = now() - interval '30 days'`);
    service.advanceClock(31);
    await service.sweep();
    service.advanceClock(-31);
    const { rows } = await pool.query('select event_id from card_events where event_id = any($1) order by 1', [ids]);
    expect(rows.map(({ event_id }) => event_id)).toEqual(['evt_of_late', 'evt_old_and_open']);
  });

  it('is for one address and one method, and larger than any is not read', async () => {
    const url = `${service.baseUrl}/api/webhooks/stripe`;
    expect((await fetch(url)).status).toBe(405);
    expect((await post('x'.repeat(600_000), 'x')).status).toBe(413);
  });

  it('that was missed is caught up with', async () => {
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    await fillIn((await click(stranger, body.payment_key)).body.url);
    service.advanceClock(31);
    await service.sweep();
    await service.sweep();
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
    const intent = (await stripe.books()).payment_intents.find(
      ({ metadata }) => metadata.payment_key === body.payment_key,
    );
    await stripe.openDispute({ payment_intent: intent?.id ?? '' });
    service.advanceClock(31);
    await service.sweep();
    await service.sweep();
    service.advanceClock(-62);
    expect((await agent.job(jobKey)).body.payment_state).toBe('disputed');
    await stripe.clearFaults();
  });
});

describe('money that comes late or twice', () => {
  it('goes back by itself, to the card, and the job keeps what it has', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const { url } = (await click(stranger, body.payment_key)).body;
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    // The page is recorded as ended though it is open: as after a restore, or a provider's error.
    await service.database.pool.query(
      `update payments set state = 'failed', decided_at = now(), failure = 'planted' where payment_key = $1`,
      [body.payment_key],
    );
    await service.database.pool.query(`update jobs set payment_state = 'none' where job_key = $1`, [jobKey]);
    await fillIn(url, cards.good);
    await stripe.clearFaults();
    await stripe.send((await stripe.deliveries()).filter(({ state }) => state === 'lost').map(({ id }) => id));
    await service.sweep();
    await service.sweep();
    const charge = (await stripe.books()).charges.find(
      ({ metadata, status }) => metadata.payment_key === body.payment_key && status === 'succeeded',
    );
    expect(charge?.amount_refunded).toBe(500);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
  });
});
