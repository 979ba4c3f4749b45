import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { chargeSaved, checkout, customerWith, refusal, startTrialSeller, type TrialSeller } from './trial-seller.ts';

let seller: TrialSeller;
let stripe: Stripe;

beforeAll(async () => {
  seller = await startTrialSeller();
  stripe = seller.stripe;
  return seller.stop;
});

describe('a saved card', () => {
  it('is charged with nobody there, once created and then confirmed', async () => {
    const paid = await chargeSaved(stripe, await customerWith(stripe));
    expect(paid).toMatchObject({ status: 'succeeded', amount_received: 500, metadata: { job: 'job_1' } });
    const again = await refusal(stripe.paymentIntents.confirm(paid.id, { off_session: true }));
    expect(again).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
    expect(again.payment_intent?.status).toBe('succeeded');
  });

  it.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_authenticationRequired', 'authentication_required', 'authentication_required'],
    ['pm_card_authenticationRequiredOnSetup', 'authentication_required', 'authentication_required'],
    ['pm_card_chargeCustomerFail', 'card_declined', 'generic_decline'],
  ])('%s is declined with %s and %s, which leaves the intent open for another card', async (token, code, decline) => {
    const buyer = await customerWith(stripe, token);
    const error = await refusal(chargeSaved(stripe, buyer));
    expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code, decline_code: decline });
    expect(error.requestId).toMatch(/^req_/);
    const id = error.payment_intent?.id ?? '';
    const intent = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    expect(intent).toMatchObject({ status: 'requires_payment_method', payment_method: null });
    expect(intent.last_payment_error).toMatchObject({ code, payment_method: { id: buyer.card } });
    expect(intent.latest_charge).toMatchObject({ status: 'failed', paid: false, amount_captured: 0 });
    const saved = await stripe.paymentIntents
      .confirm(id, { payment_method: (await customerWith(stripe)).card })
      .catch((e) => e);
    expect(saved.message).toContain('must be attached to the customer');
  });

  it('of another customer, or of nobody any more, cannot be charged', async () => {
    const mine = await customerWith(stripe);
    const theirs = await customerWith(stripe);
    const foreign = await refusal(chargeSaved(stripe, { customer: mine.customer, card: theirs.card }));
    expect(foreign).toMatchObject({ statusCode: 400, param: 'payment_method' });
    const bare = { amount: 500, currency: 'usd', payment_method: theirs.card };
    expect((await refusal(stripe.paymentIntents.create(bare))).message).toContain('belongs to the Customer');
    await stripe.paymentMethods.detach(theirs.card);
    expect((await refusal(stripe.paymentIntents.create(bare))).message).toContain('may not be used again');
    expect((await stripe.paymentMethods.list({ customer: theirs.customer })).data).toEqual([]);
    expect(await refusal(stripe.paymentMethods.detach(theirs.card))).toMatchObject({ statusCode: 400 });
  });

  it('asks its holder when there is one to ask', async () => {
    const buyer = await customerWith(stripe, 'pm_card_authenticationRequired');
    const intent = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      customer: buyer.customer,
      payment_method: buyer.card,
      confirm: true,
      return_url: 'http://127.0.0.1:9/back',
    });
    expect(intent.status).toBe('requires_action');
    const page = intent.next_action?.redirect_to_url?.url ?? '';
    const answered = await fetch(page, { method: 'POST', body: 'outcome=complete', redirect: 'manual' });
    expect(answered.headers.get('location')).toContain('redirect_status=succeeded');
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded');
  });

  it('may be processing, until it is settled', async () => {
    await seller.control.outcome({ of: 'payment' });
    const intent = await chargeSaved(stripe, await customerWith(stripe));
    expect(intent.status).toBe('processing');
    expect(await refusal(stripe.paymentIntents.cancel(intent.id))).toMatchObject({ statusCode: 400 });
    await seller.control.settle(intent.id, 'succeeded');
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded');
  });
});

