import Stripe from 'stripe';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chargeSaved, customerWith, startTrialSeller, type TrialSeller } from './trial-seller.ts';
import { signatureHeader } from './webhooks.ts';

let seller: TrialSeller;
let stripe: Stripe;

beforeAll(async () => {
  seller = await startTrialSeller();
  stripe = seller.stripe;
  return seller.stop;
});
beforeEach(async () => {
  await seller.control.untilDelivered();
  seller.received.splice(0);
});
afterEach(async () => {
  seller.answerWith(200);
  await seller.control.clearFaults();
});

const types = () => seller.received.map(({ type }) => type);
const newCustomer = () => stripe.customers.create({ email: 'ada@example.com' });

describe('an event', () => {
  it('arrives signed for everything that happens, and can be read again', async () => {
    const paid = await chargeSaved(stripe, await customerWith(stripe));
    await stripe.refunds.create({ payment_intent: paid.id });
    await seller.control.openDispute({ payment_intent: (await chargeSaved(stripe, await customerWith(stripe))).id });
    await seller.control.untilDelivered();
    expect(new Set(types())).toEqual(
      new Set([
        'customer.created',
        'payment_method.attached',
        'payment_intent.created',
        'charge.succeeded',
        'payment_intent.succeeded',
        'refund.created',
        'charge.refunded',
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
      ]),
    );
    const event = seller.received.find(({ type }) => type === 'payment_intent.succeeded');
    expect(event).toMatchObject({ livemode: false, api_version: Stripe.API_VERSION, request: { id: /^req_/ } });
    const read = await stripe.events.retrieve(event?.id ?? '');
    expect(read).toMatchObject({ data: event?.data, pending_webhooks: 0 });
  });

  it('comes again until the seller takes it', async () => {
    seller.answerWith(500);
    await newCustomer();
    while (seller.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await stripe.events.list({ delivery_success: false })).data).toHaveLength(1);
    seller.answerWith(200);
    await seller.control.advance(60);
    await seller.control.untilDelivered();
    expect(new Set(seller.received.map(({ id }) => id)).size).toBe(1);
    expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
  });

  it('is given up after three days', async () => {
    seller.answerWith(503);
    await newCustomer();
    for (let state = 'waiting'; state !== 'given_up'; ) {
      await seller.control.advance(6 * 3_600);
      state = (await seller.control.deliveries())[0]?.state ?? '';
    }
    expect((await stripe.events.list({ delivery_success: false, limit: 1 })).data[0]?.pending_webhooks).toBe(1);
  });

  it('is listed by type, and for thirty days', async () => {
    await newCustomer();
    const newest = await stripe.events.list({ types: ['customer.*'], limit: 1 });
    expect(newest.data[0]?.type).toBe('customer.created');
    await seller.control.advance(31 * 86_400);
    expect((await stripe.events.list({ type: 'customer.created' })).data).toEqual([]);
  });
});

describe('the way of an event', () => {
  it('can be doubled', async () => {
    await seller.control.webhookFault({ mode: 'duplicate', copies: 3, type: 'customer.created' });
    await newCustomer();
    while (seller.received.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(new Set(seller.received.map(({ id }) => id)).size).toBe(1);
  });

  it('can be lost, and the list of events still has it', async () => {
    await seller.control.webhookFault({ mode: 'lose' });
    const { id } = await newCustomer();
    await seller.control.untilDelivered();
    expect(types()).toEqual([]);
    expect((await stripe.events.list({ limit: 1 })).data[0]?.data.object).toMatchObject({ id });
  });

  it('can be turned round', async () => {
    await seller.control.webhookFault({ mode: 'reorder', count: 4, times: 4 });
    await chargeSaved(stripe, await customerWith(stripe));
    await seller.control.untilDelivered();
    while (seller.received.length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    const order = types().filter((type) => type !== 'payment_intent.succeeded');
    expect(order).toEqual([
      'charge.succeeded',
      'payment_intent.created',
      'payment_method.attached',
      'customer.created',
    ]);
  });

  it('can be delayed', async () => {
    await seller.control.webhookFault({ mode: 'delay', ms: 500, type: 'customer.created' });
    const { customer } = await customerWith(stripe);
    await seller.control.untilDelivered();
    expect(types()).toEqual(['payment_method.attached', 'customer.created']);
    expect(seller.received[1]?.data.object).toMatchObject({ id: customer });
  });

  it('can be held up, and let go in any order, as often as wanted', async () => {
    await seller.control.webhookFault({ mode: 'withhold', times: 'always' });
    await customerWith(stripe);
    await seller.control.untilDelivered();
    expect(types()).toEqual([]);
    const [attached, created] = (await stripe.events.list({ limit: 2 })).data.map(({ id }) => id);
    await seller.control.send([attached ?? '', created ?? ''], 2);
    expect(types()).toEqual([
      'payment_method.attached',
      'payment_method.attached',
      'customer.created',
      'customer.created',
    ]);
    expect((await seller.control.send()).sent).toEqual([]);
  });
});

describe('a signature', () => {
  const { webhooks } = Stripe;
  const payload = JSON.stringify({ id: 'evt_1', object: 'event' }, null, 2);
  const seconds = (ago: number) => Date.now() - ago * 1_000;

  it('holds for either secret while one is being rolled', () => {
    const header = signatureHeader(payload, ['whsec_old', 'whsec_new']);
    for (const secret of ['whsec_old', 'whsec_new']) {
      expect(webhooks.constructEvent(payload, header, secret).id).toBe('evt_1');
    }
  });

  it('fails for another secret, another body, or after five minutes', () => {
    const header = signatureHeader(payload, ['whsec_a']);
    expect(() => webhooks.constructEvent(payload, header, 'whsec_b')).toThrow('No signatures found');
    expect(() => webhooks.constructEvent(JSON.stringify(JSON.parse(payload)), header, 'whsec_a')).toThrow(
      'No signatures',
    );
    const stale = signatureHeader(payload, ['whsec_a'], seconds(301));
    expect(() => webhooks.constructEvent(payload, stale, 'whsec_a')).toThrow('Timestamp outside the tolerance zone');
  });
});
