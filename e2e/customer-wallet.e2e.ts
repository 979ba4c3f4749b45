import type { Page } from 'playwright';
import { generatePrivateKey } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { Agent, settlementsOf } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser } from './support/browser.ts';
import { BrowserWallet } from './support/browser-wallet.ts';

const { stack, browser } = await shareInBrowser();

/** A person with a browser wallet, and the agent that buys with the same wallet. */
async function walletOwner(): Promise<{ page: Page; wallet: BrowserWallet; agent: Agent }> {
  const response = await fetch(`${stack.sandboxUrl}/wallets`, { method: 'POST' });
  const { private_key } = (await response.json()) as { private_key: `0x${string}` };
  const wallet = new BrowserWallet(private_key);
  const agent = new Agent(stack.baseUrl, private_key);
  await agent.signIn();
  const page = await (await browser.newContext()).newPage();
  await wallet.enter(page);
  return { page, wallet, agent };
}

async function signIn(page: Page, next = '/purchases'): Promise<void> {
  await page.goto(`${stack.baseUrl}/sign-in/wallet?${new URLSearchParams({ next })}`);
  await page.getByRole('button', { name: 'Sign in with your wallet' }).click();
  await page.waitForURL(stack.baseUrl + next);
}

const mainText = (page: Page) => page.getByRole('main').innerText();

