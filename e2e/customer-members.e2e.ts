import type { Page } from 'playwright';
import { afterAll, expect, it } from 'vitest';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import { openDatabase } from '../server/kernel/database.ts';
import { Agent } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser } from './support/browser.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();
const db = openDatabase(stack.databaseUrl, { connections: 2 });
afterAll(() => db.end());

const colleague = 'colleague@example.com';
/** The address in the newest letter to the colleague whose subject matches. */
async function mailed(subject: RegExp): Promise<string> {
  const newest = async () => (await addressesIn(stack.sandboxUrl, colleague, subject))[0] ?? '';
  await expect.poll(newest, patience).not.toBe('');
  return newest();
}

/** Where the buttons in the body of these pages lead. */
async function formsOn(page: Page, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    await page.goto(stack.baseUrl + path);
    const actions = await page
      .locator('main form[method="post"], main form[method="post"] [formaction]')
      .evaluateAll((forms) => forms.map((form) => form.getAttribute('formaction') ?? form.getAttribute('action')));
    for (const action of actions) found.add(action ?? '');
  }
  return [...found].toSorted();
}

it('an owner invites somebody by letter, who accepts, signs in and reads; the role is changed, and taken away', async () => {
  const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  const { account_key: accountKey } = (await agent.get('/api/agent/v1/me')).body;
  const jobKey = await agent.paidJob();
  for (let state = ''; state !== 'delivered'; ) state = (await agent.job(jobKey, { prefer: 'wait=25' })).body.state;
  const agentPage = `/agents/${agent.wallet.address.toLowerCase()}`;
  const pages = ['/agents', agentPage, '/sources', '/account', '/account/webhooks', `/reports/${jobKey}`, '/purchases'];
  pages.push(`${agentPage}/revoke`, `/reports/${jobKey}/dispute`, '/connect');
  const owner = await (await browser.newContext()).newPage();
  await owner.goto(
    await makeSignInLink(db, stack.baseUrl, { accountKey, email: 'owner.members@example.com' }, new Date()),
  );
  await owner.getByRole('button', { name: 'Sign in' }).click();
  await owner.goto(`${stack.baseUrl}/account`);
  await owner.getByLabel('Invite by e-mail').fill(colleague);
  await owner.getByRole('button', { name: 'Invite' }).click();
  await expect.poll(() => owner.getByRole('main').innerText(), patience).toContain('The letter is on its way');
  expect(await faultsOf(owner, 'account-people')).toEqual([]);

  // The colleague has another device, without scripts.
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const words = () => page.getByRole('main').innerText();
  await page.goto(await mailed(/invitation/i));
  expect(await words()).toContain('owner.members@example.com invites colleague@example.com');
  const looking = await (await browser.newContext()).newPage();
  await looking.goto(page.url());
  expect(await faultsOf(looking, 'invitation')).toEqual([]);
  await page.getByRole('button', { name: 'Accept' }).click();
  expect(await words()).toContain('You are a member now');
  await page.getByRole('textbox').fill(colleague);
  await page.getByRole('main').getByRole('button').click();
  await page.goto(await mailed(/sign[- ]in/i));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.goto(`${stack.baseUrl}/account`);
  expect(await words()).toContain('Reader: reads');
  expect(await page.getByLabel('Invite by e-mail').count()).toBe(0);
  // No page shows a reader a button that the door refuses.
  expect(await formsOn(page, pages)).toEqual(['/account/letters', '/account/people/remove']);
  expect(await words()).toContain('An owner has to do this');
  await looking.context().addCookies(await context.cookies());
  await looking.goto(stack.baseUrl + agentPage);
  expect(await faultsOf(looking, 'agent-of-reader')).toEqual([]);
  await looking.goto(`${stack.baseUrl}/connect`);
  expect(await faultsOf(looking, 'not-yours')).toEqual([]);

  await owner.reload();
  await owner.getByLabel(`Role of ${colleague}`).selectOption('approver');
  await owner.getByRole('listitem').filter({ hasText: colleague }).getByRole('button', { name: 'Change' }).click();
  await expect.poll(() => owner.getByRole('main').innerText(), patience).toContain('The role was changed');
  await page.goto(`${stack.baseUrl}/account`);
  expect(await words()).toContain('Approver: approves purchases');
  expect(await formsOn(page, pages)).toEqual([
    '/account/letters',
    '/account/people/remove',
    `${agentPage}/pause`,
    `/reports/${jobKey}/review`,
  ]);
  await page.goto(`${stack.baseUrl}/purchases`);
  expect(await words()).toContain('Waits for you');
  await page.goto(`${stack.baseUrl}/account`);

  const theirs = owner.getByRole('listitem').filter({ hasText: colleague });
  await theirs.getByText('Remove …').click();
  await theirs.getByRole('button', { name: `Remove ${colleague}` }).click();
  await expect.poll(() => owner.getByRole('main').innerText(), patience).toContain('signed out everywhere');
  await page.reload();
  expect(await words()).not.toContain('Approver: approves purchases');
});
