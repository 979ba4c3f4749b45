// The control port's routes to the stand-in for Stripe.
import { z } from 'zod';
import { type Answer, BRAND, type Call, Refusal, type Routes, readBody } from '../http.ts';
import { BANK_MOVES, type BankMove, moveBalance } from './bank.ts';
import { closeDispute, openDispute } from './disputes.ts';
import { ENDPOINT_NAMES } from './endpoints/all.ts';
import { balanceOf } from './endpoints/balance.ts';
import { StripeFault } from './errors.ts';
import { apiFaultSchema, outcomeSchema, webhookFaultSchema } from './faults.ts';
import { current } from './objects/balance-transaction.ts';
import { settlePayment } from './payments.ts';
import type { Provider } from './provider.ts';
import { failRefund, settleRefund } from './refunds.ts';
import type { StripeSandbox } from './server.ts';
import { sessionOf, settleSession } from './sessions.ts';
import { warn } from './warnings.ts';

const CLOCK_SECONDS_MAX = 366 * 86_400;
const COPIES_MAX = 100;

const clockSchema = z.strictObject({ seconds: z.int().min(0).max(CLOCK_SECONDS_MAX) });
const webhookSchema = z.strictObject({
  url: z.url().optional(),
  secrets: z.array(z.string().min(1)).min(1).max(2).optional(),
});
const sendSchema = z.strictObject({
  /** In this order; by default all withheld ones, oldest first. */
  events: z.array(z.string()).max(1_000).optional(),
  copies: z.int().min(1).max(COPIES_MAX).default(1),
});
const disputeSchema = z.strictObject({
  payment_intent: z.string(),
  reason: z.string().max(100).optional(),
  inquiry: z.boolean().optional(),
  /** Cents. */
  amount: z.int().positive().optional(),
  again: z.boolean().optional(),
});
const warningSchema = z.strictObject({ payment_intent: z.string(), fraud_type: z.string().max(100).optional() });
const closeSchema = z.strictObject({
  outcome: z.enum(['won', 'lost']),
  /** Cents. */
  fee_back: z.int().nonnegative().optional(),
});
const moveSchema = z.strictObject({
  type: z.enum(Object.keys(BANK_MOVES) as [BankMove, ...BankMove[]]),
  /** Cents. */
  amount: z.int().min(1).max(100_000_000).optional(),
});
const settleSchema = z.strictObject({
  /** A pending refund, or a processing payment intent. */
  id: z.string(),
  outcome: z.enum(['succeeded', 'failed']),
  failure_reason: z.string().max(100).optional(),
});

/** The control port's routes to the provider's books, clock and faults. */
export function stripeRoutes(sandbox: StripeSandbox): Routes {
  const { api, webhooks } = sandbox;
  const { provider } = api;
  const state = () => ({
    json: {
      sandbox: BRAND,
      faults: api.faults.list(),
      webhook_faults: webhooks.faults.list(),
      outcomes: provider.outcomes.list(),
      held: api.holds.held(),
      webhook: webhooks.configure({}),
      now: provider.clock.now(),
    },
  });

  return {
    'GET /stripe': state,
    'GET /stripe/books': () => ({ json: booksOf(provider) }),
    'GET /stripe/calls': () => ({ json: { calls: api.calls } }),
    'POST /stripe/faults': (call) => {
      const fault = readBody(apiFaultSchema, call);
      if (fault.on !== 'any' && !ENDPOINT_NAMES.includes(fault.on)) {
        throw new Refusal(
          400,
          'invalid_body',
          `There is no endpoint ${fault.on}; there are ${ENDPOINT_NAMES.join(', ')}.`,
        );
      }
      api.faults.add(fault);
      return state();
    },
    'POST /stripe/outcomes': (call) => {
      provider.outcomes.add(readBody(outcomeSchema, call));
      return state();
    },
    'POST /stripe/webhook/faults': (call) => {
      webhooks.faults.add(readBody(webhookFaultSchema, call));
      return state();
    },
    'DELETE /stripe/faults': () => {
      for (const queue of [api.faults, provider.outcomes, webhooks.faults]) queue.clear();
      api.holds.release();
      return state();
    },
    'POST /stripe/release': () => ({ json: { released: api.holds.release() } }),
    ...lifeRoutes(sandbox),
    ...webhookRoutes(sandbox),
  };
}

/** Makes something happen at the provider without a request. */
function happen({ store }: Provider, what: () => unknown): Answer {
  try {
    const result = what();
    return { json: result ?? null };
  } catch (error) {
    if (error instanceof StripeFault) throw new Refusal(409, 'conflict', error.message);
    throw error;
  } finally {
    store.save();
  }
}

