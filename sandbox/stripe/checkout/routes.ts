// The hosted pages: pay, authenticate, and their results.
import type Stripe from 'stripe';
import { findCustomer } from '../endpoints/customers.ts';
import { StripeFault } from '../errors.ts';
import { emit } from '../events.ts';
import { readForm } from '../form.ts';
import { newCustomer } from '../objects/customer.ts';
import { newPaymentIntent } from '../objects/payment-intent.ts';
import { newPaymentMethod } from '../objects/payment-method.ts';
import { attach, findMethod } from '../payment-methods.ts';
import { confirmIntent, failAuthentication } from '../payments.ts';
import type { Provider } from '../provider.ts';
import { completeSession, sessionOf } from '../sessions.ts';
import { readEntry } from './entry.ts';
import { authenticationPage, closedPage, paymentPage } from './pages.ts';

export type PageAnswer = { readonly status: number; readonly html: string } | { readonly redirect: string };

/** Answers a hosted page; undefined for other addresses. */
export function answerPage(provider: Provider, method: string, path: string, body: string): PageAnswer | undefined {
  const [, room, id = ''] = /^\/(c\/pay|authenticate)\/(\w+)$/.exec(path) ?? [];
  if (room === 'c/pay') return method === 'POST' ? pay(provider, id, textsOf(body)) : showPayment(provider, id);
  if (room !== 'authenticate') return undefined;
  return method === 'POST' ? authenticate(provider, id, textsOf(body)) : showAuthentication(provider, id);
}

