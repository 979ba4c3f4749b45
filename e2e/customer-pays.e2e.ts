import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { Agent, facilitatorFault, settlementsOf } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser, sizes } from './support/browser.ts';
import { BrowserWallet } from './support/browser-wallet.ts';
import { nextGood } from './support/card.ts';
import { claim, register } from './support/customer.ts';
import { codeIn } from './support/letter.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();
let agent: Agent;
const email = 'ines.pays@harbourlane.example';

beforeAll(async () => {
  agent = await agentOf(email);
});

/** An agent whose customer confirmed it by the letter's code. */
async function agentOf(address: string): Promise<Agent> {
  const one = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
  const registration = await register(one, address);
  while ((await letters(address)).length === 0) await sleep(patience.interval);
  const code = codeIn((await letters(address))[0]?.text ?? '');
  one.token = (await claim(one, registration, code)).body.credential;
  return one;
}

const letters = (address = email) => controlClient(stack.sandboxUrl).mail(address);
const stripe = () => controlClient(stack.sandboxUrl).stripe;
const mainText = (page: Page) => page.getByRole('main').innerText();
async function mainTextAgain(page: Page): Promise<string> {
  await page.reload();
  return mainText(page);
}
const jobOf = async (jobKey: string) => (await agent.job(jobKey)).body;

async function newPage(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}

/** Follows the newest letter with this subject, once it has come. */
async function followLetter(page: Page, address: string, subject: RegExp): Promise<void> {
  const links = () => addressesIn(stack.sandboxUrl, address, subject);
  await expect.poll(async () => (await links()).length, patience).toBeGreaterThan(0);
  await page.goto((await links())[0] ?? '');
}

/** An unpaid job, and the payment link that the agent hands over. */
async function linkToPay(method?: 'card_checkout'): Promise<{ jobKey: string; url: string }> {
  const jobKey = await agent.authorizedJob();
  const { status, body } = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
    rail: 'card',
    method: method ?? 'card_checkout',
    idempotency_key: randomUUID(),
  });
  expect({ status, ...body }).toMatchObject({ status: 202, payment_state: 'requires_payer' });
  return { jobKey, url: body.continuation_url };
}

/** Types a card on the provider's page and submits it. */
async function typeCard(page: Page, { number = '4242 4242 4242 4242', save = false } = {}): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expires').fill('12 / 40');
  await page.getByLabel('CVC').fill('123');
  await page.getByLabel('Name on the card').fill('Ines Moreno');
  if (save) await page.getByLabel(/Save this card/).check();
  await page.getByRole('button', { name: /^Pay/ }).click();
}

