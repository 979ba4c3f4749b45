import { randomUUID } from 'node:crypto';
import { controlClient } from '../../sandbox/control-client.ts';
import { openCardProvider } from '../../server/payments/card/provider.ts';
import { price } from '../../server/service/terms.ts';
import type { Agent, Answer, Client } from './agent.ts';
import { type Customer, connectedAgent } from './customer.ts';
import { Member } from './member.ts';
import type { Service } from './service.ts';

/** Numbers of test cards (docs.stripe.com/testing). */
export const cards = {
  good: '4242424242424242',
  mastercard: '5555555555554444',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  declinedLater: '4000000000000341',
  lostLater: '4000000000000358',
  asksHolder: '4000002760003184',
  /** Its bank asks its holder only where the seller wants that. */
  asksIfAsked: '4000000000003055',
  refundPending: '4000000000007726',
  refundFails: '4000000000005126',
} as const;

let numbered = 0;
function nextNumber(prefix: string): string {
  numbered += 1;
  const digits = `${prefix}${String(numbered).padStart(7, '0')}`;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Another card that its bank refuses once it is kept: a card rests after a decline. */
export const nextDeclinedLater = (): string => nextNumber('40000034');
/** Another good card. */
export const nextGood = (): string => nextNumber('42424200');

/** An agent, its customer as a signed-in member, and the controls of the Stripe stand-in. */
export async function buyingByCard(service: Service, changes: Record<string, unknown> = {}) {
  const { agent, customer } = await connectedAgent(service, changes);
  await agent.get('/api/agent/v1/me');
  const member = await Member.of(service, agent, customer.email);
  return { agent, customer: customer as Customer, member };
}

export const stripeOf = (service: Service) => controlClient(service.sandbox.controlUrl).stripe;

/** Makes the stand-in send its events to this service. */
export async function listen(service: Service): Promise<void> {
  await stripeOf(service).webhook({ url: `${service.baseUrl}/api/webhooks/stripe` });
}

/** Asks to pay for a job by card. */
export function payByCard(
  agent: Agent,
  jobKey: string,
  method = 'card_checkout',
  key: string = randomUUID(),
): Promise<Answer> {
  return agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, { rail: 'card', method, idempotency_key: key });
}

/** The payer clicks on our page. Returns the address of the provider's page. */
export async function click(client: Pick<Client, 'post'>, paymentKey: string): Promise<Answer> {
  return client.post(`/api/agent/v1/payments/${paymentKey}/checkout`);
}

/** Fills in the provider's page, by default with a good card of its own: a dispute blocks a card everywhere. Resolves to its status and where it leads. */
export async function fillIn(url: string, card: string = nextGood(), { save = false } = {}) {
  const fields = { email: 'ada@example.com', number: card, expiry: '12 / 40', cvc: '123', name: 'Ada' };
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(save ? { ...fields, save: 'on' } : fields),
    redirect: 'manual',
  });
  return { status: response.status, location: response.headers.get('location') ?? '' };
}

/** A person opens the link that an agent was given, and a good card pays there. */
export async function payAt(service: Service, agent: Agent, link: string): Promise<void> {
  const { body: page } = await click(agent, new URL(link).pathname.replace('/pay/', ''));
  await fillIn(page.url);
  await heard(service);
}

/** The provider's charges for a payment, and the cents refunded of each. */
export async function chargesOf(controlUrl: string, paymentKey: string): Promise<{ amount: number; back: number }[]> {
  const { charges } = await controlClient(controlUrl).stripe.books();
  return charges
    .filter(({ metadata, status }) => status === 'succeeded' && metadata.payment_key === paymentKey)
    .map(({ amount, amount_refunded: back }) => ({ amount, back }));
}

/** The seller acts at the provider, as in its dashboard. */
export function dashboardOf({ sandbox }: Pick<Service, 'sandbox'>) {
  const { secretKey, url: apiUrl } = sandbox.stripe;
  return openCardProvider({ secretKey, apiUrl, mode: 'test' }).stripe;
}

/** A charge that bypasses the page, as when the page was canceled too late. Returns its intent. */
export async function chargeBeside(service: Pick<Service, 'sandbox'>, paymentKey: string): Promise<string> {
  const { id } = await dashboardOf(service).paymentIntents.create({
    amount: Number(price / 1_000_000n),
    currency: 'usd',
    payment_method: 'pm_card_visa',
    allowed_payment_method_types: ['card'],
    confirm: true,
    metadata: { payment_key: paymentKey },
  });
  return id;
}

/** A job paid on the page; with `save` the member ticks to save the card. */
export async function paidOnPage(
  service: Service,
  agent: Agent,
  { card = nextGood(), member }: { card?: string; member?: Member } = {},
): Promise<{ jobKey: string; paymentKey: string }> {
  const jobKey = await agent.authorizedJob();
  const { body } = await payByCard(agent, jobKey);
  const { body: page } = await click(member ?? agent, body.payment_key);
  await fillIn(page.url, card, { save: member !== undefined });
  await heard(service);
  return { jobKey, paymentKey: body.payment_key };
}

/** Waits until the stand-in has sent its events and the worker has handled them. */
export async function heard(service: Service): Promise<void> {
  await stripeOf(service).untilDelivered();
  await service.sweep();
}
