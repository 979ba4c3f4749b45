import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateWord } from '../components/purchases/states.ts';
import { controlClient } from '../sandbox/control-client.ts';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import type { Report } from '../server/work-check/contract.ts';
import { workedExamples } from '../server/work-check/examples.ts';
import { exampleRequest } from '../server/work-check/sample.ts';
import { accessibilityFindings } from './accessibility.ts';
import { Agent } from './support/agent.ts';
import { faultsOfPages, patience, sizes, startInBrowser } from './support/browser.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser, dataDir } = await startInBrowser();
let db: Database;
let owner: Page;
let agent: Agent;
let jobKey: string;
let accountKey: string;

beforeAll(async () => {
  db = openDatabase(stack.databaseUrl, { connections: 2 });
  owner = await (await browser.newContext()).newPage();
  agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  jobKey = await deliveredJob();
  accountKey = (await agent.get('/api/agent/v1/me')).body.account_key;
});
afterAll(async () => {
  await db?.end();
});

async function deliveredJob(changes: Record<string, unknown> = {}): Promise<string> {
  const key = await agent.paidJob(changes);
  for (let state = ''; state !== 'delivered'; ) {
    state = (await agent.job(key, { prefer: 'wait=25' })).body.state;
  }
  return key;
}

/** Each with a sentence of its own, so that a report on them cites as many passages. */
const ports =
  'Antwerp Bergen Cadiz Dublin Essen Faro Genoa Hull Izmir Kiel Leith Malaga Nantes Odense Porto Riga Split Turku Varna Zadar'.split(
    ' ',
  );

function longJob(): Promise<string> {
  const text = ports.map((port, index) => `${port} received ${index + 7} crates.`).join('\n');
  return deliveredJob({ work_product: text, evidence: [{ source: 'Arrivals', text }] });
}

const link = () => makeSignInLink(db, stack.baseUrl, { accountKey, email: 'owner@example.com' }, new Date());

describe('a page that asks to sign in', () => {
  it('is what the sign-in leads back to', async () => {
    const person = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await link();
    for (const address of [`/reports/${jobKey}`, `/receipts/${jobKey}`, '/purchases']) {
      await person.context().clearCookies();
      await person.goto(stack.baseUrl + address);
      await person.getByLabel('Your e-mail address').fill('owner@example.com');
      const links = () => addressesIn(stack.sandboxUrl, 'owner@example.com', /sign-in link/);
      const before = (await links()).length;
      await person.getByRole('button', { name: 'Send me a sign-in link' }).click();
      expect(await person.getByRole('main').innerText()).toContain('Check your mail');
      await expect.poll(async () => (await links()).length, patience).toBe(before + 1);
      await person.goto((await links())[0] ?? '');
      await person.getByRole('button', { name: 'Sign in' }).click();
      expect(new URL(person.url()).pathname).toBe(address);
    }
    await person.context().close();
  });
});

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

  it('adds governed documents, is told what is wrong with others, and is asked before one goes', async () => {
    const add = async (name: string, content: string | Buffer) => {
      await owner.getByLabel('File', { exact: true }).setInputFiles({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(content),
      });
      await owner.getByRole('button', { name: 'Add document' }).click();
      await owner.waitForURL(/\/sources(\?fault=\w+)?$/);
    };
    await owner.goto(`${stack.baseUrl}/sources`);
    await add('terms.md', '# Terms\n\nThe seller pays.\n');
    expect(await owner.getByRole('main').innerText()).toContain('Markdown, 26 bytes');
    await add('photo.txt', Buffer.from([0xff, 0xd8, 0xff]));
    await owner.getByText('not UTF-8 text').waitFor();
    await add('terms.md', 'The buyer pays.');
    await owner.getByText('Another document has this name').waitFor();
    await add('long.txt', 'x'.repeat(32_769));
    await owner.getByText('larger than 32,768 bytes').waitFor();
    await owner.getByRole('link', { name: 'Remove terms.md' }).click();
    await owner.getByRole('link', { name: 'Keep it' }).click();
    await owner.getByRole('link', { name: 'Remove terms.md' }).click();
    await owner.getByRole('button', { name: 'Remove document' }).click();
    await owner.waitForURL(/\/sources$/);
    await owner.getByText('No documents yet').waitFor();
    await add('annex.txt', 'Annex.');
  });

  it('is the only one whose forms do anything', async () => {
    const { cookies } = await owner.context().storageState();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    for (const path of ['/sources/add', '/sources/remove']) {
      const headers = { cookie, origin: 'https://example.com', 'content-type': 'application/x-www-form-urlencoded' };
      const forged = await fetch(stack.baseUrl + path, { method: 'POST', headers, body: 'source_key=x' });
      expect(forged.status).toBe(403);
    }
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
    status: '/status',
    problem: '/problems/payment_unknown',
    terms: '/terms',
    privacy: '/privacy',
    contact: '/contact',
    'sign-in': '/sign-in',
    report: `/reports/${jobKey}`,
    dispute: `/reports/${jobKey}/dispute`,
    receipt: `/receipts/${jobKey}`,
    sources: '/sources',
    purchases: '/purchases',
    agents: '/agents',
    account: '/account',
    missing: '/no-such-page',
    'missing-report': '/reports/job_0000000000000000000000',
  });

  it('is accessible and calls no one else', async () => {
    const pages = Object.entries(paths()).map(([name, address]) => [name, stack.baseUrl + address]);
    expect(await faultsOfPages(owner.context(), Object.fromEntries(pages))).toEqual([]);
  });
});

