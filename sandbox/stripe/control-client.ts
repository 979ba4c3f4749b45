import type Stripe from 'stripe';
import type { z } from 'zod';
import type { CallRecord } from './api.ts';
import type { BankMove } from './bank.ts';
import type { ApiFault, apiFaultSchema, outcomeSchema, webhookFaultSchema } from './faults.ts';
import type { Delivery } from './records.ts';
import type { booksOf } from './routes.ts';
import type { WebhookTarget } from './webhooks.ts';

type CallControl = <Result>(method: string, path: string, body?: unknown) => Promise<Result>;
type State = { faults: ApiFault[]; held: number; now: number; webhook: WebhookTarget };

const POLL_MS = 10;

/** The stand-in for Stripe on the control port, as functions. Each rejects with the sandbox's sentence. */
export function stripeControl(call: CallControl) {
  const state = () => call<State>('GET', '/stripe');
  const deliveries = async () =>
    (await call<{ deliveries: Delivery[] }>('GET', '/stripe/webhook/deliveries')).deliveries;
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  };
  return {
    state,
    /** All movements of money at the provider, oldest first. */
    books: () => call<ReturnType<typeof booksOf>>('GET', '/stripe/books'),
    /** Requests to the API, newest first. */
    calls: async () => (await call<{ calls: CallRecord[] }>('GET', '/stripe/calls')).calls,
    fault: (fault: z.input<typeof apiFaultSchema>) => call<State>('POST', '/stripe/faults', fault),
    /** The next payment is `processing`, the next refund `pending`, until it is settled. */
    outcome: (outcome: z.input<typeof outcomeSchema>) => call<State>('POST', '/stripe/outcomes', outcome),
    webhookFault: (fault: z.input<typeof webhookFaultSchema>) => call<State>('POST', '/stripe/webhook/faults', fault),
    /** Clears all faults and releases what is held. */
    clearFaults: () => call<State>('DELETE', '/stripe/faults'),
    /** Resolves when that many calls wait to be released. */
    untilHeld: (count = 1) => until(async () => (await state()).held >= count),
    release: () => call<{ released: number }>('POST', '/stripe/release'),
    /** Moves the provider's clock forward and does what is due. */
    advance: (seconds: number) => call<{ now: number }>('POST', '/stripe/clock', { seconds }),
    /** The address of events, and the secret that signs them. */
    webhook: (target: { url?: string; secrets?: string[] }) => call<WebhookTarget>('POST', '/stripe/webhook', target),
    /** Events on their way, newest first. */
    deliveries,
    /** Resolves when no event is on its way. */
    untilDelivered: () => until(async () => (await deliveries()).every(({ state }) => state !== 'waiting')),
    /** Sends these events in this order; by default all withheld ones, oldest first. */
    send: (events?: readonly string[], copies = 1) =>
      call<{ sent: string[] }>('POST', '/stripe/webhook/send', { ...(events ? { events } : {}), copies }),
    openDispute: (dispute: {
      payment_intent: string;
      reason?: string;
      inquiry?: boolean;
      amount?: number;
      again?: boolean;
    }) => call<Stripe.Dispute>('POST', '/stripe/disputes', dispute),
    closeDispute: (id: string, outcome: 'won' | 'lost', more: { fee_back?: number } = {}) =>
      call<Stripe.Dispute>('POST', `/stripe/disputes/${id}`, { outcome, ...more }),
    /** A bank warns of fraud, before any dispute. */
    warn: (payment_intent: string) =>
      call<Stripe.Radar.EarlyFraudWarning>('POST', '/stripe/warnings', { payment_intent }),
    /** Moves the balance by cents; a payout takes all that is available. */
    moveBalance: (type: BankMove, amount?: number) =>
      call<Stripe.BalanceTransaction>('POST', '/stripe/movements', { type, ...(amount ? { amount } : {}) }),
    /** Decides a refund that is pending, or a payment that is processing; a refund may also fail after it succeeded. */
    settle: (id: string, outcome: 'succeeded' | 'failed', failureReason?: string) =>
      call<Stripe.Refund | Stripe.PaymentIntent>('POST', '/stripe/settle', {
        id,
        outcome,
        ...(failureReason ? { failure_reason: failureReason } : {}),
      }),
  };
}
