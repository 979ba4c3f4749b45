import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { controlClient } from '../control-client.ts';
import { temporarySandbox } from '../temporary-sandbox.ts';

/** For the tests: a seller built with stock stripe-node, with its webhook endpoint, on a sandbox of its own. */
export interface TrialSeller {
  readonly stripe: Stripe;
  /** The provider's address. */
  readonly origin: string;
  /** The address of the seller's pages and its webhook endpoint. */
  readonly home: string;
  readonly control: ReturnType<typeof controlClient>['stripe'];
  /** Another client of the same account. */
  client(options?: { key?: string; retries?: number; timeout?: number }): Stripe;
  /** The events with a valid signature, in order of arrival. */
  readonly received: Stripe.Event[];
  /** Sets how the endpoint answers. */
  answerWith(status: number): void;
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export async function startTrialSeller(): Promise<TrialSeller> {
  const sandbox = await temporarySandbox();
  const control = controlClient(sandbox.controlUrl).stripe;
  const { hostname, port, origin } = new URL(sandbox.stripe.url);
  const client: TrialSeller['client'] = ({ key = sandbox.stripe.secretKey, retries = 0, timeout = TIMEOUT_MS } = {}) =>
    new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: retries, timeout, telemetry: false });
  const stripe = client();
  const received: Stripe.Event[] = [];
  let status = 200;
  const endpoint = await listen(
    createServer(async (request, response) => {
      if (request.method !== 'POST') {
        response.end('Back at the seller');
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const signature = request.headers['stripe-signature'] ?? '';
      const { webhookSecret } = sandbox.stripe;
      received.push(await stripe.webhooks.constructEventAsync(Buffer.concat(chunks), signature, webhookSecret));
      response.writeHead(status).end();
    }),
  );
  const home = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  await control.webhook({ url: `${home}/webhooks` });
  return {
    stripe,
    origin,
    home,
    control,
    client,
    received,
    answerWith(next) {
      status = next;
    },
    async stop() {
      endpoint.close();
      endpoint.closeAllConnections();
      await sandbox.stop();
    },
  };
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** A customer with a saved card. */
export async function customerWith(stripe: Stripe, token = 'pm_card_visa') {
  const customer = await stripe.customers.create({ email: 'ada@example.com', metadata: { account: 'acc_1' } });
  const card = await stripe.paymentMethods.attach(token, { customer: customer.id });
  return { customer: customer.id, card: card.id };
}

/** Charges a saved card off session, in a careful seller's two steps. */
export async function chargeSaved(stripe: Stripe, { customer, card }: { customer: string; card: string }) {
  const terms = { amount: 500, currency: 'usd', customer, payment_method: card, metadata: { job: 'job_1' } };
  const intent = await stripe.paymentIntents.create(terms);
  return stripe.paymentIntents.confirm(intent.id, { off_session: true });
}

/** A session like the card rail's. */
export function checkout({ stripe, home }: TrialSeller, changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  return stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Work check' } } },
    ],
    success_url: `${home}/paid?session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${home}/canceled`,
    client_reference_id: 'job_1',
    metadata: { job: 'job_1' },
    payment_intent_data: { metadata: { job: 'job_1' } },
    ...changes,
  });
}

/** The error of a refused call. Fails when it was not refused. */
export async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Stripe.errors.StripeError) return outcome;
  throw outcome ?? new Error('The call was not refused.');
}
