import type Stripe from 'stripe';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { customerWith, refusal, startTrialSeller, type TrialSeller } from './trial-seller.ts';

let seller: TrialSeller;
let stripe: Stripe;
let count = 0;

beforeAll(async () => {
  seller = await startTrialSeller();
  stripe = seller.stripe;
  return seller.stop;
});
afterEach(() => seller.control.clearFaults());

function newKey(): { idempotencyKey: string } {
  count += 1;
  return { idempotencyKey: `key-${count}` };
}

const create = (key: Stripe.RequestOptions, name = 'Ada', client = stripe) => client.customers.create({ name }, key);

/** The number of customers with this name. */
async function made(name: string): Promise<number> {
  return (await seller.control.books()).customers.filter((one) => one.name === name).length;
}

describe('an idempotency key', () => {
  it('gets the same answer again, marked as a replay', async () => {
    const key = newKey();
    const first = await create(key);
    const second = await create(key);
    expect(second).toEqual(first);
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(second.lastResponse.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request': first.lastResponse.requestId,
    });
    expect(second.lastResponse.requestId).not.toBe(first.lastResponse.requestId);
  });

  it('is refused with other parameters, or at another endpoint', async () => {
    const key = newKey();
    const { id } = await create(key);
    const parameters = await refusal(create(key, 'Grace'));
    expect(parameters).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    expect((await refusal(stripe.customers.update(id, { name: 'Ada' }, key))).message).toContain('same endpoint');
  });

  it('is refused with 409 while its first request is under way', async () => {
    const key = newKey();
    await seller.control.fault({ mode: 'hold_before', on: 'customers.create' });
    const first = create(key, 'Held');
    await seller.control.untilHeld();
    expect(await refusal(create(key, 'Held'))).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect(await made('Held')).toBe(0);
    await seller.control.release();
    expect((await create(key, 'Held')).id).toBe((await first).id);
    expect(await made('Held')).toBe(1);
  });

  it('keeps a decline, with the intent as it was', async () => {
    const buyer = await customerWith(stripe, 'pm_card_chargeDeclined');
    const terms = { amount: 500, currency: 'usd', customer: buyer.customer, payment_method: buyer.card };
    const intent = await stripe.paymentIntents.create(terms);
    const key = newKey();
    const confirm = () => refusal(stripe.paymentIntents.confirm(intent.id, { off_session: true }, key));
    const [first, second] = [await confirm(), await confirm()];
    expect([first.statusCode, second.statusCode]).toEqual([402, 402]);
    expect(second.charge).toBe(first.charge);
    expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);
  });

  it('does not keep what was refused before any work began', async () => {
    const key = newKey();
    await refusal(stripe.customers.create({ email: 'no address' }, key));
    expect((await stripe.customers.create({ email: 'ada@example.com' }, key)).email).toBe('ada@example.com');
  });

  it.each([
    ['error_500', 0],
    ['error_500_after', 1],
  ] as const)('keeps answering 500 after %s, and the work was done %d times', async (mode, times) => {
    const key = newKey();
    await seller.control.fault({ mode, on: 'customers.create' });
    for (let call = 0; call < 3; call += 1) {
      expect(await refusal(create(key, mode))).toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
    }
    expect(await made(mode)).toBe(times);
  });

  it('is forgotten after a day', async () => {
    const key = newKey();
    const first = await create(key, 'Day');
    // A minute on either side: the clock goes on between two requests.
    await seller.control.advance(86_340);
    expect((await create(key, 'Day')).id).toBe(first.id);
    await seller.control.advance(120);
    expect((await create(key, 'Day')).id).not.toBe(first.id);
  });
});

describe('a fault', () => {
  it.each([
    ['drop_before', 0],
    ['drop_after', 1],
    ['sever', 1],
    ['truncate', 1],
  ] as const)('%s is no answer, and the work was done %d times; the key finds out', async (mode, times) => {
    const key = newKey();
    // stripe-node retries a broken connection once.
    await seller.control.fault({ mode, on: 'customers.create', times: mode === 'truncate' ? 1 : 2 });
    await refusal(create(key, mode));
    expect(await made(mode)).toBe(times);
    await seller.control.clearFaults();
    expect((await create(key, mode)).name).toBe(mode);
    expect(await made(mode)).toBe(1);
  });

  it('slow answers late, after the work was done', async () => {
    const key = newKey();
    await seller.control.fault({ mode: 'slow', on: 'customers.create', ms: 3_000, times: 2 });
    const late = await refusal(create(key, 'Slow', seller.client({ timeout: 300 })));
    expect(late.type).toBe('StripeConnectionError');
    expect(await made('Slow')).toBe(1);
  });

  it.each([
    ['conflict_409', 409, 'StripeAPIError'],
    ['limit_429', 429, 'StripeRateLimitError'],
  ] as const)('%s keeps nothing', async (mode, statusCode, type) => {
    const key = newKey();
    await seller.control.fault({ mode, on: 'customers.create' });
    expect(await refusal(create(key, mode))).toMatchObject({ statusCode, type });
    expect((await create(key, mode)).name).toBe(mode);
    expect(await made(mode)).toBe(1);
  });

  it('strikes the call that it is meant for', async () => {
    await seller.control.fault({ mode: 'limit_429', on: 'customers.create', skip: 2 });
    await create(newKey());
    await stripe.customers.list();
    await create(newKey());
    expect((await refusal(create(newKey()))).statusCode).toBe(429);
    expect((await seller.control.calls())[0]).toMatchObject({
      endpoint: 'customers.create',
      fault: 'limit_429',
      status: 429,
    });
    await expect(seller.control.fault({ mode: 'slow', on: 'nothing.at_all' })).rejects.toThrow('There is no endpoint');
  });
});
