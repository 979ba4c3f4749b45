import type Stripe from 'stripe';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chargeSaved, customerWith, refusal, startTrialSeller, type TrialSeller } from './trial-seller.ts';

let seller: TrialSeller;
let stripe: Stripe;
let paid: Stripe.PaymentIntent;

beforeAll(async () => {
  seller = await startTrialSeller();
  stripe = seller.stripe;
  return seller.stop;
});
beforeEach(async () => {
  paid = await chargeSaved(stripe, await customerWith(stripe));
});

async function chargeOf({ id }: Stripe.PaymentIntent) {
  const [charge] = (await stripe.charges.list({ payment_intent: id })).data;
  return charge;
}

/** All that the provider owes the seller, in cents. */
async function total(): Promise<number> {
  const { available, pending } = await stripe.balance.retrieve();
  return (available[0]?.amount ?? 0) + (pending[0]?.amount ?? 0);
}

describe('a refund', () => {
  it('gives the whole charge back, once', async () => {
    const before = await total();
    const refund = await stripe.refunds.create({ payment_intent: paid.id, metadata: { job: 'job_1' } });
    expect(refund).toMatchObject({ status: 'succeeded', amount: 500, payment_intent: paid.id });
    expect(await chargeOf(paid)).toMatchObject({ refunded: true, amount_refunded: 500 });
    expect(await total()).toBe(before - 500);
    const again = await refusal(stripe.refunds.create({ payment_intent: paid.id }));
    expect(again).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
    expect((await stripe.refunds.list({ payment_intent: paid.id })).data).toHaveLength(1);
  });

  it('gives a part back, and never more than is left', async () => {
    await stripe.refunds.create({ payment_intent: paid.id, amount: 200 });
    expect(await refusal(stripe.refunds.create({ payment_intent: paid.id, amount: 301 }))).toMatchObject({
      param: 'amount',
    });
    expect((await stripe.refunds.create({ payment_intent: paid.id })).amount).toBe(300);
  });

  it('is refused for what was never paid', async () => {
    const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'usd' });
    expect(await refusal(stripe.refunds.create({ payment_intent: intent.id }))).toMatchObject({ statusCode: 400 });
  });

  it.each(['succeeded', 'failed'] as const)('may be pending, and then %s', async (outcome) => {
    await seller.control.outcome({ of: 'refund' });
    const before = await total();
    const pending = await stripe.refunds.create({ payment_intent: paid.id });
    expect(pending).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    await seller.control.settle(pending.id, outcome, 'declined');
    const settled = await stripe.refunds.retrieve(pending.id);
    expect([settled.status, settled.failure_reason]).toEqual([outcome, outcome === 'failed' ? 'declined' : undefined]);
    expect(await total()).toBe(outcome === 'failed' ? before : before - 500);
    expect((await chargeOf(paid))?.refunded).toBe(outcome === 'succeeded');
  });

  it('of some cards settles or fails by the clock', async () => {
    const slow = await chargeSaved(stripe, await customerWith(stripe, 'pm_card_pendingRefund'));
    const bad = await chargeSaved(stripe, await customerWith(stripe, 'pm_card_refundFail'));
    const refunds = [
      await stripe.refunds.create({ payment_intent: slow.id }),
      await stripe.refunds.create({ payment_intent: bad.id }),
    ];
    expect(refunds.map(({ status }) => status)).toEqual(['pending', 'succeeded']);
    await seller.control.advance(3_600);
    const later = await Promise.all(refunds.map(({ id }) => stripe.refunds.retrieve(id)));
    expect(later.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });
});