describe('a payment intent', () => {
  it('that is canceled takes no money any more', async () => {
    const { customer, card } = await customerWith(stripe);
    const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'usd', customer, payment_method: card });
    const canceled = await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect(await refusal(stripe.paymentIntents.confirm(intent.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    expect(await refusal(stripe.paymentIntents.cancel(intent.id))).toMatchObject({ statusCode: 400 });
  });
});

describe('parameters', () => {
  const raw = (path: string, body: string) =>
    fetch(`${seller.origin}${path}`, {
      method: 'POST',
      body,
      headers: {
        authorization: 'Bearer sk_test_localSandboxOnly',
        'content-type': 'application/x-www-form-urlencoded',
      },
    });

  it.each([
    ['amount=500&currency=usd&colour=red', 'parameter_unknown', 'colour'],
    [
      'amount=500&currency=usd&automatic_payment_methods[enabled]=true&automatic_payment_methods[x]=1',
      'parameter_unknown',
      'automatic_payment_methods[x]',
    ],
    ['amount=500&currency=usd&payment_method_types[0]=card', 'parameter_unknown', 'payment_method_types'],
    ['currency=usd', 'parameter_missing', 'amount'],
    ['amount=5.5&currency=usd', 'parameter_invalid_integer', 'amount'],
    ['amount=500&currency=usd&customer=', 'parameter_invalid_empty', 'customer'],
    ['amount=49&currency=usd', 'amount_too_small', 'amount'],
    ['amount=500&currency=usd&customer=cus_none', 'resource_missing', 'customer'],
  ])('%s are refused with %s', async (body, code, param) => {
    const response = await raw('/v1/payment_intents', body);
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatchObject({ type: 'invalid_request_error', code, param });
  });

  it('name things that exist: 404 in the path, and for an address that the API lacks', async () => {
    expect(await refusal(stripe.refunds.retrieve('re_none'))).toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 404,
      code: 'resource_missing',
    });
    expect((await refusal(stripe.subscriptions.list())).message).toContain('Unrecognized request URL');
    expect((await raw('/v1/customers', 'a=1&a[b]=2')).status).toBe(400);
  });

  it('expand what they name, and nothing that is no object', async () => {
    const { id } = await chargeSaved(stripe, await customerWith(stripe));
    const paths = ['latest_charge.balance_transaction', 'customer'];
    const intent = await stripe.paymentIntents.retrieve(id, { expand: paths });
    expect(intent.latest_charge).toMatchObject({ balance_transaction: { fee: 45, net: 455 } });
    expect(intent.customer).toMatchObject({ email: 'ada@example.com' });
    const [newest] = (await stripe.charges.list({ limit: 1, expand: ['data.payment_intent'] })).data;
    expect(newest?.payment_intent).toMatchObject({ id });
    expect(await refusal(stripe.paymentIntents.retrieve(id, { expand: ['amount'] }))).toMatchObject({
      param: 'expand',
    });
  });
});

describe('keys', () => {
  it.each([
    ['sk_live_abcdef', 'refuses live keys'],
    ['rk_live_abcdef', 'refuses live keys'],
    ['sk_test_wrong', 'Invalid API Key provided: sk_test_********rong'],
    ['pk_test_localSandboxOnly', 'publishable'],
  ])('%s is refused with 401', async (key, message) => {
    const error = await refusal(seller.client({ key }).customers.list());
    expect(error).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
    expect(error.message).toContain(message);
  });

  it('that are restricted do what a card rail needs, and nothing else', async () => {
    const restricted = seller.client({ key: 'rk_test_localSandboxOnly' });
    expect((await chargeSaved(restricted, await customerWith(restricted))).status).toBe('succeeded');
    expect(await refusal(restricted.balance.retrieve())).toMatchObject({
      type: 'StripePermissionError',
      statusCode: 403,
    });
  });
});

describe('lists', () => {
  it('go page by page, newest first, and stripe-node walks through them', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'lists@example.com' });
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      made.unshift((await stripe.paymentIntents.create({ amount: 500, currency: 'usd', customer })).id);
    }
    const first = await stripe.paymentIntents.list({ customer, limit: 3 });
    expect([first.has_more, first.data.map(({ id }) => id)]).toEqual([true, made.slice(0, 3)]);
    const walked: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ customer, limit: 2 })) walked.push(id);
    expect(walked).toEqual(made);
    const before = await stripe.paymentIntents.list({ customer, ending_before: made[3] ?? '', limit: 2 });
    expect(before.data.map(({ id }) => id)).toEqual(made.slice(1, 3));
    expect(await refusal(stripe.paymentIntents.list({ starting_after: 'pi_none' }))).toMatchObject({
      code: 'resource_missing',
      param: 'starting_after',
    });
    expect((await stripe.paymentIntents.list({ customer, created: { gt: 4_000_000_000 } })).data).toEqual([]);
  });
});

describe('a checkout session', () => {
  it('can be read, listed, and closed before anybody pays', async () => {
    const session = await checkout(seller);
    expect(session).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 500,
      payment_intent: null,
    });
    const read = await stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items'] });
    expect(read.line_items?.data).toMatchObject([{ description: 'Work check', amount_total: 500, quantity: 1 }]);
    expect((await stripe.checkout.sessions.list({ status: 'open', limit: 1 })).data[0]?.id).toBe(session.id);
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
    expect(await refusal(stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400 });
    expect((await fetch(session.url ?? '')).status).toBe(410);
  });

  it('expires by the clock', async () => {
    const { now } = await seller.control.state();
    const session = await checkout(seller, { expires_at: now + 1_800 });
    await seller.control.advance(1_801);
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('expired');
  });

  it('lives from half an hour to a day', async () => {
    const { now } = await seller.control.state();
    for (const seconds of [1_700, 86_500]) {
      expect(await refusal(checkout(seller, { expires_at: now + seconds }))).toMatchObject({ param: 'expires_at' });
    }
  });

  it('offers to save a card only for a customer', async () => {
    const saving = { saved_payment_method_options: { payment_method_save: 'enabled' as const } };
    expect(await refusal(checkout(seller, saving))).toMatchObject({ statusCode: 400 });
    const { id: customer } = await stripe.customers.create({});
    expect((await checkout(seller, { ...saving, customer })).saved_payment_method_options).toMatchObject({
      payment_method_save: 'enabled',
    });
  });
});