function textsOf(body: string): Record<string, string> {
  const fields = Object.entries(readForm(body));
  return Object.fromEntries(fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/** A session with what it sells, or the page that says why it cannot be paid. */
function openSession({ store }: Provider, id: string) {
  const session = store.get('checkout.session', id);
  const facts = store.get('session_facts', id);
  if (!session || !facts) {
    return {
      closed: { status: 404, html: closedPage('Nothing here', 'There is no checkout session at this address.') },
    };
  }
  if (session.status === 'complete') {
    const html = closedPage("You're all done here", 'This checkout session has been completed.', session.cancel_url);
    return { closed: { status: 410, html } };
  }
  if (session.status !== 'open') {
    const html = closedPage('This link has expired', 'This checkout session is no longer open.', session.cancel_url);
    return { closed: { status: 410, html } };
  }
  return { session, facts };
}

function showPayment(provider: Provider, id: string): PageAnswer {
  const found = openSession(provider, id);
  if (found.closed) return found.closed;
  const { session, facts } = found;
  const customer = session.customer ? findCustomer(provider, String(session.customer)) : undefined;
  const email = session.customer_email ?? customer?.email ?? '';
  const intent = provider.store.get('payment_intent', String(session.payment_intent));
  const alert = intent?.last_payment_error?.message;
  return { status: 200, html: paymentPage(session, facts, { values: { email }, faults: {}, alert }) };
}

function pay(provider: Provider, id: string, values: Record<string, string>): PageAnswer {
  const found = openSession(provider, id);
  if (found.closed) return found.closed;
  const { session, facts } = found;
  const entry = readEntry(values, provider.clock.now());
  if ('faults' in entry) {
    return { status: 400, html: paymentPage(session, facts, { values, faults: entry.faults }) };
  }
  const offersToSave = session.saved_payment_method_options?.payment_method_save === 'enabled';
  const method = newPaymentMethod(provider, entry.card);
  if (entry.save && offersToSave) provider.store.put('payment_method', { ...method, allow_redisplay: 'always' });
  const intent = provider.store.put('payment_intent', { ...intentOf(provider, session), payment_method: method.id });
  const held = provider.store.put('checkout.session', { ...session, payment_intent: intent.id });
  try {
    const confirmed = confirmIntent(provider, intent, { offSession: false, authenticated: false });
    if (confirmed.status === 'requires_action') return { redirect: `${provider.origin}/authenticate/${confirmed.id}` };
    return finish(provider, held, confirmed);
  } catch (error) {
    if (!(error instanceof StripeFault)) throw error;
    // As on the real page, number and code must be typed again.
    const kept = { email: values.email ?? '', name: values.name ?? '', save: values.save ?? '' };
    return { status: 402, html: paymentPage(held, facts, { values: kept, faults: {}, alert: error.message }) };
  }
}

/** The session's intent: one for all attempts, made at the first. */
function intentOf(provider: Provider, session: Stripe.Checkout.Session): Stripe.PaymentIntent {
  const { store } = provider;
  const before = store.get('payment_intent', String(session.payment_intent));
  if (before) return before;
  const facts = store.get('session_facts', session.id);
  const data = facts?.intent ?? {};
  const intent = newPaymentIntent(provider, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? 'usd',
    customer: typeof session.customer === 'string' ? session.customer : undefined,
    description: data.description,
    metadata: data.metadata,
    receiptEmail: data.receipt_email,
    setupFutureUsage: data.setup_future_usage,
    statementDescriptorSuffix: data.statement_descriptor_suffix,
    asksHolder: facts?.asksHolder,
  });
  emit(provider, 'payment_intent.created', intent);
  return intent;
}

/** Completes the session after its payment and sends the payer back to the seller. */
function finish(provider: Provider, session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent): PageAnswer {
  const method = findMethod(provider, String(intent.payment_method));
  const { email, name } = method.billing_details;
  const customer = session.customer ?? createdCustomer(provider, session, { email, name });
  if (customer && method.customer === null && (method.allow_redisplay === 'always' || intent.setup_future_usage)) {
    attach(provider, method, String(customer));
  }
  if (customer && intent.customer === null) provider.store.put('payment_intent', { ...intent, customer });
  const details = { address: null, business_name: null, email, individual_name: null, name, phone: null };
  const complete = completeSession(
    provider,
    { ...session, customer },
    { ...details, tax_exempt: 'none', tax_ids: [] },
    intent.status === 'succeeded',
  );
  return { redirect: (complete.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', complete.id) };
}

/** Creates a customer for a session that wants one and has none. */
function createdCustomer(
  provider: Provider,
  { id, customer_creation: creation }: Stripe.Checkout.Session,
  { email, name }: { email: string | null; name: string | null },
): string | null {
  const saves = provider.store.get('session_facts', id)?.intent.setup_future_usage !== undefined;
  if (creation !== 'always' && !saves) return null;
  const given = { ...(email === null ? {} : { email }), ...(name === null ? {} : { name }) };
  const customer = provider.store.put('customer', newCustomer(provider, given));
  emit(provider, 'customer.created', customer);
  return customer.id;
}

const NOT_ASKED = {
  status: 410,
  html: closedPage('Nothing to authenticate', 'Your bank does not wait for an answer.'),
};

function showAuthentication({ store }: Provider, id: string): PageAnswer {
  const intent = store.get('payment_intent', id);
  return intent?.status === 'requires_action' ? { status: 200, html: authenticationPage(intent) } : NOT_ASKED;
}

function authenticate(provider: Provider, id: string, { outcome }: Record<string, string>): PageAnswer {
  const intent = provider.store.get('payment_intent', id);
  if (intent?.status !== 'requires_action') return NOT_ASKED;
  const session = sessionOf(provider, id);
  const back = intent.next_action?.redirect_to_url?.return_url;
  try {
    if (outcome !== 'complete') failAuthentication(provider, intent);
    const confirmed = confirmIntent(provider, intent, { offSession: false, authenticated: true });
    return session ? finish(provider, session, confirmed) : { redirect: returnTo(back, id, 'succeeded') };
  } catch (error) {
    if (!(error instanceof StripeFault)) throw error;
    return { redirect: session?.url ?? returnTo(back, id, 'failed') };
  }
}

/** The seller's page, with the result as Stripe reports it. */
function returnTo(url: string | null | undefined, id: string, status: string): string {
  const address = new URL(url ?? 'about:blank');
  address.searchParams.set('payment_intent', id);
  address.searchParams.set('redirect_status', status);
  return address.href;
}
