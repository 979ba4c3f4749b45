import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import { Agent, clearFaults, facilitatorFault } from './support/agent.ts';
import { faultsOfPages, patience, sizes, startInBrowser } from './support/browser.ts';
import { chainHand } from './support/chain-hand.ts';
import { claim, register } from './support/customer.ts';
import { codeIn } from './support/letter.ts';
import { addressesIn } from './support/mailbox.ts';
import { type Seats, seatsAt } from './support/seats.ts';

const { stack, browser } = await startInBrowser();
let db: Database;
let agent: Agent;
let delivered: string;
let quoteKey: string;
let accountKey: string;
let seats: Seats;

const chain = 84532;

beforeAll(async () => {
  db = openDatabase(stack.databaseUrl, { connections: 2 });
  agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  accountKey = (await agent.get('/api/agent/v1/me')).body.account_key;
  delivered = await deliveredJob();
  quoteKey = (await agent.job(delivered)).body.quote_key;
  seats = await seatsAt(browser, db, { baseUrl: stack.baseUrl, accountKey });
});
afterAll(async () => {
  await db?.end();
});

async function deliveredJob(changes: Record<string, unknown> = {}): Promise<string> {
  const job = await agent.paidJob(changes);
  for (let state = ''; state !== 'delivered'; ) state = (await agent.job(job, { prefer: 'wait=25' })).body.state;
  return job;
}

const places = () => [
  '/console',
  '/console/purchases',
  '/console/purchases/csv',
  `/console/purchases/${delivered}`,
  `/console/purchases/${delivered}/content`,
  `/console/purchases/${delivered}/act/note_purchase`,
  `/console/purchases/bulk?action=note_purchase&key=${delivered}`,
  '/console/money',
  '/console/audit',
  `/console/search?q=${delivered}`,
  '/console/found?q=x',
  `/console/customers/${accountKey}`,
];

describe('whoever has no role', () => {
  it.each(['nobody', null] as const)('%s: finds no page, no prefetch, no .rsc and no procedure', async (who) => {
    const cookie = who === null ? '' : await seats.cookieOf(who);
    const plain = await fetch(`${stack.baseUrl}/console/no-such-page`, { headers: { cookie } });
    expect(plain.status).toBe(404);
    for (const place of places()) {
      for (const headers of [{}, { rsc: '1' }, { rsc: '1', 'next-router-prefetch': '1' }]) {
        const answer = await fetch(stack.baseUrl + place, { headers: { cookie, ...headers } });
        const text = await answer.text();
        expect([place, headers, answer.status]).toEqual([place, headers, 404]);
        for (const word of [quoteKey, 'Timeline', 'Audit log', 'Overview', 'viewer']) {
          expect([place, headers, word, text.includes(word)]).toEqual([place, headers, word, false]);
        }
      }
      const [address = '', query] = place.split('?');
      const segment = await fetch(`${stack.baseUrl}${address}.rsc${query ? `?${query}` : ''}`, { headers: { cookie } });
      expect([place, segment.status, (await segment.text()).includes(quoteKey)]).toEqual([place, 404, false]);
    }
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const procedure = await fetch(`${stack.baseUrl}/api/trpc/console_overview`, { headers });
    expect([procedure.status, (await procedure.text()).includes('purchases')]).toEqual([404, false]);
    const form = await fetch(`${stack.baseUrl}/console/switches/service/confirm`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'state=off&reason=mine',
    });
    expect(form.status).toBe(404);
  });
});