describe('without scripts', () => {
  const plain = async () => {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: sizes.narrow });
    await context.addCookies(cookies);
    return context.newPage();
  };
  const frames = (page: Page) => page.locator('header').filter({ hasText: 'Work Check' }).count();

  it('what is missing is said once, in the frame of its section', async () => {
    const page = await plain();
    for (const address of ['/reports/job_0000000000000000000000', '/agents/agent_none', '/problems/none', '/no-such']) {
      const response = await page.goto(stack.baseUrl + address);
      expect([address, response?.status(), await frames(page)]).toEqual([address, 404, 1]);
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Nothing here');
      expect(await page.locator('footer').count()).toBe(1);
    }
    await page.context().close();
  });

  it('what broke says so, in the frame of its section, and is loaded again by a link', async () => {
    const page = await plain();
    await db.many(sql`alter table reports rename to reports_away`);
    try {
      const broken = await page.goto(`${stack.baseUrl}/reports/${jobKey}`);
      expect([broken?.status(), await frames(page)]).toEqual([500, 1]);
      const words = await page.getByRole('main').innerText();
      expect(words).toContain('Something broke on our side');
      expect(words).toContain(broken?.headers()['x-request-id'] ?? 'no request id');
    } finally {
      await db.many(sql`alter table reports_away rename to reports`);
    }
    await page.getByRole('link', { name: 'Try again' }).click();
    expect(await page.getByRole('main').innerText()).toContain('Revise before use');
    await page.context().close();
  });

  it('a phone reaches every place of the account', async () => {
    const page = await plain();
    for (const place of ['Purchases', 'Agents', 'Sources', 'Account']) {
      await page.goto(`${stack.baseUrl}/account`);
      await page.getByLabel('Menu').click();
      await page.getByRole('link', { name: place, exact: true }).click();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(new RegExp(place, 'i'));
    }
    await page.context().close();
  });
});

describe('the guide', () => {
  it('has a whole body to copy, how stock clients pay, test funds, and what is digested and signed', async () => {
    const reader = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await reader.goto(`${stack.baseUrl}/docs`);
    const words = await reader.getByRole('main').innerText();
    for (const said of [
      'version 2',
      'X-PAYMENT',
      "setSpendControls({ maxAmountPerPayment: '$5' })",
      'faucet.circle.com',
      'RFC 8785',
      'input_digest covers the request as sent',
      'valid_from',
    ]) {
      expect(words).toContain(said);
    }
    const codes = await reader.locator('pre').allInnerTexts();
    const body = JSON.parse(codes.find((code) => code.includes('max_price_microcents')) ?? '{}');
    const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    expect((await agent.post('/api/agent/v1/checks', body)).status).toBe(201);
    await reader.context().close();
  });

  it('and the sandbox name the same payee as the service', async () => {
    const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    const { accepts } = (await agent.pay(await agent.authorizedJob())).body;
    const chains = await (await fetch(`${stack.sandboxUrl}/chains`)).json();
    expect(new Set(chains.map(({ pay_to }: { pay_to: string }) => pay_to))).toEqual(new Set([accepts[0].payTo]));
  });
});

