import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../commands/chromium.ts';
import { freePorts } from '../commands/ports.ts';
import { type Stack, startStack } from '../commands/stack.ts';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { accessibilityFindings } from './accessibility.ts';
import { Agent } from './support/agent.ts';

let stack: Stack;
let browser: Browser;
let db: Database;
let owner: Page;
let jobKey: string;
let accountKey: string;
const folder = mkdtempSync(path.join(tmpdir(), 'pages-'));
// PostgreSQL, which root starts as nobody, must be able to enter.
chmodSync(folder, 0o755);

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

beforeAll(async () => {
  stack = await startStack({ ports: await freePorts(), dataDir: folder, mode: 'production' });
  db = openDatabase(stack.databaseUrl, 2);
  const { executablePath, args, env } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args], env });
  owner = await (await browser.newContext()).newPage();
  const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  jobKey = await agent.paidJob();
  accountKey = (await agent.get('/api/agent/v1/me')).body.account_key;
  for (let state = ''; state !== 'delivered'; ) {
    state = (await agent.job(jobKey, { prefer: 'wait=25' })).body.state;
  }
});
afterAll(async () => {
  await browser?.close();
  await db?.end();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const link = () => makeSignInLink(db, stack.baseUrl, { accountKey, email: 'owner@example.com' }, new Date());

describe('a member of the account', () => {
  it('sees nothing of a report before signing in', async () => {
    await owner.goto(`${stack.baseUrl}/reports/${jobKey}`);
    expect(await owner.getByRole('heading', { level: 1 }).textContent()).toMatch(/sign in/i);
    expect(await owner.content()).not.toContain('Rotterdam');
  });

  it('signs in by the button of a link, which works once and does nothing when it is only opened', async () => {
    const url = await link();
    for (let look = 0; look < 3; look += 1) await fetch(url);
    await owner.goto(url);
    await owner.getByRole('button', { name: /sign in/i }).click();
    await owner.goto(`${stack.baseUrl}/reports/${jobKey}`);
    expect(await owner.getByRole('heading', { level: 1 }).textContent()).not.toMatch(/sign in/i);
    const second = await (await browser.newContext()).newPage();
    await second.goto(url);
    expect(await second.getByRole('button', { name: /^sign in/i }).count()).toBe(0);
  });

  it('reads the report with its findings, and the receipt with its three parts', async () => {
    await owner.goto(`${stack.baseUrl}/reports/${jobKey}`);
    const report = await owner.getByRole('main').innerText();
    for (const words of ['Revise before use', 'It does not certify the work', 'States who pays for the transport']) {
      expect(report).toContain(words);
    }
    await owner.goto(`${stack.baseUrl}/receipts/${jobKey}`);
    const receipt = (await owner.getByRole('main').innerText()).replaceAll('\u00a0', ' ');
    for (const words of ['Collection', 'Charge', 'Remedy', '5.00 USD']) expect(receipt).toContain(words);
  });

  it("finds no page behind another account's job", async () => {
    const stranger = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    const foreignJob = await stranger.authorizedJob();
    const response = await owner.goto(`${stack.baseUrl}/reports/${foreignJob}`);
    expect(response?.status()).toBe(404);
  });
});

describe('every page', () => {
  const paths = () => ({
    home: '/',
    docs: '/docs',
    sample: '/sample-report',
    problem: '/problems/payment_unknown',
    'sign-in': '/sign-in',
    report: `/reports/${jobKey}`,
    receipt: `/receipts/${jobKey}`,
    missing: '/no-such-page',
  });

  it.each(
    (['light', 'dark'] as const).flatMap((scheme) =>
      (['desktop', 'phone'] as const).map((size) => [scheme, size] as const),
    ),
  )('is accessible and calls no one else, %s on a %s', async (scheme, size) => {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ viewport: sizes[size], colorScheme: scheme });
    await context.addCookies(cookies);
    const page = await context.newPage();
    const elsewhere: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(stack.baseUrl) && !request.url().startsWith('data:')) elsewhere.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    const findings: string[] = [];
    for (const [name, address] of Object.entries(paths())) {
      await page.goto(stack.baseUrl + address, { waitUntil: 'networkidle' });
      if (process.env.SCREENSHOTS) {
        mkdirSync(process.env.SCREENSHOTS, { recursive: true });
        const file = path.join(process.env.SCREENSHOTS, `${name}-${size}-${scheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
      findings.push(...(await accessibilityFindings(page)).map((finding) => `${name}: ${finding}`));
    }
    expect(findings).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
