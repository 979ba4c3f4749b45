import { type Browser, chromium, type Page } from 'playwright';
import type Stripe from 'stripe';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../commands/chromium.ts';
import { accessibilityFindings } from '../../e2e/accessibility.ts';
import { chargeSaved, checkout, refusal, startTrialSeller, type TrialSeller } from './trial-seller.ts';

const PAYS = '4242 4242 4242 4242';
const ASKS = '4000 0027 6000 3184';
const ASKS_IF_ASKED = '4000 0000 0000 3055';
const ASKS_ONCE = '4000 0025 0000 3155';
const DECLINED = '4000 0000 0000 9995';

let seller: TrialSeller;
let stripe: Stripe;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  seller = await startTrialSeller();
  stripe = seller.stripe;
  const { executablePath, args, env } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args], env });
  return async () => {
    await browser.close();
    await seller.stop();
  };
});
beforeEach(async () => {
  page = await browser.newPage();
});
afterEach(() => page.close());

const saving: Partial<Stripe.Checkout.SessionCreateParams> = {
  saved_payment_method_options: { payment_method_save: 'enabled' },
};

async function fill(number: string, { expiry = '12 / 40' } = {}): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expires').fill(expiry);
  await page.getByLabel('CVC').fill('123');
  await page.getByLabel('Name on the card').fill('Ada Lovelace');
}

const press = () => page.getByRole('button', { name: 'Pay 5.00 USD' }).click();