describe('what is not there, or broke', () => {
  it('is a page for people and a problem for agents', async () => {
    const person = await (await browser.newContext()).newPage();
    const page = await person.goto(`${stack.baseUrl}/no/such/page`);
    expect(page?.status()).toBe(404);
    expect(await person.getByRole('heading', { level: 1 }).textContent()).toBe('Nothing here');
    for (const address of ['/api', '/api/nothing', '/api/agent/v1/nothing', '/.well-known/nothing']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await fetch(stack.baseUrl + address, { method });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          404,
          'application/problem+json; charset=utf-8',
        ]);
        expect((await answer.json()).code).toBe('not_found');
      }
    }
  });

  it('says so without the cause, and works again as soon as the fault is mended', async () => {
    await db.many(sql`alter table reports rename to reports_away`);
    try {
      const broken = await owner.goto(`${stack.baseUrl}/reports/${jobKey}`);
      expect(broken?.status()).toBe(500);
      expect(await owner.getByRole('heading', { level: 1 }).textContent()).toBe('Something broke on our side');
      expect(await owner.content()).not.toMatch(/relation "|42P01|pg-pool/);
    } finally {
      await db.many(sql`alter table reports_away rename to reports`);
    }
    await owner.getByRole('link', { name: 'Try again' }).click();
    await owner.getByRole('heading', { name: 'Revise before use' }).waitFor();
  });
});

describe('the policy of a page', () => {
  const noncesOf = (policy: string) => [...policy.matchAll(/'nonce-([^']+)'/g)].map(([, nonce]) => nonce);

  it('lets nothing run that does not carry its nonce, which is new every time and never the client’s', async () => {
    const seen = new Set<string>();
    const addresses = ['/', '/docs', '/sample-report', '/status', '/problems/not_found', '/sign-in', '/no-such-page'];
    for (const address of addresses) {
      for (let load = 0; load < 20; load += 1) {
        const asked = { 'content-security-policy': "script-src 'nonce-mine'", 'x-nonce': 'mine' };
        const response = await fetch(stack.baseUrl + address, { headers: asked });
        const policy = response.headers.get('content-security-policy') ?? '';
        const html = await response.text();
        const [nonce = ''] = noncesOf(policy);
        expect(new Set(noncesOf(policy)).size).toBe(1);
        expect(policy).not.toMatch(/unsafe-|mine|\*/);
        expect(policy).toMatch(/object-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/);
        const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
        expect(scripts.length).toBeGreaterThan(0);
        expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
        expect(html).not.toMatch(/<style\b|\sstyle="|\son[a-z]+="/);
        seen.add(nonce);
      }
    }
    expect(seen.size).toBe(addresses.length * 20);
  });

  it('locks what is no page: an answer opened as a document can load nothing', async () => {
    for (const address of ['/.well-known/svc', '/openapi.json', '/llms.txt', '/api/agent/v1/me', '/api/nothing']) {
      const { headers } = await fetch(stack.baseUrl + address);
      expect([address, headers.get('content-security-policy')]).toEqual([
        address,
        expect.stringMatching(/^default-src 'none';/),
      ]);
      expect([address, headers.get('x-content-type-options')]).toEqual([address, 'nosniff']);
    }
  });
});

describe('a form', () => {
  it('signs in without scripts, and out again for good', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(await link());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const { cookies } = await context.storageState();
    await page.goto(`${stack.baseUrl}/receipts/${jobKey}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Receipt');
    await page.getByRole('button', { name: 'Sign out' }).click();
    // An earlier copy of the cookie is worthless, too.
    await context.addCookies(cookies);
    await page.goto(`${stack.baseUrl}/receipts/${jobKey}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/sign in/i);
    await context.close();
  });

  it('does nothing when another site sends it', async () => {
    const url = new URL(await link());
    const send = (origin: string) =>
      fetch(`${stack.baseUrl}/sign-in/confirm`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin },
        body: new URLSearchParams({ link: url.searchParams.get('link') ?? '' }),
      });
    for (const origin of ['https://evil.example', 'null']) expect((await send(origin)).status).toBe(403);
    const own = await send(stack.baseUrl);
    expect(own.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  });
});