/** Signs a member of the agent's account in by letter, from their current page. */
async function signInHere(page: Page, address = email): Promise<void> {
  const links = () => addressesIn(stack.sandboxUrl, address, /sign-in link/);
  const before = (await links()).length;
  await page.getByLabel('Your e-mail address').fill(address);
  await page.getByRole('button', { name: 'Send me a sign-in link' }).click();
  await expect.poll(async () => (await links()).length, patience).toBeGreaterThan(before);
  await page.goto((await links())[0] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('a payment link', () => {
  it('shows who asks, the price and the limits to anyone who has it, and nothing of the job', async () => {
    const { jobKey, url } = await linkToPay();
    expect(new URL(url).pathname).toMatch(/^\/pay\/\w+$/);
    const page = await newPage();
    await page.goto(url);
    const words = (await mainText(page)).replaceAll('\u00a0', ' ');
    for (const shown of [
      '5.00 USD',
      'Procurement Assistant',
      'not verified',
      '10.00',
      '50.00',
      'No limit',
      'Test mode',
    ]) {
      expect(words).toContain(shown);
    }
    const source = await page.content();
    for (const hidden of ['Rotterdam', jobKey, email]) expect(source).not.toContain(hidden);
    expect(await faultsOf(page, 'pay-open')).toEqual([]);
    await page.goto(url.replace(/\w+$/, 'pay_unknown'));
    expect(await mainText(page)).toContain('Nothing here');
  });

  it('is paid by card without script, and again it asks for nothing', async () => {
    const { jobKey, url } = await linkToPay();
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(url);
    expect(await mainText(page)).toContain('needs JavaScript, which is off');
    await page.getByRole('button', { name: /by card/ }).click();
    expect(await page.getByLabel(/Save this card/).count()).toBe(0);
    await typeCard(page);
    await page.waitForURL(url);
    await expect
      .poll(async () => (await mainTextAgain(page)).replaceAll('\u00a0', ' '), patience)
      .toContain('5.00 USD collected');
    expect(await page.getByRole('button', { name: /pay/i }).count()).toBe(0);
    expect(await mainText(page)).toContain('Whoever runs the agent gets the report.');
    expect(await page.getByRole('link', { name: 'Read the report' }).count()).toBe(0);
    expect(await jobOf(jobKey)).not.toMatchObject({ state: 'awaiting_payment' });
  });

  it('says in plain words that the provider’s page did not open, and is paid a minute later', async () => {
    const { url } = await linkToPay();
    const page = await newPage();
    await page.goto(url);
    await stripe().fault({ mode: 'error_500', on: 'checkout.sessions.create', times: 1 });
    await page.getByRole('button', { name: /by card/ }).click();
    await page
      .getByText('The card page could not be opened. Try again in a minute. Nothing was paid by that.')
      .waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Pay 5\.00.USD for a check\?$/);
    await page.getByRole('button', { name: /by card/ }).click();
    await typeCard(page);
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
  });

  it('can still be paid after the payer came back from the provider’s page without paying', async () => {
    const { url } = await linkToPay();
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('button', { name: /by card/ }).click();
    await page.getByRole('link', { name: 'Cancel and go back' }).click();
    expect(page.url()).toBe(url);
    // A payer who comes back may have paid: the page says so first.
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Not paid yet?');
    expect(await faultsOf(page, 'pay-begun')).toEqual([]);
    await page.getByRole('button', { name: 'Not paid yet' }).click();
    await typeCard(page);
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
    expect(await faultsOf(page, 'pay-paid')).toEqual([]);
  });

  it('says that the card was refused, why and what to do, and is paid with another one', async () => {
    const { url } = await linkToPay();
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('button', { name: /by card/ }).click();
    await typeCard(page, { number: '4000 0000 0000 9995' });
    await page.getByRole('link', { name: 'Cancel and go back' }).click();
    await page.getByRole('heading', { name: 'The card was refused' }).waitFor(patience);
    expect(await mainText(page)).toMatch(/not enough money on the card\. Nothing was paid by that\. Pay with another/);
    expect(await faultsOf(page, 'pay-refused')).toEqual([]);
    await page.getByRole('button', { name: 'Not paid yet' }).click();
    await typeCard(page);
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
  });

  it('believes nothing that its address says', async () => {
    const { url } = await linkToPay();
    const page = await newPage();
    await page.goto(`${url}?session_id=cs_test_1&status=succeeded&redirect_status=succeeded`);
    await page.getByRole('button', { name: /by card/ }).waitFor();
    expect(await mainText(page)).not.toContain('collected');
  });

  it('leads to the provider only by a form of its own page', async () => {
    const { url } = await linkToPay();
    const headers = { origin: 'https://elsewhere.example', 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${url}/checkout`, { method: 'POST', headers, body: '', redirect: 'manual' });
    expect(answer.status).toBe(403);
  });

  it('is paid from a browser wallet with one transfer, and then no more by card', async () => {
    const { jobKey, url } = await linkToPay();
    const wallet = await BrowserWallet.funded(stack.sandboxUrl);
    const page = await newPage();
    await wallet.enter(page);
    await page.goto(url);
    await page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
    expect(await settlementsOf(stack.sandboxUrl, wallet.account.address)).toHaveLength(1);
    expect(await jobOf(jobKey)).not.toMatchObject({ state: 'awaiting_payment' });
    const again = await fetch(`${url}/checkout`, {
      method: 'POST',
      headers: { origin: stack.baseUrl, 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
      redirect: 'manual',
    });
    expect(again.headers.get('location')).toBe(new URL(url).pathname);
  });

  it('says not to pay again while nobody knows, by itself that it is collected, and offers no button between', async () => {
    const { url } = await linkToPay();
    const wallet = await BrowserWallet.funded(stack.sandboxUrl);
    const page = await newPage();
    await wallet.enter(page);
    await page.goto(url);
    await facilitatorFault(stack.sandboxUrl, { mode: 'drop_after_settle', times: 1 });
    await page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await page.getByRole('heading', { name: /do not pay again|collected/ }).waitFor(patience);
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
    expect(await settlementsOf(stack.sandboxUrl, wallet.account.address)).toHaveLength(1);
  });
});

describe('a saved card', () => {
  // The first agent has spent its day's limit.
  const cardholder = 'mira.pays@harbourlane.example';
  beforeAll(async () => {
    agent = await agentOf(cardholder);
  });

  it('is offered to a signed-in member alone, listed, charged for the agent, and removed for good', async () => {
    const { url, jobKey: linked } = await linkToPay();
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('link', { name: 'sign in first' }).click();
    await signInHere(page, cardholder);
    expect(page.url()).toBe(url);
    // From the list, too, an unpaid purchase leads to where it is paid.
    await page.goto(`${stack.baseUrl}/reports/${linked}`);
    await page.getByRole('link', { name: /^Pay/ }).click();
    await page.waitForURL(url);
    await page.getByRole('button', { name: /by card/ }).click();
    await typeCard(page, { save: true });
    await page.getByRole('heading', { name: /collected/ }).waitFor(patience);
    await page.getByRole('link', { name: 'Read the report' }).click();
    await page.waitForURL(`${stack.baseUrl}/reports/${linked}`);
    await page.goto(`${stack.baseUrl}/account`);
    await expect.poll(() => mainTextAgain(page), patience).toContain('Visa ending 4242');
    expect(await faultsOf(page, 'account-cards')).toEqual([]);

    const jobKey = await agent.authorizedJob();
    const body = { rail: 'card', method: 'card_saved', idempotency_key: randomUUID() };
    const paid = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, body);
    expect(paid).toMatchObject({ status: 200, body: { payment_state: 'collected' } });

    await page.getByRole('button', { name: 'Remove Visa ending 4242' }).click();
    expect(await mainText(page)).toContain('Removed. No agent can be charged to that card any more.');
    expect(await mainText(page)).not.toContain('4242');
    const next = await agent.authorizedJob();
    const refused = await agent.post(`/api/agent/v1/jobs/${next}/payments`, { ...body, idempotency_key: randomUUID() });
    expect(refused.body.payment_state).not.toBe('collected');
    const { charges } = await stripe().books();
    expect(charges.filter(({ status }) => status === 'succeeded').length).toBeGreaterThan(0);
  });
});

describe('the page of a payment link, later', () => {
  // The first agent has spent its day's limit.
  beforeAll(async () => {
    agent = await agentOf('piet@harbourlane.example');
  });

  /** A delivered job that was paid on its link, and a page that shows the link. */
  async function paidByLink(
    number?: string,
  ): Promise<{ jobKey: string; url: string; page: Page; heading: () => Promise<string> }> {
    const { jobKey, url } = await linkToPay();
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('button', { name: /by card/ }).click();
    await typeCard(page, { ...(number ? { number } : {}) });
    await expect.poll(async () => (await jobOf(jobKey)).state, patience).toBe('delivered');
    const heading = async () => {
      await page.goto(url);
      return (await page.getByRole('heading', { level: 1 }).innerText()).replaceAll('\u00a0', ' ');
    };
    return { jobKey, url, page, heading };
  }

  /** The bank contests what was paid on this link. Resolves to the dispute's id. */
  async function contested(url: string): Promise<string> {
    const { payment_intents } = await stripe().books();
    const intent = payment_intents.find(({ metadata }) => metadata.payment_key === url.split('/').at(-1));
    return (await stripe().openDispute({ payment_intent: intent?.id ?? '', reason: 'fraudulent' })).id;
  }

  it('says that it ended, once the agent asked for no payment any more', async () => {
    const { jobKey, url } = await linkToPay();
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).status).toBe(200);
    const page = await newPage();
    await page.goto(url);
    expect(await mainText(page)).toContain('This link is no longer valid');
    expect(await faultsOf(page, 'pay-ended')).toEqual([]);
  });

  it('says that the money went back, once the charge was waived', async () => {
    const { jobKey, page, heading } = await paidByLink();
    for (const state of ['redelivered', 'waived']) {
      await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'dispute', reason: 'report_incomplete' });
      await expect.poll(async () => (await jobOf(jobKey)).state, patience).toBe(state);
    }
    await expect.poll(heading, patience).toBe('5.00 USD went back');
    expect(await faultsOf(page, 'pay-refunded')).toEqual([]);
  });

  it('blocks the account while the bank contests it, says so wherever its people look, and lets it buy again', async () => {
    const address = 'dora@harbourlane.example';
    agent = await agentOf(address);
    const { jobKey, url } = await paidByLink();
    const id = await contested(url);
    const page = await (await browser.newContext({ viewport: sizes.narrow, javaScriptEnabled: false })).newPage();
    await followLetter(page, address, /^A bank disputes a payment/);
    await signInHere(page, address);
    expect(new URL(page.url()).pathname).toBe('/account');
    const blocked = 'Your agents can buy nothing new for now';
    expect(await mainText(page)).toMatch(new RegExp(`${blocked}[\\s\\S]*ask your bank to withdraw the dispute`));
    for (const place of ['/agents', '/purchases']) {
      await page.goto(stack.baseUrl + place);
      expect([place, await mainText(page)]).toEqual([place, expect.stringContaining(blocked)]);
    }
    expect(await page.getByRole('listitem').filter({ hasText: jobKey }).innerText()).toContain('Disputed');
    await page.getByRole('link', { name: 'What to do' }).click();
    expect(page.url()).toBe(`${stack.baseUrl}/account#blocked`);
    await stripe().closeDispute(id, 'won');
    await followLetter(page, address, /^Your account can buy again$/);
    expect(await mainText(page)).not.toContain(blocked);
    await page.goto(`${stack.baseUrl}/agents`);
    expect(await mainText(page)).not.toContain(blocked);
    expect((await jobOf(await agent.authorizedJob())).state).toBe('awaiting_payment');
    await page.context().close();
    agent = await agentOf('rosa@harbourlane.example');
  });

  it('gives back what the bank reports as fraud, and says so in a letter, on the link and on the account page', async () => {
    const address = 'enno@harbourlane.example';
    agent = await agentOf(address);
    const { url, page: paid, heading } = await paidByLink(nextGood());
    const { payment_intents } = await stripe().books();
    const intent = payment_intents.find(({ metadata }) => metadata.payment_key === url.split('/').at(-1));
    await stripe().warn(intent?.id ?? '');
    await expect.poll(heading, patience).toBe('5.00 USD went back');
    expect(await faultsOf(paid, 'pay-reported')).toEqual([]);
    const page = await (await browser.newContext({ viewport: sizes.narrow })).newPage();
    await followLetter(page, address, /^Your account cannot buy for now$/);
    await signInHere(page, address);
    expect(await mainText(page)).toMatch(
      /reported that its holder did not make a payment[\s\S]*Its bank reports it as fraud\./,
    );
    expect(await faultsOf(page, 'account-reported')).toEqual([]);
    await page.context().close();
    agent = await agentOf('jule@harbourlane.example');
  });

  // Last: it blocks the account.
  it('says that the bank asks for the money, and that it took it', async () => {
    const { url, page, heading } = await paidByLink();
    const id = await contested(url);
    await expect.poll(heading, patience).toBe('Paid, and disputed');
    expect(await faultsOf(page, 'pay-disputed')).toEqual([]);
    await stripe().closeDispute(id, 'lost');
    await expect.poll(heading, patience).toBe('5.00 USD was taken back');
    expect(await faultsOf(page, 'pay-reversed')).toEqual([]);
  });
});