describe('an operator', () => {
  it('without a session is led to sign in, and with one finds the console from the pages of customers', async () => {
    const stranger = await browser.newPage();
    await stranger.goto(`${stack.baseUrl}/console`);
    await stranger.getByRole('link', { name: 'Sign in', exact: true }).click();
    await stranger.waitForURL(`${stack.baseUrl}/sign-in`);
    await stranger.close();
    for (const [who, links] of [
      ['viewer', 1],
      ['nobody', 0],
    ] as const) {
      const page = await seats.pageOf(who);
      await page.goto(`${stack.baseUrl}/purchases`);
      const link = page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Console' });
      expect([who, await link.count()]).toEqual([who, links]);
      await page.close();
    }
  });

  it('walks through rows by J and K, and reads the keys by ?', async () => {
    const context = await browser.newContext();
    await context.addCookies(await seats.of('viewer').cookies());
    const page = await context.newPage();
    await agent.authorizedJob();
    await page.goto(`${stack.baseUrl}/console/purchases`, { waitUntil: 'networkidle' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
    // The page listens once its scripts have run.
    const pressedDown = async () => {
      await page.keyboard.press('j');
      return focused();
    };
    await expect.poll(pressedDown, { timeout: 30_000 }).toMatch(/^\/console\/purchases\/job_/);
    const first = await focused();
    await page.keyboard.press('j');
    expect(await focused()).not.toBe(first);
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').innerText()).toContain('Next row');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await context.close();
  });

  it.each([
    ['viewer', { note_purchase: false, open_content: false, turn: false }],
    ['support', { note_purchase: true, open_content: true, turn: false }],
    ['finance', { note_purchase: true, open_content: false, turn: false }],
    ['admin', { note_purchase: true, open_content: true, turn: true }],
  ] as const)('%s: sees the buttons that the role has, and the others with the reason', async (role, expected) => {
    const page = await seats.pageOf(role);
    await page.goto(`${stack.baseUrl}/console/purchases/${delivered}`);
    const isLink = async (name: string) => (await page.getByRole('link', { name, exact: true }).count()) > 0;
    const buttons = { note_purchase: await isLink('Add a note'), open_content: await isLink('Read the content') };
    const denied = await page.getByText(/^Not possible now: Needs/).count();
    await page.goto(`${stack.baseUrl}/console`);
    const turn = (await page.getByRole('link', { name: /^Turn off/ }).count()) > 0;
    expect({ ...buttons, turn }).toEqual(expected);
    expect(denied > 0).toBe(role !== 'admin');
    await page.close();
  });

  it('finds a purchase by its transaction, and reads what happened', async () => {
    const page = await seats.pageOf('viewer');
    const { transaction } = await db.one<{ transaction: string }>(sql`select transaction from chain_transfers limit 1`);
    await page.goto(`${stack.baseUrl}/console`);
    await page.getByLabel('Search the console').fill(transaction);
    await page.getByLabel('Search the console').press('Enter');
    await page.waitForURL(`${stack.baseUrl}/console/purchases/${delivered}`);
    const words = await page.getByRole('main').innerText();
    expect(words).toContain('it waits for the buyer’s review.');
    for (const word of ['Deliver', 'Payment began', 'Transfer seen on the chain']) expect(words).toContain(word);
    expect(words).not.toContain('Ledger: collected');
    await page.getByText(/^How the service did it/).click();
    const behind = await page.getByRole('main').innerText();
    for (const word of ['Ledger: collected', 'Receipt 1']) expect(behind).toContain(word);
    await page.getByRole('link', { name: 'Failed only' }).click();
    expect(await page.getByRole('main').innerText()).toContain('Entries that did not fail are hidden.');
    await page.close();
  });

  it('filters by chips that the address keeps, and takes exactly these as CSV', async () => {
    const page = await seats.pageOf('viewer');
    const waiting = await agent.authorizedJob();
    await page.goto(`${stack.baseUrl}/console/purchases?not=job:delivered`);
    expect(await page.getByRole('main').innerText()).toContain(waiting);
    expect(await page.getByRole('main').innerText()).not.toContain(delivered);
    await page.getByText('Add filter').click();
    await page.locator('select[name="add"]').selectOption('payment:none');
    await page.getByRole('button', { name: 'Hide these' }).click();
    expect(await page.getByRole('main').innerText()).toContain('No purchase matches');
    await page.getByRole('link', { name: 'Remove filter: Job is not Delivered' }).click();
    expect(await page.getByRole('main').innerText()).toContain(delivered);
    const href = await page.getByRole('link', { name: 'CSV of these' }).getAttribute('href');
    const csv = await (
      await fetch(stack.baseUrl + href, { headers: { cookie: await seats.cookieOf('viewer') } })
    ).text();
    const [head = '', ...rows] = csv.trim().split('\r\n');
    expect(head.split(',').slice(0, 2)).toEqual(['job_key', 'quote_key']);
    expect(rows.map((row) => row.split(',')[0])).toEqual([delivered]);
    expect(rows[0]).toMatch(/,5\.00,USD,500000000,,0\.00,eip155:84532:0x[0-9a-f]{64}$/);
    expect(head).toMatch(/,fee,refunded,reference$/);
    await page.getByRole('link', { name: 'Clear all' }).click();
    expect(page.url()).toBe(`${stack.baseUrl}/console/purchases`);
    expect(await page.getByRole('list', { name: 'Filters' }).count()).toBe(0);
    for (const job of [waiting, delivered]) expect(await page.getByRole('main').innerText()).toContain(job);
    await page.close();
  });

  it('sees on a phone when each purchase was made, how it stands and its price', async () => {
    const page = await seats.pageOf('viewer');
    await page.setViewportSize(sizes.narrow);
    await page.goto(`${stack.baseUrl}/console/purchases`);
    const row = page.locator('tr', { hasText: delivered });
    for (const word of ['Delivered', 'Collected', '5.00']) {
      expect([word, await row.getByText(word).isVisible()]).toEqual([word, true]);
    }
    expect(await row.locator('time').isVisible()).toBe(true);
    await page.close();
  });

  it('reads the entries that failed alone, as recorded, and copies the key and the address of one', async () => {
    const job = await agent.authorizedJob();
    // A declined card leaves this: one answer, given again once.
    await db.many(sql`
      with claim as (
        insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, status, created_at,
          answered_at, repeats, repeated_at)
        select principal_key, 'pay', job_key, 'refused-once', 'declined', 422, now(), now(), 1, now()
        from jobs where job_key = ${job} returning week, number)
      insert into idempotency_answers select week, number, '{}', '{}' from claim`);
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    await context.addCookies(await seats.of('viewer').cookies());
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/console/purchases/${job}`, { waitUntil: 'networkidle' });
    const entries = page.locator('section[aria-labelledby="timeline"] li');
    const all = await entries.count();
    await page.getByRole('link', { name: 'Failed only' }).click();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    await expect.poll(() => entries.count(), patience).toBe(1);
    expect(all).toBeGreaterThan(1);
    expect(await entries.innerText()).toMatch(/Asked: pay\s+answered 422, repeated once since, at \d{4}-/);
    await page.getByRole('link', { name: 'Show raw' }).click();
    await page.getByRole('link', { name: 'Hide raw' }).waitFor();
    expect(await entries.locator('pre').innerText()).toContain('"repeats": 1');
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await entries.getByRole('button', { name: 'Copy the key of: Asked: pay' }).click();
    await expect.poll(copied).toBe('refused-once');
    await entries.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(copied).toBe(`${stack.baseUrl}/console/purchases/${job}#request-pay-refused-once`);
    await page.goto(await copied());
    expect(await page.locator('li:target').innerText()).toContain('Asked: pay');
    await context.close();
  });

  it('finds a payment whose outcome nobody knows, asks the provider again, and sees it resolved', async () => {
    const page = await seats.pageOf('support');
    const job = await agent.authorizedJob();
    const signature = await agent.signPayment(job);
    await facilitatorFault(stack.sandboxUrl, { mode: 'drop_before_settle', times: 'always' });
    expect((await agent.pay(job, { signature })).body.code).toBe('payment_unknown');
    await page.goto(`${stack.baseUrl}/console/money`);
    const line = page.getByRole('listitem').filter({ hasText: job });
    await line.getByRole('link', { name: 'Ask again' }).click();
    await page.getByLabel('Reason').fill('the customer waits');
    // The worker asks on its own, too: the fault keeps it from being faster.
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.waitForURL(`${stack.baseUrl}/console/purchases/${job}`);
    expect(await page.getByRole('main').innerText()).toContain('Done, and recorded in the audit log.');
    await clearFaults(stack.sandboxUrl);
    const shown = async () => {
      await page.goto(`${stack.baseUrl}/console/purchases/${job}`);
      return page.getByRole('main').innerText();
    };
    await expect.poll(shown, patience).toContain('Collected');
    expect(await shown()).toContain('the customer waits (support@example.com, support)');
    await page.close();
  });

  it('gives an unmatched transfer back to who sent it', async () => {
    const page = await seats.freshPageOf('finance');
    const hand = await chainHand(stack.sandboxUrl, chain);
    const chains = await controlClient(stack.sandboxUrl).chains();
    const to = chains.find(({ chain_id }) => chain_id === chain)?.pay_to ?? expect.unreachable();
    const before = await hand.balanceOf(agent.wallet.address);
    await hand.call(hand.transferCall(await hand.sign(agent.wallet, to, 1_230_000n)));
    const waits = async () => {
      await page.goto(`${stack.baseUrl}/console/money`);
      return page.getByRole('link', { name: 'Give back' }).count();
    };
    await expect.poll(waits, patience).toBe(1);
    await page.getByRole('link', { name: 'Give back' }).click();
    await page.getByLabel('Reason').fill('sent by mistake');
    await page.getByRole('button', { name: 'Give back 1.23 USD' }).click();
    await page.waitForURL(`${stack.baseUrl}/console/money`);
    expect(await page.getByRole('status').innerText()).toContain('Done');
    await expect.poll(() => hand.balanceOf(agent.wallet.address), patience).toBe(before);
    await page.close();
  });

  it('refunds an accepted charge with a note, and reads its receipt', async () => {
    const page = await seats.freshPageOf('finance');
    const job = await deliveredJob();
    expect((await agent.post(`/api/agent/v1/jobs/${job}/review`, { decision: 'accept' })).status).toBe(200);
    await db.many(sql`
      update member_sessions set created_at = member_sessions.created_at - interval '11 minutes'
      from members m where m.member_key = member_sessions.member_key and email = 'finance@example.com'`);
    await page.goto(`${stack.baseUrl}/console/purchases/${job}`);
    await page.getByRole('link', { name: 'Refund the charge' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in again first');
    await page.close();
    const fresh = await seats.freshPageOf('finance');
    await fresh.goto(`${stack.baseUrl}/console/purchases/${job}`);
    await fresh.getByRole('link', { name: 'Refund the charge' }).click();
    await fresh.getByLabel('Reason').fill('the report missed the invoice');
    await fresh.getByRole('button', { name: 'Refund 5.00 USD' }).click();
    await fresh.waitForURL(`${stack.baseUrl}/console/purchases/${job}`);
    expect(await fresh.getByRole('status').innerText()).toContain('Done');
    const shown = async () => {
      await fresh.goto(`${stack.baseUrl}/console/purchases/${job}`);
      return fresh.getByRole('main').innerText();
    };
    await expect.poll(shown, patience).toContain('Refunded');
    expect(await shown()).toContain('the report missed the invoice (finance@example.com, finance)');
    const last = fresh.locator('section[aria-labelledby="receipts"] details').last();
    await last.locator('summary').click();
    const receipt = JSON.parse(await last.locator('pre').innerText());
    expect(receipt).toMatchObject({ charge: { state: 'waived' }, remedy: { kind: 'refund', state: 'refunded' } });
    await fresh.close();
  });

  it('saves a view, and acts on several purchases after seeing which', async () => {
    const page = await seats.pageOf('support');
    await page.goto(`${stack.baseUrl}/console/purchases?is=job:delivered`);
    await page.getByText('Saved views', { exact: true }).click();
    await page.getByLabel('Save this view as').fill('Delivered ones');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.goto(`${stack.baseUrl}/console/purchases`);
    await page.getByRole('link', { name: 'Delivered ones' }).click();
    expect(new URL(page.url()).search).toBe('?is=job%3Adelivered');
    await page.getByRole('checkbox', { name: delivered }).check();
    await page.getByLabel('With several').selectOption('note_purchase');
    await page.getByRole('button', { name: 'Preview selected' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Add a note: 1 of 1 purchase');
    await page.getByLabel('Reason').fill('seen together');
    await page.getByRole('button', { name: 'Add a note for 1' }).click();
    await page.waitForURL(/console\/purchases\?/);
    expect(await page.getByRole('status').innerText()).toContain('Done');
    await page.getByRole('button', { name: 'Delete the view Delivered ones' }).click();
    expect(await page.getByRole('link', { name: 'Delivered ones' }).count()).toBe(0);
    await page.goto(`${stack.baseUrl}/console/purchases/${delivered}`);
    expect(await page.getByRole('main').innerText()).toContain('seen together (support@example.com, support)');
    await page.close();
  });

  it('watches the list move, and stops it', async () => {
    const context = await browser.newContext();
    await context.addCookies(await seats.of('viewer').cookies());
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/console/purchases`);
    await page.getByRole('button', { name: 'Pause updates' }).waitFor();
    const first = await agent.authorizedJob();
    await page.getByRole('link', { name: first }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Pause updates' }).click();
    const second = await agent.authorizedJob();
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(await page.getByRole('link', { name: second }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await page.getByRole('link', { name: second }).waitFor({ timeout: 30_000 });
    await context.close();
  });

  it('switches a rail off with a reason, and availability shows it', async () => {
    const page = await seats.pageOf('admin');
    const x402 = async () => {
      const { body } = await agent.get('/api/agent/v1/services/svc_work_check');
      return body.availability.rails.x402.reasons;
    };
    for (const to of ['off', 'on'] as const) {
      await page.goto(`${stack.baseUrl}/console`);
      await page.getByRole('link', { name: `Turn ${to} x402 payments` }).click();
      await page.getByLabel('Reason').fill(`a trial of ${to}`);
      await page.getByRole('button', { name: `Turn ${to}` }).click();
      await page.waitForURL(`${stack.baseUrl}/console`);
      expect(await x402()).toEqual(to === 'off' ? ['rail_disabled'] : []);
      if (to === 'off')
        expect(await page.getByRole('main').innerText()).toContain('a trial of off (admin@example.com)');
    }
    await page.goto(`${stack.baseUrl}/console/audit`);
    await page.getByRole('button', { name: 'Verify' }).click();
    expect(await page.getByRole('status').innerText()).toContain('Intact: ');
    expect(await page.getByRole('main').innerText()).toContain('off: a trial of off');
    await page.close();
  });

  it('sees on the first screen when chain and books differ by one unit', async () => {
    const page = await seats.pageOf('viewer');
    await expect
      .poll(async () => {
        await page.goto(`${stack.baseUrl}/console`);
        return page.getByRole('main').innerText();
      }, patience)
      .toContain('Chain and books agree');
    const network = `eip155:${chain}`;
    const { balance } = await db.one<{ balance: string }>(
      sql`select balance_microcents + 100 as balance from searched_chains where network = ${network}`,
    );
    // The worker's next search puts it right again.
    await expect
      .poll(async () => {
        await db.many(sql`update searched_chains set balance_microcents = ${balance} where network = ${network}`);
        await page.goto(`${stack.baseUrl}/console`);
        return (await page.getByRole('main').innerText()).replaceAll('\u00a0', ' ');
      }, patience)
      .toContain('differ by 0.000001 USD');
    await page.close();
  });

  it('reads content only after saying why', async () => {
    const page = await seats.pageOf('support');
    await page.goto(`${stack.baseUrl}/console/purchases/${delivered}/content`);
    expect(await page.getByRole('main').innerText()).not.toContain('Rotterdam');
    await page.getByRole('link', { name: 'Give a reason' }).click();
    await page.getByLabel('Reason').fill('asked by the customer');
    await page.getByRole('button', { name: 'Open the content' }).click();
    expect(await page.getByRole('main').innerText()).toContain('Rotterdam');
    await page.close();
  });
});

describe('a form of the console that another site sends', () => {
  it('does nothing, whoever is signed in', async () => {
    const answer = await fetch(`${stack.baseUrl}/console/switches/card/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie: await seats.cookieOf('admin'),
        origin: 'https://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'state=off&reason=theirs',
    });
    expect(answer.status).toBe(403);
    expect(await db.many(sql`select name from switch_changes where reason = 'theirs'`)).toEqual([]);
  });
});

describe('markup in whatever an agent sends', () => {
  const hostile = '<img src=x onerror=hacked=1>';

  it('is shown as the words that it is, to customers and operators, and no page can be framed', async () => {
    const job = await deliveredJob({
      request: `=HYPERLINK("https://evil.example") ${hostile}`,
      criteria: [`Names ${hostile}`],
      work_product: `Rotterdam has 12 crates. ${hostile}`,
      evidence: [{ source: hostile, text: `Rotterdam has 14 crates. ${hostile}` }],
    });
    const registered = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
    const registration = await register(registered, 'hostile@example.com', { agent: { name: hostile } });
    const letters = () => addressesIn(stack.sandboxUrl, 'hostile@example.com', /Confirm an agent/);
    await expect.poll(async () => (await letters()).length, patience).toBe(1);
    const [letter] = await controlClient(stack.sandboxUrl).mail('hostile@example.com');
    const context = await browser.newContext();
    await context.addCookies(await seats.of('admin').cookies());
    const page = await context.newPage();
    const look = async (address: string): Promise<string> => {
      const answer = await page.goto(address, { waitUntil: 'networkidle' });
      const headers = answer?.headers() ?? {};
      expect([address, headers['x-frame-options']]).toEqual([address, 'DENY']);
      expect([address, headers['content-security-policy']]).toEqual([
        address,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
      expect([
        address,
        await page.evaluate(() => 'hacked' in window),
        await page.locator('img[src=x]').count(),
      ]).toEqual([address, false, 0]);
      return page.getByRole('main').innerText();
    };
    expect(await look((await letters())[0] ?? '')).toContain(hostile);
    registered.token = (await claim(registered, registration, codeIn(letter?.text ?? ''))).body.credential;
    const customer = (await registered.get('/api/agent/v1/me')).body.account_key;
    const told = { reports: 0, rest: 0 };
    for (const place of [
      `/reports/${job}`,
      `/reports/${job}?whole=yes`,
      `/receipts/${job}`,
      `/reports/${job}/dispute`,
      '/purchases',
      '/purchases/spend',
      '/agents',
      '/account',
      '/console/purchases',
      `/console/purchases/${job}`,
      '/console/customers',
      `/console/customers/${customer}`,
      '/console/quality/findings',
      `/console/found?${new URLSearchParams({ q: hostile })}`,
    ]) {
      const words = await look(stack.baseUrl + place);
      told[place.startsWith('/reports/') ? 'reports' : 'rest'] += words.includes(hostile) ? 1 : 0;
    }
    expect(told.reports).toBeGreaterThan(1);
    expect(told.rest).toBeGreaterThan(1);
    for (const table of ['/purchases/statement.csv', '/console/purchases/csv']) {
      const file = await page.request.get(stack.baseUrl + table);
      expect([table, file.headers()['x-content-type-options'], file.headers()['content-disposition']]).toEqual([
        table,
        'nosniff',
        expect.stringMatching(/^attachment/),
      ]);
      expect(await file.text()).toContain(job);
      expect(await file.text()).not.toMatch(/(?:^|,)"?[=+@]/m);
    }
    await page.goto(`${stack.baseUrl}/reports/${job}`, { waitUntil: 'networkidle' });
    const printed = (await page.pdf()).toString('latin1');
    expect(printed).toContain('/Type /Page');
    expect(printed).not.toMatch(/\/JavaScript|\/JS\b|\/Launch|\/URI \(\w+:\/\/evil/);
    await page.goto(`${stack.baseUrl}/console/purchases/${job}/content`);
    await page.getByRole('link', { name: 'Give a reason' }).click();
    await page.getByLabel('Reason').fill('asked by the customer');
    await page.getByRole('button', { name: 'Open the content' }).click();
    expect(await page.getByRole('main').innerText()).toContain(hostile);
    expect(await page.locator('img[src=x]').count()).toBe(0);
    await context.close();
  });
});

describe('every page of the console', () => {
  it('is accessible', async () => {
    const pages = places()
      .filter((place) => !/csv|search/.test(place))
      .map((place) => [
        place.replace(accountKey, 'account').replace(delivered, 'job').replace(/\W+/g, '-'),
        stack.baseUrl + place,
      ]);
    expect(await faultsOfPages(seats.of('admin'), Object.fromEntries(pages))).toEqual([]);
  });

  it('takes `/` and Ctrl+K to the search box', async () => {
    const context = await browser.newContext();
    await context.addCookies(await seats.of('admin').cookies());
    const page = await context.newPage();
    await page.goto(`${stack.baseUrl}/console`, { waitUntil: 'networkidle' });
    for (const keys of ['/', 'Control+k']) {
      await page.locator('h1').click();
      await page.keyboard.press(keys);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q');
      await page.keyboard.press('Tab');
    }
    await context.close();
  });
});