describe('a report', () => {
  it('is found from the list of purchases, and names its request, its buyer and its work', async () => {
    await owner.goto(`${stack.baseUrl}/purchases`);
    const title = 'Summarise what the supplier confirmed about order 4471 for the warehouse team.';
    const row = owner.getByRole('listitem').filter({ hasText: jobKey });
    expect(await row.innerText()).toMatch(/Bought by 0x[0-9a-f]{4}…[0-9a-f]{4}/);
    expect(await row.innerText()).toContain('Revise');
    await row.getByRole('link', { name: title }).click();
    await owner.waitForURL(`${stack.baseUrl}/reports/${jobKey}`);
    expect(await owner.getByRole('heading', { level: 1 }).innerText()).toBe(title);
    expect(await owner.title()).toContain(title);
    expect(await owner.getByRole('main').innerText()).toMatch(/Report bought by 0x[0-9a-f]{4}…[0-9a-f]{4}/);
    await owner.getByText('What was asked for').click();
    // The work has its own place, and is not shown again beside the request.
    const asked = owner.getByRole('region', { name: 'What was asked for' });
    expect(await asked.innerText()).not.toContain('360 torque wrenches');
    expect(await owner.getByRole('region', { name: 'The work', exact: true }).innerText()).toContain('360 wrenches');
    expect(await owner.getByRole('region', { name: 'Criteria' }).innerText()).toContain('At most 80 words');
  });

  it('is found by agent, way of payment and verdict, and by what waits for a review, without scripts', async () => {
    const person = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await person.context().addCookies(await owner.context().cookies());
    const shown = () => person.getByRole('main').innerText();
    await person.goto(`${stack.baseUrl}/purchases`);
    const waiting = person.getByRole('region', { name: 'Waits for you' });
    expect(await waiting.getByRole('link').first().getAttribute('href')).toMatch(/^\/reports\/job_/);
    await person.getByLabel('Verdict').selectOption('supported');
    await person.getByRole('button', { name: 'Show' }).click();
    expect([new URL(person.url()).search, (await shown()).includes(jobKey)]).toEqual([
      expect.stringContaining('verdict=supported'),
      false,
    ]);
    await person.getByLabel('Verdict').selectOption('revise');
    await person.getByLabel('Paid by').selectOption('x402');
    await person.getByLabel('Waits for').selectOption('review');
    await person.getByRole('button', { name: 'Show' }).click();
    expect(await shown()).toContain(jobKey);
    await person.getByLabel('Paid by').selectOption('card');
    await person.getByRole('button', { name: 'Show' }).click();
    expect(await shown()).toContain('No purchase matches');
    await person.getByRole('link', { name: 'Show all' }).click();
    expect(await shown()).toContain(jobKey);
    // What somebody wrote into the address is no filter.
    await person.goto(`${stack.baseUrl}/purchases?verdict=fine&rail=cash&agent_key=${'x'.repeat(81)}`);
    expect(await shown()).toContain(jobKey);
    await person.context().close();
  });

  it('is disputed by what the check in use can do', async () => {
    await owner.goto(`${stack.baseUrl}/reports/${jobKey}/dispute`);
    const words = await owner.getByRole('main').innerText();
    expect(words).toContain('do not change how the check works');
    expect(words).not.toContain('with your reason');
  });

  it('keeps what was typed into a dispute that is refused, and leads to why', async () => {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ viewport: sizes.phone });
    await context.addCookies(cookies);
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/reports/${jobKey}/dispute`);
    const detail = 'Zu lang, 長すぎる. '.repeat(140);
    await page.locator('textarea').evaluate((area: HTMLTextAreaElement) => area.removeAttribute('maxlength'));
    await page.getByLabel('A citation is wrong').check();
    await page.getByLabel(/In your words/).fill(detail);
    await page.getByRole('button', { name: 'Dispute report' }).click();
    await page.waitForURL(/dispute\?/);
    expect(await page.getByLabel(/In your words/).inputValue()).toBe(detail);
    expect(await page.getByLabel('A citation is wrong').isChecked()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('alert');
    await context.close();
  });

  it('opens the passage that a citation names, keeps it in the address, and goes back', async () => {
    await owner.goto(`${stack.baseUrl}/reports/${jobKey}`, { waitUntil: 'networkidle' });
    const open = () => owner.locator('article:visible mark').allInnerTexts();
    const first = await open();
    await owner.getByRole('link', { name: 'Citation [2]' }).first().click();
    expect(owner.url()).toMatch(/#passage-2$/);
    const second = await open();
    expect(second).not.toEqual(first);
    await owner.getByRole('link', { name: 'Next citation' }).click();
    expect(await open()).not.toEqual(second);
    await owner.goBack();
    await expect.poll(open).toEqual(second);
    await owner.reload({ waitUntil: 'networkidle' });
    await expect.poll(open).toEqual(second);
  });

  it('opens a passage that was asked for while the page came to life', async () => {
    const page = await owner.context().newPage();
    await page.addInitScript(() => {
      // Next writes the address as it was when it began. On a slow phone a reader is faster.
      const { replaceState } = window.history;
      window.history.replaceState = (...address) => {
        window.history.replaceState = replaceState;
        window.location.hash = '#passage-2';
        window.history.replaceState(...address);
      };
    });
    await page.goto(`${stack.baseUrl}/reports/${jobKey}`);
    await expect.poll(() => page.locator('article:visible').getAttribute('id'), patience).toBe('passage-2');
    expect(new URL(page.url()).hash).toBe('');
    await page.close();
  });

  it('on a phone shows a passage once it is asked for', async () => {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ viewport: sizes.phone });
    await context.addCookies(cookies);
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/reports/${jobKey}`, { waitUntil: 'networkidle' });
    expect(await page.locator('article:visible').count()).toBe(0);
    await page.getByRole('link', { name: 'Citation [2]' }).first().click();
    expect(await page.locator('article:visible').getAttribute('id')).toBe('passage-2');
    await context.close();
  });

  it('shows every passage on paper and without scripts', async () => {
    const cited = await owner.locator('article mark').count();
    expect(cited).toBeGreaterThan(1);
    await owner.emulateMedia({ media: 'print' });
    expect(await owner.locator('article:visible mark').count()).toBe(cited);
    await owner.emulateMedia({ media: null });
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies(cookies);
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/reports/${jobKey}`);
    expect(await page.locator('article:visible mark').count()).toBe(cited);
    await context.close();
  });

  it('of long work sends few passages, reads each other one once it is opened, and prints all of them', async () => {
    const address = `${stack.baseUrl}/reports/${await longJob()}`;
    const page = await owner.context().newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/passage')) asked.push(request.url());
    });
    await page.goto(address, { waitUntil: 'networkidle' });
    expect(await page.locator('article[id^=passage-]').count()).toBe(ports.length);
    expect(await page.locator('article[id^=passage-]:has(mark)').count()).toBe(12);
    expect(asked).toEqual([]);
    await page.goto(`${address}#passage-12`);
    const marks = () => page.locator('article:visible mark').allInnerTexts();
    await expect.poll(marks, patience).toEqual(['Malaga received 18 crates.']);
    await page.getByRole('link', { name: 'Next citation' }).press('Enter');
    await expect.poll(marks, patience).toEqual(['Nantes received 19 crates.']);
    await page.getByRole('link', { name: 'Previous citation' }).press('Enter');
    await page.getByRole('link', { name: 'Next citation' }).press('Enter');
    expect(await marks()).toEqual(['Nantes received 19 crates.']);
    expect(asked).toHaveLength(1);

    const said = await page.request.get(asked[0] ?? '');
    expect([said.status(), said.headers()]).toEqual([
      200,
      expect.objectContaining({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }),
    ]);
    const other = new URL(asked[0] ?? '');
    other.searchParams.set('digest', `sha256:${'0'.repeat(64)}`);
    expect((await page.request.get(other.href)).status()).toBe(404);
    expect((await fetch(asked[0] ?? '')).status).toBe(401);
    const stranger = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    const foreign = new URL(asked[0] ?? '');
    foreign.pathname = `/reports/${await stranger.authorizedJob()}/passage`;
    expect((await page.request.get(foreign.href)).status()).toBe(404);

    await page.addInitScript(() => {
      window.print = () => {
        document.documentElement.dataset.printed = String(Number(document.documentElement.dataset.printed ?? 0) + 1);
      };
    });
    await page.keyboard.press('Control+p');
    await page.waitForURL(/whole=yes/);
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.printed), patience).toBe('1');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('article:visible mark').count()).toBe(ports.length);
    await page.close();
  });

  it('of long work leads a reader without scripts to every passage, and says when one cannot be read', async () => {
    const address = `${stack.baseUrl}/reports/${await longJob()}`;
    const plain = await browser.newContext({ javaScriptEnabled: false });
    await plain.addCookies(await owner.context().cookies());
    const paper = await plain.newPage();
    await paper.goto(address);
    const thirteenth = paper.locator('#passage-13');
    expect(await thirteenth.innerText()).toContain('This page leaves the text of this passage out.');
    await thirteenth.getByRole('link', { name: 'Show every passage' }).click();
    await paper.waitForURL(/whole=yes/);
    expect(await paper.locator('article:visible mark').count()).toBe(ports.length);
    await plain.close();

    const page = await owner.context().newPage();
    await page.route('**/passage?*', (route) => route.abort());
    await page.goto(`${address}#passage-13`);
    await page.getByText('The passage could not be read.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show every passage' }).click();
    await expect
      .poll(() => page.locator('#passage-13:visible mark').allInnerTexts(), patience)
      .toEqual(['Nantes received 19 crates.']);
    await page.close();
  });

  it('is downloaded by members alone', async () => {
    for (const file of [
      `reports/${jobKey}/report.md`,
      `reports/${jobKey}/report.json`,
      `receipts/${jobKey}/receipt.json`,
      `receipts/${jobKey}/purchase.json`,
    ]) {
      expect((await fetch(`${stack.baseUrl}/${file}`)).status).toBe(401);
      const own = await owner.request.get(`${stack.baseUrl}/${file}`);
      expect([file, own.status(), own.headers()['content-disposition']]).toEqual([
        file,
        200,
        expect.stringMatching(
          /^attachment; filename="job_\w+-(report\.md|report\.json|receipt\.json|purchase\.json)"$/,
        ),
      ]);
      expect([file, own.headers()['x-content-type-options']]).toEqual([file, 'nosniff']);
    }
  });
});