describe('a dispute', () => {
  it('takes money and fee, cannot be refunded on top, and gives the money back when it is won', async () => {
    const before = await total();
    const { id } = await seller.control.openDispute({ payment_intent: paid.id });
    const opened = await stripe.disputes.retrieve(id);
    expect(opened).toMatchObject({ status: 'needs_response', amount: 500, is_charge_refundable: false });
    expect(await chargeOf(paid)).toMatchObject({ disputed: true });
    expect(await total()).toBe(before - 500 - 1_500);
    expect(await refusal(stripe.refunds.create({ payment_intent: paid.id }))).toMatchObject({
      code: 'charge_disputed',
    });
    const answered = await stripe.disputes.update(id, { evidence: { uncategorized_text: 'It was delivered.' } });
    expect(answered).toMatchObject({ status: 'under_review', evidence_details: { submission_count: 1 } });
    await seller.control.closeDispute(id, 'won');
    expect(await stripe.disputes.retrieve(id)).toMatchObject({ status: 'won' });
    expect(await total()).toBe(before - 1_500);
    expect((await stripe.refunds.create({ payment_intent: paid.id })).status).toBe('succeeded');
    await expect(seller.control.closeDispute(id, 'lost')).rejects.toThrow('409');
  });

  it('is lost by an answer of the bank, or when nobody answers in time', async () => {
    const other = await chargeSaved(stripe, await customerWith(stripe));
    const lost = await seller.control.openDispute({ payment_intent: paid.id, reason: 'product_not_received' });
    const ignored = await seller.control.openDispute({ payment_intent: other.id });
    await seller.control.closeDispute(lost.id, 'lost');
    await seller.control.advance(8 * 86_400);
    const found = await Promise.all([lost.id, ignored.id].map((id) => stripe.disputes.retrieve(id)));
    expect(found.map(({ status }) => status)).toEqual(['lost', 'lost']);
    expect(found[0]?.reason).toBe('product_not_received');
  });

  it('that was lost may be won after all, once, which gives the money back', async () => {
    const before = await total();
    const { id } = await seller.control.openDispute({ payment_intent: paid.id });
    await seller.control.closeDispute(id, 'lost');
    expect(await total()).toBe(before - 2_000);
    await seller.control.closeDispute(id, 'won');
    expect(await total()).toBe(before - 1_500);
    await expect(seller.control.closeDispute(id, 'won')).rejects.toThrow('409');
  });

  it('may begin as an inquiry, which takes no money and can be refunded', async () => {
    const before = await total();
    const inquiry = await seller.control.openDispute({ payment_intent: paid.id, inquiry: true });
    expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true });
    expect(await total()).toBe(before);
    await seller.control.closeDispute(inquiry.id, 'lost');
    expect(await stripe.disputes.retrieve(inquiry.id)).toMatchObject({ status: 'needs_response' });
    expect(await total()).toBe(before - 2_000);
  });

  it('cannot be opened of what has gone back in full', async () => {
    await stripe.refunds.create({ payment_intent: paid.id });
    await expect(seller.control.openDispute({ payment_intent: paid.id })).rejects.toThrow('409');
  });

  it('comes by itself with the card that is made for it', async () => {
    const disputed = await chargeSaved(stripe, await customerWith(stripe, 'pm_card_createDispute'));
    expect(disputed.status).toBe('succeeded');
    await seller.control.advance(10);
    expect((await stripe.disputes.list({ payment_intent: disputed.id })).data).toMatchObject([
      { reason: 'fraudulent' },
    ]);
  });
});

describe('the books', () => {
  it('add up: every movement has its source, and the balance is their sum', async () => {
    const books = await seller.control.books();
    const sources = new Set([...books.charges, ...books.refunds, ...books.disputes].map(({ id }) => id));
    expect(books.movements.every(({ source }) => sources.has(String(source)))).toBe(true);
    const net = books.movements.reduce((sum, movement) => sum + movement.amount - movement.fee, 0);
    expect(await total()).toBe(net);
    expect(books.fees).toBe(books.movements.reduce((sum, { fee }) => sum + fee, 0));
    const listed = await stripe.balanceTransactions.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
    expect(listed.map(({ id }) => id).reverse()).toEqual(books.movements.map(({ id }) => id));
  });

  it('make a payment available after two days', async () => {
    const charge = await chargeOf(paid);
    const read = () => stripe.balanceTransactions.retrieve(String(charge?.balance_transaction));
    expect(await read()).toMatchObject({ status: 'pending', fee: 45, net: 455 });
    await seller.control.advance(2 * 86_400);
    expect((await read()).status).toBe('available');
  });

  it('belong to one test account', async () => {
    expect(await stripe.accounts.retrieveCurrent()).toMatchObject({ charges_enabled: true, default_currency: 'usd' });
  });
});

describe('an early fraud warning', () => {
  it('is announced by the card of its number, and leaves nothing to do once the charge has gone back or is disputed', async () => {
    const bad = await chargeSaved(stripe, await customerWith(stripe, 'pm_card_createIssuerFraudRecord'));
    expect((await stripe.radar.earlyFraudWarnings.list({ payment_intent: bad.id })).data).toEqual([]);
    await seller.control.advance(60);
    const warnings = (await stripe.radar.earlyFraudWarnings.list({ payment_intent: bad.id })).data;
    expect(warnings).toMatchObject([
      { object: 'radar.early_fraud_warning', actionable: true, charge: bad.latest_charge },
    ]);
    expect((await stripe.events.list({ types: ['radar.early_fraud_warning.created'] })).data).toHaveLength(1);
    const other = await seller.control.warn(paid.id);
    await stripe.refunds.create({ payment_intent: bad.id });
    await seller.control.openDispute({ payment_intent: paid.id });
    const ids = [warnings[0]?.id ?? '', other.id];
    const later = await Promise.all(ids.map((id) => stripe.radar.earlyFraudWarnings.retrieve(id)));
    expect(later.map(({ actionable }) => actionable)).toEqual([false, false]);
    expect(await refusal(stripe.radar.earlyFraudWarnings.retrieve('issfr_none'))).toMatchObject({
      code: 'resource_missing',
    });
  });
});