describe('the owner of a wallet', () => {
  it('signs in with Ethereum, sees what the wallet bought, accepts the report and reads the receipt', async () => {
    const { page, wallet, agent } = await walletOwner();
    const jobKey = await agent.paidJob();
    await signIn(page);
    expect(wallet.signed).toHaveLength(1);
    expect(wallet.signed[0]).toContain(
      `${new URL(stack.baseUrl).host} wants you to sign in with your Ethereum account`,
    );
    expect(wallet.signed[0]).toContain('This authorizes no payment.');
    await page.getByRole('listitem').filter({ hasText: jobKey }).getByRole('link').click();
    await page.getByRole('button', { name: 'Accept report' }).click(patience);
    await page.getByText('The report was accepted').waitFor();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'accepted', charge_state: 'final' });
    await page.getByRole('link', { name: 'View receipt' }).click();
    expect(await mainText(page)).toContain('Collection');
    for (const place of ['Agents', 'Sources']) {
      expect(await page.getByRole('navigation', { name: 'Account' }).getByText(place).count()).toBe(0);
    }
  });

  it('sees the credit that a canceled check left, and that it paid for the next one', async () => {
    const { page, agent } = await walletOwner();
    // Long enough that the cancellation comes first.
    const work_product = Array.from({ length: 900 }, (_, at) => `Crate ${at} holds ${at + 7} torque wrenches.`).join(
      '\n',
    );
    const canceled = await agent.paidJob({ work_product });
    expect((await agent.post(`/api/agent/v1/jobs/${canceled}/cancel`)).body.payment_state).toBe('credited');
    await signIn(page, '/purchases');
    await page.getByRole('link', { name: 'Credit' }).click();
    const words = async () => (await mainText(page)).replaceAll('\u00a0', ' ');
    expect(await words()).toMatch(
      /5\.00 USD for checks[\s\S]*Came back: the purchase came to nothing[\s\S]*\+5\.00 USD/,
    );
    const next = await agent.authorizedJob();
    const paid = await agent.post(`/api/agent/v1/jobs/${next}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: next,
    });
    expect(paid.status).toBe(200);
    await page.reload();
    expect(await words()).toMatch(/0\.00 USD for checks[\s\S]*Paid for a check[\s\S]*−5\.00 USD[\s\S]*Came back/);
    expect(await faultsOf(page, 'credit')).toEqual([]);
    await page.getByRole('link', { name: /^Came back/ }).click();
    expect(new URL(page.url()).pathname).toBe(`/receipts/${canceled}`);
  });

  it('sees nothing that another wallet bought', async () => {
    const { agent } = await walletOwner();
    const jobKey = await agent.authorizedJob();
    const { page } = await walletOwner();
    await signIn(page);
    for (const address of [`/reports/${jobKey}`, `/receipts/${jobKey}`, `/reports/${jobKey}/pay`]) {
      await page.goto(stack.baseUrl + address);
      expect(await mainText(page)).toContain('Nothing here');
    }
  });

  it('is signed in by no other wallet’s signature, no signature at all, and none that was used before', async () => {
    const { page, wallet } = await walletOwner();
    const stranger = new BrowserWallet(generatePrivateKey());
    await page.goto(`${stack.baseUrl}/sign-in/wallet`);
    const ask = await page.request.post(`${stack.baseUrl}/api/x402/v1/wallets/challenge`, {
      data: { address: wallet.account.address },
    });
    const { challenge_key, message } = await ask.json();
    const send = async (signature: string, origin = stack.baseUrl) => {
      const form = { challenge_key, signature, next: '/purchases' };
      const headers = { origin };
      const answer = await page.request.post(`${stack.baseUrl}/sign-in/wallet/confirm`, {
        form,
        headers,
        maxRedirects: 0,
      });
      return `${answer.status()} ${answer.headers().location ?? ''}`;
    };
    const forged = await stranger.account.signMessage({ message });
    const good = await wallet.account.signMessage({ message });
    expect(await send(forged)).toContain('303 /sign-in/wallet?');
    expect(await send('')).toContain('303 /sign-in/wallet?');
    expect(await send(good, 'https://elsewhere.example')).toBe('403 ');
    expect(await send(good)).toBe('303 /purchases');
    expect(await send(good)).toContain('303 /sign-in/wallet?');
  });

  it('is not signed in when the wallet says no', async () => {
    const { page, wallet } = await walletOwner();
    wallet.refuses = true;
    await page.goto(`${stack.baseUrl}/sign-in/wallet`);
    await page.getByRole('button', { name: 'Sign in with your wallet' }).click();
    await page.getByText('The wallet did not sign. Nobody was signed in.').waitFor();
    await page.goto(`${stack.baseUrl}/purchases`);
    expect(await mainText(page)).toContain('Sign in to see what was bought');
  });

  it('is signed out everywhere: a copy of the cookie is worth nothing', async () => {
    const { page } = await walletOwner();
    await signIn(page);
    const copied = await page.context().cookies();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.waitForURL(`${stack.baseUrl}/`);
    await page.context().addCookies(copied);
    await page.goto(`${stack.baseUrl}/purchases`);
    expect(await mainText(page)).toContain('Sign in to see what was bought');
  });

  it('pays for a job with one transfer, after the wallet has said no once, and reads the report', async () => {
    const { page, wallet, agent } = await walletOwner();
    const jobKey = await agent.authorizedJob();
    await signIn(page, `/reports/${jobKey}`);
    await page.getByRole('link', { name: /^Pay 5\.00/ }).click();
    await page.getByLabel('Network').selectOption({ label: 'Arbitrum Sepolia' });
    wallet.refuses = true;
    await page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await page.getByText('The wallet did not sign. Nothing was paid with it.').waitFor();
    expect(await settlementsOf(stack.sandboxUrl, wallet.account.address)).toEqual([]);
    wallet.refuses = false;
    await page.getByRole('button', { name: 'Pay with your wallet' }).click();
    await page.waitForURL(`${stack.baseUrl}/reports/${jobKey}`);
    await page.getByRole('button', { name: 'Accept report' }).waitFor(patience);
    expect(JSON.parse(wallet.signed.at(-1) ?? '')).toMatchObject({
      primaryType: 'TransferWithAuthorization',
      message: { value: '5000000' },
    });
    expect(await settlementsOf(stack.sandboxUrl, wallet.account.address)).toHaveLength(1);
    await page.goto(`${stack.baseUrl}/reports/${jobKey}/pay`);
    expect(new URL(page.url()).pathname).toBe(`/reports/${jobKey}`);
  });
});

describe('the pages for wallets', () => {
  it('say without scripts that a wallet needs them', async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(`${stack.baseUrl}/sign-in/wallet`);
    expect(await mainText(page)).toContain('needs JavaScript, which is off');
    expect(await page.getByRole('button', { name: /wallet/ }).isVisible()).toBe(false);
  });

  it('say so in a browser without a wallet', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${stack.baseUrl}/sign-in/wallet`);
    await page.getByText('This page found no wallet in this browser.').waitFor();
  });

  it('hold WCAG 2.2 AA', async () => {
    const { page, agent } = await walletOwner();
    const jobKey = await agent.authorizedJob();
    await page.goto(`${stack.baseUrl}/sign-in/wallet`);
    expect(await faultsOf(page, 'wallet-sign-in')).toEqual([]);
    await signIn(page, `/reports/${jobKey}/pay`);
    expect(await faultsOf(page, 'wallet-pay')).toEqual([]);
    await page.goto(`${stack.baseUrl}/reports/${jobKey}`);
    expect(await faultsOf(page, 'wallet-unpaid')).toEqual([]);
  });
});
