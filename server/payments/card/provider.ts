import Stripe from 'stripe';
import type { CardConfiguration } from '../../configuration/card.ts';
import { counted, isAnswer } from '../../kernel/metrics.ts';
import { type Microcents, microcents } from '../../kernel/money.ts';

/** Calls to the card provider and its answers, without jobs or rows. */

/** Time-out of a call; then its outcome is looked up. */
const timeoutMs = 20_000;
/** One cent in microcents. */
const microcentsPerCent = 1_000_000n;

export type Intent = Stripe.PaymentIntent;
export type Session = Stripe.Checkout.Session;

/** The client of the configured account. */
export interface CardProvider {
  readonly stripe: Stripe;
  readonly isLive: boolean;
}

/** Opens the client of a configured account. Calls nothing yet. */
export function openCardProvider(
  configuration: Pick<CardConfiguration, 'secretKey' | 'apiUrl' | 'mode'>,
): CardProvider {
  const { secretKey, apiUrl, mode } = configuration;
  const address = apiUrl ? new URL(apiUrl) : null;
  const stripe = new Stripe(secretKey, {
    // We retry ourselves, with the persisted key.
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    httpClient: countedClient(),
    ...(address
      ? {
          host: address.hostname,
          protocol: address.protocol === 'http:' ? ('http' as const) : ('https' as const),
          port: address.port || (address.protocol === 'http:' ? '80' : '443'),
        }
      : {}),
  });
  return { stripe, isLive: mode === 'live' };
}

/** The client's own way to ask, with each call counted. */
function countedClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const ask = client.makeRequest.bind(client);
  client.makeRequest = (...call) => counted('card', ask(...call), (answer) => isAnswer(answer.getStatusCode()));
  return client;
}

/** An amount in cents. Throws on a fraction. */
export function toCents(amount: bigint): number {
  if (amount % microcentsPerCent !== 0n) throw new RangeError(`${amount} microcents are not whole cents`);
  return Number(amount / microcentsPerCent);
}

export function fromCents(cents: number): Microcents {
  return microcents(BigInt(cents) * microcentsPerCent);
}

/** A payment intent with its charge, that charge's fee, and the card. */
export function retrieveIntent({ stripe }: CardProvider, intentId: string): Promise<Intent> {
  return stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge.balance_transaction', 'payment_method'] });
}

/** The id of an expandable field. */
export function idOf(value: string | { id: string } | null | undefined): string | null {
  return typeof value === 'string' ? value : (value?.id ?? null);
}

/**
 * Whether the provider itself failed. It replays such an answer for the call's key, so the next try of a call that is
 * safe to repeat takes a new one.
 */
export function isProviderFailure(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAPIError && (error.statusCode ?? 0) >= 500;
}

/** The bank's decline; null for any other error. */
export function declineOf(error: unknown): { code: string; needsHolder: boolean } | null {
  if (!(error instanceof Stripe.errors.StripeCardError)) return null;
  return declineNamed(error.code ?? null, error.decline_code ?? null);
}

/** The same, from an intent. */
export function declineIn({ last_payment_error: last }: Intent): { code: string; needsHolder: boolean } | null {
  return last ? declineNamed(last.code ?? null, last.decline_code ?? null) : null;
}

function declineNamed(code: string | null, declineCode: string | null) {
  const holder = ['authentication_required', 'payment_intent_authentication_failure'];
  const needsHolder = holder.includes(code ?? '') || holder.includes(declineCode ?? '');
  return { code: needsHolder ? 'authentication_required' : (declineCode ?? code ?? 'card_declined'), needsHolder };
}

/** Whether a call was refused for good: it had no effect, and never will. */
export function isRefusedForGood(error: unknown): boolean {
  const isGood = error instanceof Stripe.errors.StripeInvalidRequestError;
  return isGood && (error.statusCode === 400 || error.statusCode === 404);
}

/** Refusals that end by themselves, or say that somebody else decides. */
const passing = [
  'balance_insufficient',
  'insufficient_funds',
  'lock_timeout',
  'resource_missing',
  'refund_disputed_payment',
];

/** Why a call is refused whenever it is made; null where that is not sure. */
export function lastingRefusal(error: unknown): string | null {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.statusCode !== 400) return null;
  return isRefusedAs(error, ...passing) ? null : (error.code ?? error.message);
}

/** Whether it was refused because the provider no longer has its card or customer. */
export function isAboutCard(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && ['payment_method', 'customer'].includes(error.param ?? '');
}

/** Whether a call was refused for this reason. */
export function isRefusedAs(error: unknown, ...codes: string[]): boolean {
  return error instanceof Stripe.errors.StripeError && codes.includes(error.code ?? '');
}
