import { afterAll, expect, it } from 'vitest';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import { openDatabase } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import { Agent } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser } from './support/browser.ts';

const { stack, browser } = await shareInBrowser();
const db = openDatabase(stack.databaseUrl, { connections: 2 });
afterAll(() => db.end());

/** No host has this name, so each try fails. */
const url = 'https://hooks.example.invalid/orders';

it('an owner names an address, sees its secret once, why it fails, has events sent again, and removes it', async () => {
  const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  const { account_key: accountKey } = (await agent.get('/api/agent/v1/me')).body;
  const signIn = () =>
    makeSignInLink(db, stack.baseUrl, { accountKey, email: 'owner.webhooks@example.com' }, new Date());
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const words = () => page.getByRole('main').innerText();
  const add = async (address: string) => {
    await page.getByLabel('New address').fill(address);
    await page.getByRole('button', { name: 'Add address' }).click();
  };
  await page.goto(await signIn());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.goto(`${stack.baseUrl}/account`);
  await page.getByRole('link', { name: 'Addresses that are told of events' }).click();
  expect(await words()).toContain('No address yet');

  await db.many(sql`update member_sessions set created_at = created_at - interval '1 day'`);
  await add(url);
  expect(await words()).toContain('To send events elsewhere, you must have signed in within');
  await page.goto(await signIn());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.goto(`${stack.baseUrl}/account/webhooks`);
  await add('https://127.0.0.1/hooks');
  expect(await words()).toContain('lies on the public internet');

  await add(url);
  expect(await words()).toMatch(/whsec_[\w+/=]{40,}/);
  await page.reload();
  expect(await words()).not.toContain('whsec_');
  expect(await words()).toContain(url);

  const { quote_key } = (await agent.quote()).body;
  const failing = async () => {
    await page.reload();
    return words();
  };
  await expect.poll(failing, patience).toMatch(/Failing since [^\n]+ It could not be reached\. Next try/);
  const full = await (await browser.newContext({ storageState: await context.storageState() })).newPage();
  await full.goto(`${stack.baseUrl}/account/webhooks`);
  expect(await faultsOf(full, 'webhooks')).toEqual([]);

  const after = page.getByLabel('Send again what came after');
  await after.fill('no-such-event');
  await page.getByRole('button', { name: 'Send again' }).click();
  expect(await words()).toContain('That event or address is not on this account');
  await after.fill(`${quote_key}.1`);
  await page.getByRole('button', { name: 'Send again' }).click();
  expect(await words()).toContain('Its events are sent again');

  await page.getByRole('button', { name: `Remove ${url}` }).click();
  expect(await words()).toContain('its secret is forgotten');
  expect(await words()).toContain('No address yet');
});