describe('the hosted page', () => {
  it('takes a card, sends its payer back, and cannot be paid again', async () => {
    const session = await checkout(seller);
    await page.goto(session.url ?? '');
    await fill(PAYS);
    await press();
    await page.waitForURL(`${seller.home}/paid?session=${session.id}`);
    const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent.latest_charge'] });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      customer: null,
      client_reference_id: 'job_1',
      customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
      payment_intent: { status: 'succeeded', metadata: { job: 'job_1' }, latest_charge: { paid: true, amount: 500 } },
    });
    expect((await page.goto(session.url ?? ''))?.status()).toBe(410);
    await seller.control.untilDelivered();
    const completed = seller.received.find(({ type }) => type === 'checkout.session.completed');
    expect(completed?.data.object).toMatchObject({ id: session.id, payment_status: 'paid' });
  });

  it('says what is wrong with a card, and takes another for the same payment', async () => {
    const session = await checkout(seller);
    await page.goto(session.url ?? '');
    await fill('4242 4242 4242 4241', { expiry: '01 / 20' });
    await press();
    expect(await page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText('in the past').isVisible()).toBe(true);
    await fill(DECLINED);
    await press();
    expect(await page.getByRole('alert').textContent()).toBe('Your card has insufficient funds.');
    const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
    expect(open).toMatchObject({ status: 'open', payment_intent: { status: 'requires_payment_method' } });
    await fill(PAYS);
    await press();
    await page.waitForURL(/\/paid\?/);
    const { payment_intent: id } = await stripe.checkout.sessions.retrieve(session.id);
    const charges = (await stripe.charges.list({ payment_intent: String(id) })).data;
    expect(charges.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });

  it.each([
    ['Complete authentication', 'complete'],
    ['Fail authentication', 'open'],
  ])('asks the holder: %s leaves the session %s', async (answer, status) => {
    const session = await checkout(seller);
    await page.goto(session.url ?? '');
    await fill(ASKS);
    await press();
    expect((await stripe.checkout.sessions.retrieve(session.id)).payment_status).toBe('unpaid');
    await page.getByRole('button', { name: answer }).click();
    if (status === 'complete') await page.waitForURL(/\/paid\?/);
    else expect(await page.getByRole('alert').textContent()).toContain('unable to authenticate');
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe(status);
  });

  it('asks the holder of a card that leaves it to the seller only where the seller asks, and no holder of one without', async () => {
    const asking = { payment_method_options: { card: { request_three_d_secure: 'any' } } } as const;
    for (const [number, more, path] of [
      [ASKS_IF_ASKED, asking, /\/authenticate\//],
      [ASKS_IF_ASKED, {}, /\/paid\?/],
      [PAYS, asking, /\/paid\?/],
    ] as const) {
      await page.goto((await checkout(seller, more)).url ?? '');
      await fill(number);
      await press();
      await page.waitForURL(path);
    }
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('saves the card when the tick is %s: the customer holds %d', async (ticked, count) => {
    const { id: customer } = await stripe.customers.create({ email: 'saver@example.com' });
    const session = await checkout(seller, { ...saving, customer });
    await page.goto(session.url ?? '');
    expect(await page.getByLabel('E-mail').inputValue()).toBe('saver@example.com');
    await fill(PAYS);
    if (ticked) await page.getByLabel('Save this card').check();
    await press();
    await page.waitForURL(/\/paid\?/);
    const held = (await stripe.paymentMethods.list({ customer, type: 'card' })).data;
    expect(held).toHaveLength(count);
    const [card] = held;
    if (!card) return;
    expect(card).toMatchObject({ allow_redisplay: 'always', card: { last4: '4242', brand: 'visa' } });
    expect((await chargeSaved(stripe, { customer, card: card.id })).status).toBe('succeeded');
  });

  it('sets a card up for payments in its absence when the seller asks for that', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'once@example.com' });
    const session = await checkout(seller, { customer, payment_intent_data: { setup_future_usage: 'off_session' } });
    await page.goto(session.url ?? '');
    await fill(ASKS_ONCE);
    await press();
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await page.waitForURL(/\/paid\?/);
    const [card] = (await stripe.customers.listPaymentMethods(customer)).data;
    expect(card?.allow_redisplay).toBe('limited');
    expect((await chargeSaved(stripe, { customer, card: card?.id ?? '' })).status).toBe('succeeded');
  });

  it('is closed when the seller expires the session while the bank asks', async () => {
    const session = await checkout(seller);
    await page.goto(session.url ?? '');
    await fill(ASKS);
    await press();
    await stripe.checkout.sessions.expire(session.id);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await page.getByRole('heading', { name: 'Nothing to authenticate' }).waitFor();
    const { payment_intent: id } = await stripe.checkout.sessions.retrieve(session.id);
    expect(await stripe.paymentIntents.retrieve(String(id))).toMatchObject({ status: 'canceled', latest_charge: null });
    expect(await refusal(stripe.refunds.create({ payment_intent: String(id) }))).toMatchObject({ statusCode: 400 });
  });

  it('completes unpaid when the payment is processing, and says later how it went', async () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const session = await checkout(seller);
      await seller.control.outcome({ of: 'payment' });
      await page.goto(session.url ?? '');
      await fill(PAYS);
      await press();
      await page.waitForURL(/\/paid\?/);
      const open = await stripe.checkout.sessions.retrieve(session.id);
      expect(open).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
      await seller.control.settle(String(open.payment_intent), outcome);
      await seller.control.untilDelivered();
      expect(seller.received.map(({ type }) => type)).toContain(`checkout.session.async_payment_${outcome}`);
      const settled = await stripe.checkout.sessions.retrieve(session.id);
      expect(settled.payment_status).toBe(outcome === 'succeeded' ? 'paid' : 'unpaid');
    }
  });

  it('shows what a seller names as text, never as markup', async () => {
    const product_data = { name: '<img src=x onerror=alert(1)>', description: '"><script>' };
    const session = await checkout(seller, {
      line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data } }],
    });
    await page.goto(session.url ?? '');
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.getByText(product_data.name).isVisible()).toBe(true);
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
    ['light', 320],
  ] as const)('is accessible in %s, %d pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const { id: customer } = await stripe.customers.create({});
    const session = await checkout(seller, { ...saving, customer });
    await page.goto(session.url ?? '');
    await press();
    expect(await page.getByText('Enter an e-mail address.').isVisible()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/stripe-${colorScheme}-${width}.png`, fullPage: true });
    await fill(ASKS);
    await press();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Fail' }).click();
    if (folder) await page.screenshot({ path: `${folder}/stripe-failed-${colorScheme}-${width}.png`, fullPage: true });
  });
});