/** What time, banks and cardholders do. */
function lifeRoutes({ api, webhooks }: StripeSandbox): Routes {
  const { provider } = api;
  return {
    'POST /stripe/clock': (call) =>
      happen(provider, () => {
        provider.clock.advance(readBody(clockSchema, call).seconds);
        api.runDue();
        webhooks.pump();
        return { now: provider.clock.now() };
      }),
    'POST /stripe/disputes': (call) =>
      happen(provider, () => {
        const { payment_intent: id, ...given } = readBody(disputeSchema, call);
        return openDispute(provider, chargeOf(provider, id), given);
      }),
    'POST /stripe/disputes/:id': (call) =>
      happen(provider, () => {
        const dispute = provider.store.get('dispute', call.path.id ?? '');
        if (!dispute) throw new Refusal(404, 'not_found', `There is no dispute ${call.path.id}.`);
        const { outcome, fee_back: feeBack } = readBody(closeSchema, call);
        return closeDispute(provider, dispute, outcome, feeBack);
      }),
    'POST /stripe/warnings': (call) =>
      happen(provider, () => {
        const { payment_intent: id, fraud_type: type } = readBody(warningSchema, call);
        return warn(provider, chargeOf(provider, id), type);
      }),
    'POST /stripe/movements': (call) =>
      happen(provider, () => {
        const { type, amount } = readBody(moveSchema, call);
        return moveBalance(provider, type, amount);
      }),
    'POST /stripe/settle': (call) => happen(provider, () => settle(provider, call)),
  };
}

function webhookRoutes({ api: { provider }, webhooks }: StripeSandbox): Routes {
  const deliveries = () => provider.store.list('delivery');
  return {
    'POST /stripe/webhook': (call) => {
      const { url, secrets } = readBody(webhookSchema, call);
      return { json: webhooks.configure({ ...(url ? { url } : {}), ...(secrets ? { secrets } : {}) }) };
    },
    'GET /stripe/webhook/deliveries': () => ({ json: { deliveries: deliveries() } }),
    'POST /stripe/webhook/send': async (call) => {
      const { events, copies } = readBody(sendSchema, call);
      const withheld = deliveries().filter(({ state }) => state === 'withheld');
      const chosen = events ?? withheld.reverse().map(({ id }) => id);
      const unknown = chosen.find((id) => !provider.store.get('event', id));
      if (unknown !== undefined) throw new Refusal(404, 'not_found', `There is no event ${unknown}.`);
      await webhooks.send(chosen, copies);
      return { json: { sent: chosen } };
    },
  };
}

function chargeOf({ store }: Provider, intentId: string) {
  const intent = store.get('payment_intent', intentId);
  const charge = store.get('charge', String(intent?.latest_charge));
  if (!charge) throw new Refusal(404, 'not_found', `There is no charge of ${intentId}.`);
  return charge;
}

function settle(provider: Provider, call: Call): unknown {
  const { id, outcome, failure_reason: reason } = readBody(settleSchema, call);
  const refund = provider.store.get('refund', id);
  if (refund) return outcome === 'succeeded' ? settleRefund(provider, refund) : failRefund(provider, refund, reason);
  const intent = provider.store.get('payment_intent', id);
  if (!intent) throw new Refusal(404, 'not_found', `There is no refund or payment intent ${id}.`);
  const session = sessionOf(provider, id);
  try {
    settlePayment(provider, intent, outcome);
  } catch (error) {
    const declined = error instanceof StripeFault && error.status === 402;
    if (!declined) throw error;
  }
  if (session) settleSession(provider, session, outcome === 'succeeded');
  return provider.store.get('payment_intent', id);
}

/** All movements of money, oldest first, and their totals: for comparison with our books. */
export function booksOf(provider: Provider) {
  const { store } = provider;
  const movements = store.list('balance_transaction').map((one) => current(provider, one));
  return {
    customers: store.list('customer').reverse(),
    sessions: store.list('checkout.session').reverse(),
    payment_intents: store.list('payment_intent').reverse(),
    payment_methods: store.list('payment_method').reverse(),
    charges: store.list('charge').reverse(),
    refunds: store.list('refund').reverse(),
    disputes: store.list('dispute').reverse(),
    movements: movements.reverse(),
    fees: movements.reduce((sum, { fee }) => sum + fee, 0),
    balance: balanceOf(provider),
  };
}
