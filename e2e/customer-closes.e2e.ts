import { expect, it, vi } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { Agent } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser, sizes } from './support/browser.ts';
import { claim, register } from './support/customer.ts';
import { codeIn } from './support/letter.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();
const email = 'leaving@harbourlane.example';
const letters = () => controlClient(stack.sandboxUrl).mail(email);

it('an owner closes the account on a phone without scripts, is told so, and begins anew with the same address', async () => {
  const agent = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
  const registration = await register(agent, email);
  await vi.waitUntil(async () => (await letters()).length > 0, patience);
  agent.token = (await claim(agent, registration, codeIn((await letters())[0]?.text ?? ''))).body.credential;
  const jobKey = await agent.authorizedJob();

  const context = await browser.newContext({ viewport: sizes.narrow, javaScriptEnabled: false });
  const page = await context.newPage();
  const words = async () => (await page.getByRole('main').innerText()).replaceAll('\u00a0', ' ');
  const newest = async (subject: RegExp) => (await addressesIn(stack.sandboxUrl, email, subject))[0] ?? '';
  await page.goto(`${stack.baseUrl}/account/close`);
  await page.getByLabel('Your e-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a sign-in link' }).click();
  await expect.poll(() => newest(/sign-in link/), patience).not.toBe('');
  await page.goto(await newest(/sign-in link/));
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The sign-in leads back to where it was asked for; opening that closes nothing.
  expect(new URL(page.url()).pathname).toBe('/account/close');
  expect(await words()).toMatch(/1 agent: keys and grants[\s\S]*1 unpaid purchase: canceled[\s\S]*Kept by us/);
  const looking = await (await browser.newContext()).newPage();
  await looking.context().addCookies(await context.cookies());
  await looking.goto(page.url());
  expect(await faultsOf(looking, 'close-account')).toEqual([]);

  // The way there from the account page, and back out of it.
  await page.getByRole('link', { name: 'Keep it' }).click();
  await page.getByRole('link', { name: /See what closing ends/ }).click();
  const form = await page.locator('form[action="/account/close/confirm"] input').getAttribute('value');
  await page.getByRole('button', { name: 'Close it' }).click();
  expect(await words()).toContain('Your account is closed');
  await looking.goto(`${stack.baseUrl}/account/close`);
  expect((await looking.getByRole('main').innerText()).startsWith('Sign in to close the account')).toBe(true);
  expect((await agent.get('/api/agent/v1/me')).status).toBe(401);

  // A second press from a page that was still open closes nothing more.
  const again = await context.request.post(`${stack.baseUrl}/account/close/confirm`, {
    form: { account: form ?? '' },
    headers: { origin: stack.baseUrl },
  });
  expect(await again.text()).toContain('If you have just closed the account, it is closed');
  // Another site's form does nothing.
  const foreign = await context.request.post(`${stack.baseUrl}/account/close/confirm`, {
    form: { account: form ?? '' },
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(foreign.status()).toBe(403);

  await expect.poll(() => newest(/account is closed/), patience).toContain('/contact');
  const stored = async () => (await letters()).find(({ subject }) => subject === 'Your Work Check account is closed');
  expect((await stored())?.text).toContain('Not paid: 1.');

  const later = new Agent(stack.baseUrl, `0x${'2'.repeat(64)}`);
  const anew = await register(later, email);
  await expect.poll(async () => (await letters())[0]?.subject, patience).toBe('Confirm an agent for Work Check');
  later.token = (await claim(later, anew, codeIn((await letters())[0]?.text ?? ''))).body.credential;
  expect((await later.get('/api/agent/v1/me')).status).toBe(200);
  expect((await later.get(`/api/agent/v1/jobs/${jobKey}`)).status).toBe(404);
});
