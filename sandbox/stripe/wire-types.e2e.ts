import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BANK_MOVES, type BankMove } from './bank.ts';
import { chargeSaved, checkout, customerWith, refusal, startTrialSeller, type TrialSeller } from './trial-seller.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** The stripe-node type of each address's answer. */
const LISTS = {
  '/v1/customers': 'Stripe.Customer',
  '/v1/checkout/sessions': 'Stripe.Checkout.Session',
  '/v1/payment_intents': 'Stripe.PaymentIntent',
  '/v1/charges': 'Stripe.Charge',
  '/v1/refunds': 'Stripe.Refund',
  '/v1/disputes': 'Stripe.Dispute',
  '/v1/radar/early_fraud_warnings': 'Stripe.Radar.EarlyFraudWarning',
  '/v1/balance_transactions': 'Stripe.BalanceTransaction',
  '/v1/events': 'Stripe.Event',
} as const;

let seller: TrialSeller;
const cleanups: (() => void)[] = [];
beforeAll(async () => {
  seller = await startTrialSeller();
  return seller.stop;
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** The raw answer, before stripe-node reads it. */
async function read(path: string) {
  const response = await fetch(`${seller.origin}${path}`, {
    headers: { authorization: 'Bearer sk_test_localSandboxOnly' },
  });
  return response.json();
}

/** Every kind of object, in each of its states. */
async function liveThroughEverything(): Promise<void> {
  const { stripe, control, origin } = seller;
  const buyer = await customerWith(stripe);
  const [kept, refunded, disputed, inquired, failed] = [
    await chargeSaved(stripe, buyer),
    await chargeSaved(stripe, buyer),
    await chargeSaved(stripe, buyer),
    await chargeSaved(stripe, buyer),
    await chargeSaved(stripe, buyer),
  ];
  for (const type of Object.keys(BANK_MOVES) as BankMove[]) await control.moveBalance(type, 100);
  await stripe.refunds.create({ payment_intent: refunded.id, reason: 'requested_by_customer' });
  const won = await control.openDispute({ payment_intent: disputed.id });
  await stripe.disputes.update(won.id, { evidence: { customer_name: 'Ada' } });
  await control.closeDispute(won.id, 'won');
  await control.openDispute({ payment_intent: inquired.id, inquiry: true });
  for (const { id } of [kept, inquired]) await control.warn(id);
  await control.outcome({ of: 'refund' });
  await control.settle((await stripe.refunds.create({ payment_intent: failed.id })).id, 'failed');
  await control.outcome({ of: 'refund' });
  await stripe.refunds.create({ payment_intent: kept.id, amount: 100 });
  for (const token of ['pm_card_chargeDeclined', 'pm_card_authenticationRequired']) {
    await refusal(chargeSaved(stripe, await customerWith(stripe, token)));
  }
  const asked = await customerWith(stripe, 'pm_card_authenticationRequired');
  const terms = { amount: 500, currency: 'usd', customer: asked.customer, payment_method: asked.card };
  await stripe.paymentIntents.create({ ...terms, confirm: true });
  await stripe.paymentIntents.create({ ...terms, confirm: true, return_url: origin });
  await stripe.paymentIntents.cancel((await stripe.paymentIntents.create(terms)).id);
  await control.outcome({ of: 'payment' });
  await chargeSaved(stripe, buyer);
  await checkout(seller);
  await stripe.checkout.sessions.expire((await checkout(seller)).id);
  const body = 'email=ada@example.com&number=4242424242424242&expiry=12/40&cvc=123&name=Ada';
  const paid = await checkout(seller, { payment_intent_data: { setup_future_usage: 'off_session' } });
  await fetch(paid.url ?? '', { method: 'POST', body, redirect: 'manual' });
  await stripe.paymentMethods.detach(asked.card);
}

/** The compiler's errors for values declared to be of stripe-node's types. */
async function compile(declarations: readonly string[]): Promise<string> {
  const parent = join(ROOT, '.data');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'wire-types-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'wire.ts'), ["import type Stripe from 'stripe';", ...declarations].join('\n'));
  const options = { noEmit: true, incremental: false, plugins: [] };
  const project = { extends: '../../tsconfig.json', compilerOptions: options, include: ['wire.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const run = promisify(execFile)(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder]);
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

const declare = (name: string, type: string, value: unknown) =>
  `export const ${name}: ${type} = ${JSON.stringify(value)};`;

describe('what goes over the wire', () => {
  it('is what the types of stripe-node describe, in every state; the compiler would see a wrong field', async () => {
    await liveThroughEverything();
    const declarations: string[] = [];
    const statuses = new Set<string>();
    for (const [path, type] of Object.entries(LISTS)) {
      const { data } = await read(`${path}?limit=100`);
      expect(data.length).toBeGreaterThan(0);
      for (const value of data) {
        if (typeof value.status === 'string') statuses.add(`${value.object} ${value.status}`);
        declarations.push(declare(`wire${declarations.length}`, type, value));
      }
    }
    for (const { id } of (await read('/v1/customers?limit=100')).data) {
      for (const value of (await read(`/v1/payment_methods?customer=${id}`)).data) {
        declarations.push(declare(`wire${declarations.length}`, 'Stripe.PaymentMethod', value));
      }
    }
    declarations.push(declare('balance', 'Stripe.Balance', await read('/v1/balance')));
    declarations.push(declare('account', 'Stripe.Account', await read('/v1/account')));
    expect(await compile(declarations)).toBe('');
    expect([...statuses].sort()).toEqual([
      'balance_transaction available',
      'balance_transaction pending',
      'charge failed',
      'charge succeeded',
      'checkout.session complete',
      'checkout.session expired',
      'checkout.session open',
      'dispute warning_needs_response',
      'dispute won',
      'payment_intent canceled',
      'payment_intent processing',
      'payment_intent requires_action',
      'payment_intent requires_payment_method',
      'payment_intent succeeded',
      'refund failed',
      'refund pending',
      'refund succeeded',
    ]);

    const [refund] = (await read('/v1/refunds')).data;
    const { charge: _missing, ...short } = refund;
    const wrong = [
      declare('unknown', 'Stripe.Refund', { ...refund, livemode: false }),
      declare('missing', 'Stripe.Refund', short),
      declare('mistyped', 'Stripe.Refund', { ...refund, amount: '500' }),
    ];
    const complaints = (await compile(wrong)).match(/^.*error TS/gm) ?? [];
    expect(complaints).toHaveLength(wrong.length);
  });
});