describe('the statements of a report', () => {
  const note = (page: Page, number: number) => page.locator(`#statement-${number}`);
  const notes = (page: Page) => page.locator('[id^="statement-"]:visible');
  const mark = (page: Page, number: number) => page.locator(`[data-work] a[href="#statement-${number}"]`);
  const statementsOf = async (key: string): Promise<Report['statements']> =>
    (await agent.get(`/api/agent/v1/jobs/${key}/report`)).body.statements;
  const open = async (key: string, page = owner) => {
    await page.goto(`${stack.baseUrl}/reports/${key}`, { waitUntil: 'networkidle' });
    return page;
  };
  async function withoutScript(): Promise<Page> {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies(cookies);
    return context.newPage();
  }
  const example = (name: string) => {
    const { work_product, evidence, criteria } = workedExamples.find((each) => each.name === name)?.request ?? {};
    return { work_product, evidence, criteria };
  };

  it('are marked in the work, which keeps its words', async () => {
    await open(jobKey);
    const statements = await statementsOf(jobKey);
    const work = Buffer.from(String(exampleRequest.work_product));
    expect(statements.length).toBeGreaterThan(2);
    for (const [index, { start, end }] of statements.entries()) {
      const marked = await mark(owner, index + 1).evaluate((element) => element.firstChild?.textContent);
      expect(marked).toBe(work.subarray(start, end).toString());
    }
  });

  it('in a table scroll with it on a phone, and never widen the page', async () => {
    const rows = Array.from(
      { length: 6 },
      (_, n) =>
        `Order ${1000 + n}: ${n + 2} pallets of tiles, ${n + 3}00.00 EUR, delivery on ${n + 3} June 2026 to Rotterdam.`,
    );
    const key = await deliveredJob({
      work_product: ['The orders are as booked.', ...rows].join('\n'),
      evidence: [{ source: 'Bookings', text: rows.join('\n') }],
    });
    const context = await browser.newContext({ viewport: sizes.narrow });
    await context.addCookies((await owner.context().storageState()).cookies);
    const page = await open(key, await context.newPage());
    const widths = (element: Element) => [element.scrollWidth, element.clientWidth] as const;
    const [table, frame] = await page.locator('[data-work]').filter({ hasText: 'Order 1003' }).evaluate(widths);
    expect(table).toBeGreaterThan(frame);
    const [wide, screen] = await page.locator('html').evaluate(widths);
    expect(wide).toBeLessThanOrEqual(screen);
    await context.close();
  });

  it('lead to their passage and back with the keyboard alone', async () => {
    await open(jobKey);
    const statements = await statementsOf(jobKey);
    const number = statements.findIndex(({ status, citations }) => status === 'undecided' && citations) + 1;
    const focused = () => owner.evaluate(() => document.activeElement?.id ?? '');
    await mark(owner, number).focus();
    await owner.keyboard.press('Enter');
    await expect.poll(focused).toBe(`statement-${number}`);
    expect(await note(owner, number).innerText()).toContain('Undecided');
    expect(await mark(owner, number).getAttribute('aria-current')).toBe('true');
    const cited = await note(owner, number).getByRole('link').first().innerText();
    await owner.keyboard.press('Tab');
    await owner.keyboard.press('Enter');
    await expect.poll(focused).toBe(`passage-${/\d+/.exec(cited)?.[0]}`);
    expect(await owner.locator('article:visible mark').count()).toBeGreaterThan(0);
    const back = owner.getByRole('link', { name: `Back to statement ${number}` });
    for (let stop = 0; stop < 5 && !(await back.evaluate((element) => element === document.activeElement)); stop += 1)
      await owner.keyboard.press('Tab');
    await owner.keyboard.press('Enter');
    await expect.poll(focused).toBe(`statement-${number}`);
  });

  it('open their passage beside them, by a press or by their address', async () => {
    await open(jobKey);
    const statements = await statementsOf(jobKey);
    const passage = () => owner.locator('article:visible').getAttribute('id');
    const cited = async (number: number) =>
      `passage-${/\d+/.exec(await note(owner, number).getByRole('link').first().innerText())?.[0]}`;
    for (const number of statements.flatMap(({ citations }, index) => (citations ? [index + 1] : []))) {
      await mark(owner, number).click();
      expect(await passage()).toBe(await cited(number));
      await owner.goto('about:blank');
      await owner.goto(`${stack.baseUrl}/reports/${jobKey}#statement-${number}`, { waitUntil: 'networkidle' });
      await expect.poll(passage).toBe(await cited(number));
      await expect.poll(() => note(owner, number).getAttribute('aria-current')).toBe('true');
    }
  });

  it('are named by the findings that rest on them', async () => {
    await open(jobKey);
    await owner.locator('[id^="finding-"] summary').first().click();
    const named = owner.locator('[id^="finding-"]').getByRole('link', { name: /^Statement \d+$/ });
    expect(await named.count()).toBeGreaterThan(0);
    const number = /\d+/.exec((await named.first().textContent()) ?? '')?.[0];
    await named.first().click();
    await expect.poll(() => owner.evaluate(() => document.activeElement?.id)).toBe(`statement-${number}`);
  });

  it('are shown by what was found of them', async () => {
    await open(jobKey);
    const statements = await statementsOf(jobKey);
    const count = (status: string) => statements.filter((statement) => statement.status === status).length;
    for (const [name, expected] of [
      ['Contradicted', count('contradicted')],
      ['Not found', count('not_found')],
      ['All', statements.length],
    ] as const) {
      const button = owner.getByRole('button', { name: `${name} ${expected}`, exact: true });
      await button.click();
      expect(await button.getAttribute('aria-pressed')).toBe('true');
      // With no kind chosen, what asks nothing of the reader is folded.
      if (name === 'All') await owner.getByText(/^\d+ statements in full: /).click();
      expect(await notes(owner).count()).toBe(expected);
      if (name !== 'All') expect(await notes(owner).getByText(name, { exact: true }).count()).toBe(expected);
      expect(await owner.locator('[data-work] a[href^="#statement-"]').count()).toBe(expected);
    }
  });

  it('read as a list with anchors without scripts', async () => {
    const page = await open(jobKey, await withoutScript());
    const statements = await statementsOf(jobKey);
    for (const [index, { why }] of statements.entries())
      expect(await note(page, index + 1).textContent()).toContain(why);
    await page.getByText(/^\d+ statements in full: /).click();
    expect(await notes(page).count()).toBe(statements.length);
    const closed = page.locator('[id^="finding-"] details:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    const targets = await page
      .locator('main a[href^="#"]')
      .evaluateAll((links) => links.map((element) => element.getAttribute('href') ?? ''));
    expect(targets.length).toBeGreaterThan(statements.length);
    for (const target of new Set(targets))
      expect([target, await page.locator(target).isVisible()]).toEqual([target, true]);
    expect(await page.getByRole('button', { name: /^Contradicted/ }).isVisible()).toBe(false);
    await page.context().close();
  });

  it.each(['invoice extraction', 'table of figures'])('are marked in the %s, at every width', async (name) => {
    const key = await deliveredJob(example(name));
    const statements = await statementsOf(key);
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ colorScheme: 'dark' });
    await context.addCookies(cookies);
    const page = await open(key, await context.newPage());
    for (const [index, { status }] of statements.entries()) {
      expect(await note(page, index + 1).textContent()).toContain(stateWord('statement', status).word);
      expect(await mark(page, index + 1).count()).toBe(1);
    }
    const main = page.getByRole('main');
    expect(await main.innerText()).toContain(name === 'table of figures' ? '| South |' : '"item": "Brass valve"');
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await main.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await accessibilityFindings(page)).toEqual([]);
    }
    await context.close();
  });

  it('of the published sample are marked there and on the front page', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(stack.baseUrl);
    const marked = page.locator('#sample a[href^="/sample-report#statement-"]');
    expect(await marked.count()).toBeGreaterThan(2);
    const sample = page.locator('#sample');
    expect(await sample.getByRole('link', { name: /^Citation / }).count()).toBeGreaterThan(0);
    expect(await sample.locator('mark').allInnerTexts()).toEqual(['Delivery to Leeds warehouse on 11 June 2026.']);
    await marked.nth(2).click();
    await page.waitForURL(/\/sample-report#statement-3$/);
    await expect.poll(() => note(page, 3).getAttribute('aria-current'), { timeout: 30_000 }).toBe('true');
    expect(await mark(page, 3).innerText()).toContain('reach the Leeds warehouse on 9 June 2026');
  });
});

describe('a receipt', () => {
  it('is verified by the browser that shows it', async () => {
    await owner.goto(`${stack.baseUrl}/receipts/${jobKey}`);
    await owner.getByRole('heading', { name: 'Signature verified' }).waitFor();
  });
});

describe('a review by a member, without scripts', () => {
  let page: Page;
  const bar = () => page.getByRole('region', { name: 'Review' }).innerText();
  const show = (path = `/reports/${jobKey}`) => page.goto(stack.baseUrl + path);

  beforeAll(async () => {
    const { cookies } = await owner.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies(cookies);
    page = await context.newPage();
  });

  it('disputes with a reason, and reads what the re-check says against the first report', async () => {
    await show();
    await page.getByRole('link', { name: 'Dispute' }).click();
    await page.getByLabel('A citation is wrong').check();
    await page.getByLabel(/In your words/).fill('Two lines,\nboth wrong.');
    await page.getByRole('button', { name: 'Dispute report' }).click();
    expect(new URL(page.url()).search).toBe('');
    await expect
      .poll(async () => {
        await show();
        return page.getByRole('main').innerText();
      }, patience)
      .toContain('Re-checked report bought by');
    expect(await page.getByRole('main').innerText()).toContain('It was disputed: a citation is wrong');
    await page.getByRole('link', { name: 'first report' }).click();
    expect(await page.getByRole('main').innerText()).toContain('First report bought by');
    expect(await page.getByRole('button', { name: 'Accept report' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Read the re-checked report' }).click();
    expect(await bar()).toContain('The review of the re-checked report is open');
  });

  it('refuses what came too late, and says so', async () => {
    await show(`/reports/${jobKey}/dispute`);
    const second = await page.context().newPage();
    await second.goto(`${stack.baseUrl}/reports/${jobKey}`);
    await second.getByRole('button', { name: 'Accept report' }).click();
    expect(await second.getByRole('region', { name: 'Review' }).innerText()).toContain('The report was accepted');
    await page.getByLabel('Another reason').check();
    await page.getByRole('button', { name: 'Dispute report' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('Nothing was changed');
    expect(await bar()).toContain('is final');
  });

  it('deletes the work and the evidence once it is over; the report stays', async () => {
    await page.getByText('Delete the work and the evidence now').click();
    await page.getByRole('button', { name: 'Delete work and evidence' }).click();
    const text = await page.getByRole('main').innerText();
    expect(text).toContain('The work and the evidence were deleted on');
    expect(text).toContain('This text is no longer kept.');
    expect(text).toContain('States who pays for the transport');
    const statements: Report['statements'] = (await agent.get(`/api/agent/v1/jobs/${jobKey}/report`)).body.statements;
    expect(text).toContain('The text of the work is no longer kept');
    for (const [index, { why, start, end }] of statements.entries()) {
      const note = await page.locator(`#statement-${index + 1}`).textContent();
      expect(note).toContain(why);
      expect(note).toContain(`bytes ${start} to ${end} of the work`);
    }
    expect(await page.locator('[data-work]').count()).toBe(0);
  });

  it('is read from the archive once it is old, and a page says so while the archive is away', async () => {
    const sandbox = controlClient(stack.sandboxUrl);
    await db.many(sql`alter table receipts disable trigger all`);
    await db.many(sql`alter table job_texts disable trigger all`);
    await db.many(sql`update receipts set issued_at = issued_at - interval '500 days' where job_key = ${jobKey}`);
    await db.many(sql`update job_texts set at = at - interval '500 days' where job_key = ${jobKey}`);
    await db.many(sql`alter table receipts enable trigger all`);
    await db.many(sql`alter table job_texts enable trigger all`);
    const archive = path.resolve(import.meta.dirname, '../commands/archive.ts');
    const env = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' };
    expect((await promisify(execFile)(process.execPath, [archive], { env })).stdout).toContain('of 1 purchases');
    const pages = { report: `/reports/${jobKey}`, receipt: `/receipts/${jobKey}` };
    await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
    for (const [name, address] of Object.entries(pages)) {
      expect([name, (await page.goto(stack.baseUrl + address))?.status()]).toEqual([name, 503]);
      expect(await page.getByRole('main').innerText()).toContain('Nothing is lost: try again');
    }
    const away = Object.entries(pages).map(([name, address]) => [`${name}-archive-away`, stack.baseUrl + address]);
    const faults = await faultsOfPages(owner.context(), Object.fromEntries(away));
    expect(faults.filter((fault) => !fault.includes('status of 503'))).toEqual([]);
    await sandbox.clearArchiveFaults();
    await page.getByRole('link', { name: 'Try again' }).click();
    expect(await page.getByRole('main').innerText()).toContain('Charge');
  });

  it('is not taken from another site', async () => {
    const { cookies } = await owner.context().storageState();
    for (const form of ['review', 'delete-content']) {
      const foreign = await fetch(`${stack.baseUrl}/reports/${jobKey}/${form}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          origin: 'https://evil.example',
          cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        },
        body: new URLSearchParams({ decision: 'accept' }),
      });
      expect([form, foreign.status]).toEqual([form, 403]);
    }
  });
});
