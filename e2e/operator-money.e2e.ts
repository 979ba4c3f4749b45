import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { ports } from '../sandbox/ports.ts';
import { SANDBOX_SECRET_KEY } from '../sandbox/stripe/keys.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import { letterQueue, openQueue } from '../server/queue/queue.ts';
import { Agent } from './support/agent.ts';
import { faultsOfPages, patience, sizes, startInBrowser } from './support/browser.ts';
import { cards, chargeBeside, click, fillIn, nextGood, payByCard } from './support/card.ts';
import { chainHand } from './support/chain-hand.ts';
import { claim, register } from './support/customer.ts';
import { codeIn } from './support/letter.ts';
import { type Seats, seatsAt } from './support/seats.ts';

const { stack, browser } = await startInBrowser();
let db: Database;
let seats: Seats;
let agent: Agent;
let accountKey: string;
let agentKey: string;
let jobKey: string;
let disputeKey: string;
let eventKey: string;

const chain = 84532;
const email = 'ines@harbourlane.example';

const control = () => controlClient(stack.sandboxUrl);

beforeAll(async () => {
  db = openDatabase(stack.databaseUrl, { connections: 2 });
  agent = await customersAgent();
  ({ account_key: accountKey } = (await agent.get('/api/agent/v1/me')).body);
  const principal = await db.one<{ principal_key: string }>(sql`
    select principal_key from principals where account_key = ${accountKey}`);
  agentKey = principal.principal_key;
  seats = await seatsAt(browser, db, { baseUrl: stack.baseUrl, accountKey });
  jobKey = await paidByCard();
  disputeKey = await disputed(jobKey);
  const event = await db.one<{ event_id: string }>(sql`select event_id from card_events order by received_at limit 1`);
  eventKey = event.event_id;
});
afterAll(async () => {
  await db?.end();
});

/** An agent whose customer confirmed it with the letter's code. */
async function customersAgent(address = email): Promise<Agent> {
  const one = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
  const registration = await register(one, address);
  await vi.waitFor(async () => expect(await control().mail(address)).toHaveLength(1), patience);
  const [letter] = await control().mail(address);
  one.token = (await claim(one, registration, codeIn(letter?.text ?? ''))).body.credential;
  return one;
}

/** A job whose payer fills in the provider's page with this card, and its payment. */
async function filledIn(buyer: Agent, card: string): Promise<{ key: string; paymentKey: string }> {
  const key = await buyer.authorizedJob();
  const { body } = await payByCard(buyer, key);
  const { body: page } = await click(buyer, body.payment_key);
  await fillIn(page.url, card);
  return { key, paymentKey: body.payment_key };
}

const reaches = (buyer: Agent, key: string, state: string) =>
  vi.waitFor(async () => expect((await buyer.job(key)).body.state).toBe(state), patience);

/** A job paid on the provider's page, and delivered. */
async function paidByCard(): Promise<string> {
  const { key } = await filledIn(agent, cards.good);
  await reaches(agent, key, 'delivered');
  return key;
}

/** Disputes the payment, and waits until the service has heard of it. */
async function disputed(key: string): Promise<string> {
  const { intent_id } = await db.one<{ intent_id: string }>(sql`
    select intent_id from card_charges join payments using (payment_key) where job_key = ${key}`);
  const { id } = await control().stripe.openDispute({ payment_intent: intent_id, reason: 'product_not_received' });
  await vi.waitFor(async () => expect((await agent.job(key)).body.payment_state).toBe('disputed'), patience);
  return id;
}

const text = async (page: Page): Promise<string> =>
  (await page.getByRole('main').innerText()).replaceAll('\u00a0', ' ');
const at = (place: string): string => stack.baseUrl + place;

const places = () => [
  '/console/money',
  '/console/disputes',
  `/console/disputes/${disputeKey}`,
  '/console/failures',
  '/console/customers',
  `/console/customers/${accountKey}`,
  `/console/agents/${agentKey}/pause`,
  '/console/ledger',
  '/console/ledger/entries?account=asset%3Acard',
  '/console/webhooks',
  `/console/webhooks/${eventKey}`,
  `/console/webhooks/${eventKey}/open`,
  '/console/incidents',
  '/console/quality',
  '/console/quality/findings',
  '/console/audit',
];

describe('whoever has no role', () => {
  it('finds none of these pages, not prefetched and not as .rsc, and none of their forms', async () => {
    const cookie = await seats.cookieOf('nobody');
    for (const place of places()) {
      for (const headers of [{}, { rsc: '1' }, { rsc: '1', 'next-router-prefetch': '1' }]) {
        const answer = await fetch(at(place), { headers: { cookie, ...headers } });
        const body = await answer.text();
        expect([place, headers, answer.status, body.includes(jobKey)]).toEqual([place, headers, 404, false]);
      }
      const [address = '', query] = place.split('?');
      const segment = await fetch(at(`${address}.rsc${query ? `?${query}` : ''}`), { headers: { cookie } });
      expect([place, segment.status]).toEqual([place, 404]);
    }
    for (const form of [
      `disputes/${disputeKey}/answer`,
      'failures/retry/confirm',
      `agents/${agentKey}/pause/confirm`,
    ]) {
      const answer = await fetch(at(`/console/${form}`), {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
        body: 'reason=mine&statement=mine',
      });
      expect([form, answer.status]).toEqual([form, 404]);
    }
    const procedure = await fetch(at('/api/trpc/console_disputes'), {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(procedure.status).toBe(404);
  });

  it('and a viewer: the pages without what they may not do', async () => {
    const page = await seats.pageOf('viewer');
    await page.goto(at(`/console/disputes/${disputeKey}`));
    expect(await text(page)).toContain('Not possible now: Needs finance or admin.');
    expect(await page.getByRole('button', { name: 'Send to the bank' }).count()).toBe(0);
    await page.goto(at('/console/quality/findings'));
    expect(await text(page)).not.toContain('Judge');
    await page.goto(at(`/console/customers/${accountKey}`));
    expect(await page.getByRole('link', { name: 'Pause' }).count()).toBe(0);
    await page.close();
  });
});

describe('an operator answers within three steps of the console', () => {
  const cy = 'cy@harbourlane.example';
  let page: Page;
  let steps = 0;

  beforeEach(async () => {
    page = await seats.pageOf('support');
    await page.goto(at('/console'));
    steps = 0;
  });
  afterEach(async () => {
    expect(steps).toBeLessThanOrEqual(3);
    await page.close();
  });

  /** What a customer says of itself: leads to its page, or to the hits. */
  async function search(words: string): Promise<string> {
    steps += 1;
    await page.getByRole('searchbox').fill(words);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/(?:customers\/acct_|found)/);
    return text(page);
  }
  async function follow(link: string): Promise<string> {
    steps += 1;
    const here = page.url();
    await page.getByRole('link', { name: link }).first().click();
    await page.waitForURL((url) => url.href !== here);
    return text(page);
  }

  it('“why can my agent not buy?”', async () => {
    expect(await search(email)).toMatch(
      /Its agents can buy nothing now\.\s+The bank of a card .* asking for the money/,
    );
    expect(await follow('the open dispute')).toMatch(/Answer by[\s\S]*in [67] d/);
    expect(page.url()).toBe(at(`/console/disputes/${disputeKey}`));
  });

  it('“why was my card refused?”, “where is my refund?” and “I was charged twice”', async () => {
    const buyer = await customersAgent(cy);
    const back = (await filledIn(buyer, nextGood())).key;
    for (const [from, to] of [
      ['delivered', 'redelivered'],
      ['redelivered', 'waived'],
    ] as const) {
      await reaches(buyer, back, from);
      await buyer.post(`/api/agent/v1/jobs/${back}/review`, { decision: 'dispute', reason: 'report_incomplete' });
      await reaches(buyer, back, to);
    }
    const twice = await filledIn(buyer, nextGood());
    await reaches(buyer, twice.key, 'delivered');
    const url = `http://127.0.0.1:${ports(Number(new URL(stack.baseUrl).port)).stripe}`;
    const stripe = { url, secretKey: SANDBOX_SECRET_KEY } as Parameters<typeof chargeBeside>[0]['sandbox']['stripe'];
    await chargeBeside({ sandbox: { stripe } as Parameters<typeof chargeBeside>[0]['sandbox'] }, twice.paymentKey);
    const refused = (await filledIn(buyer, cards.insufficient)).key;
    const answers = {
      [refused]: /The bank refused the newest charge: there is not enough money on the card\./,
      [back]: /5\.00 USD went back on .* UTC as re_\w+; the bank may take 5 to 10 days to show it\./,
      [twice.key]: /It was paid for 2 times; .* 5\.00 USD went back on/,
    };
    for (const [key, answer] of Object.entries(answers)) {
      const read = async () => {
        await page.goto(at('/console'));
        steps = 0;
        await search(cy);
        return follow(key);
      };
      await expect.poll(read, patience).toMatch(answer);
    }
    await page.goto(at('/console'));
    expect(await search(cy)).toMatch(/Paid for 2 times\s+5\.00 USD went back/);
  });

  it('“I paid and have no report”', async () => {
    const buyer = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    await stack.worker.kill();
    const key = await buyer.paidJob();
    await search(buyer.wallet.address);
    await follow(buyer.wallet.address.toLowerCase());
    expect(await follow(key)).toMatch(/Paid in stablecoin; the check waits for a worker\.[\s\S]*To be delivered by/);
    stack.startWorker();
    await reaches(buyer, key, 'delivered');
    await page.reload();
    expect(await text(page)).toContain('Delivered with the verdict');
  });
});

describe('a payer, on a phone without scripts, while cards are switched off and on again', () => {
  it('is told that cards are off and to try again later, loses nothing, and pays by the same link', async () => {
    const buyer = await customersAgent('bo@harbourlane.example');
    const key = await buyer.authorizedJob();
    const link = String((await payByCard(buyer, key)).body.continuation_url);
    const payer = await (await browser.newContext({ viewport: sizes.narrow, javaScriptEnabled: false })).newPage();
    const turn = async (act: 'Turn off' | 'Turn on') => {
      const page = await seats.pageOf('admin');
      await page.goto(at('/console/switches/card'));
      await page.getByLabel('Reason').fill('the card provider is down');
      await page.getByRole('button', { name: act }).click();
      await page.waitForURL(at('/console'));
      await page.close();
    };
    const byCard = payer.getByRole('button', { name: /by card/ });
    await payer.goto(link);
    await turn('Turn off');
    await byCard.click();
    expect(await text(payer)).toMatch(
      /Nothing was paid by that\.[\s\S]*Cards cannot be charged here right now\. Try again later/,
    );
    await payer.goBack();
    expect(payer.url()).toBe(link);
    await turn('Turn on');
    await payer.goto(link);
    await byCard.click();
    await fillIn(payer.url());
    await payer.goto(link);
    await reaches(buyer, key, 'delivered');
    await payer.reload();
    expect(await payer.getByRole('heading', { level: 1 }).innerText()).toMatch(/collected/);
    await payer.context().close();
  });
});

describe('an operator', () => {
  it('answers a card dispute, and the bank has the evidence', async () => {
    const page = await seats.pageOf('finance');
    await page.goto(at('/console'));
    await page
      .getByRole('navigation', { name: 'Console', exact: true })
      .getByRole('link', { name: /^Disputes/ })
      .click();
    expect(await text(page)).toMatch(/Open: 1[\s\S]*Answer due in [67] d/);
    await page.getByRole('link', { name: disputeKey }).click();
    expect(await text(page)).toContain('Signed receipt');
    await page.getByLabel('Why the charge stands').fill('The report was delivered and read.');
    await page.getByLabel('Reason').fill('the record is clear');
    await page.getByRole('button', { name: 'Send to the bank' }).click();
    await page.waitForURL(at(`/console/disputes/${disputeKey}`));
    expect(await page.getByRole('status').innerText()).toContain('Answered');
    expect(await page.getByRole('button', { name: 'Send to the bank' }).count()).toBe(0);
    const [sent] = (await control().stripe.books()).disputes;
    expect(sent?.status).toBe('under_review');
    expect(sent?.evidence.refund_refusal_explanation).toBe('The report was delivered and read.');
    await control().stripe.closeDispute(disputeKey, 'won');
    const list = async () => {
      await page.goto(at('/console/disputes'));
      return text(page);
    };
    await expect.poll(list, patience).toContain('Won: the payment stands.');
    await page.goto(at('/console/audit'));
    expect(await text(page)).toContain('the record is clear');
    await page.close();
  });

  it('gives an unmatched transfer back to who sent it', async () => {
    const page = await seats.pageOf('finance');
    const hand = await chainHand(stack.sandboxUrl, chain);
    const to = (await control().chains()).find(({ chain_id }) => chain_id === chain)?.pay_to ?? expect.unreachable();
    const payer = (await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } })).wallet;
    const before = await hand.balanceOf(payer.address);
    await hand.call(hand.transferCall(await hand.sign(payer, to, 2_340_000n)));
    const waits = async () => {
      await page.goto(at('/console/money'));
      return page.getByRole('link', { name: 'Give back' }).count();
    };
    await expect.poll(waits, patience).toBe(1);
    await page.getByRole('link', { name: 'Give back' }).click();
    await page.getByLabel('Reason').fill('sent by mistake');
    await page.getByRole('button', { name: 'Give back 2.34 USD' }).click();
    await page.waitForURL(at('/console/money'));
    await expect.poll(() => hand.balanceOf(payer.address), patience).toBe(before);
    await expect.poll(waits, patience).toBe(0);
    await page.goto(at('/console/ledger/entries'));
    expect(await text(page)).toContain('return owed');
    await page.close();
  });

  it('has a dead letter sent again, and it comes', async () => {
    const page = await seats.pageOf('support');
    const address = 'viewer@example.com';
    await control().mailFault({ mode: 'refuse', code: 451, times: 'always' });
    const queue = await openQueue(stack.databaseUrl, 'sender', 'trial');
    const letter = { kind: 'sign_in', request_key: 'req_trial', email: address, next: '/', origin: '10.0.0.0/24' };
    await queue.boss.send(letterQueue, letter, { retryLimit: 0 });
    await queue.stop();
    const dead = async () => {
      await page.goto(at('/console/failures'));
      return text(page);
    };
    await expect.poll(dead, patience).toContain('Letters that could not be sent: 1');
    await control().clearMailFaults();
    await page.getByRole('link', { name: 'Send again' }).click();
    await page.getByLabel('Reason').fill('the mail server is back');
    await page.getByRole('button', { name: 'Send 1 letter' }).click();
    await page.waitForURL(at('/console/failures'));
    expect(await text(page)).toContain('Letters that could not be sent: 0');
    await expect.poll(async () => (await control().mail(address)).length, patience).toBeGreaterThan(0);
    await page.close();
  });

  it('pauses an agent of a customer, finds it by its beginning, and lets it buy again', async () => {
    const page = await seats.pageOf('support');
    for (const [act, state] of [
      ['Pause', 'Paused'],
      ['Resume', 'Active'],
    ] as const) {
      await page.goto(at('/console/customers'));
      await page.getByLabel(/Start of an e-mail/).fill(email.slice(0, 8));
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('link', { name: email }).click();
      await page.getByRole('link', { name: act }).click();
      await page.getByLabel('Reason').fill('asked by the customer');
      await page.getByRole('button', { name: act }).click();
      await page.waitForURL(at(`/console/customers/${accountKey}`));
      expect(await text(page)).toContain(state);
      expect((await text(page)).includes('Buys nothing now: It is paused.')).toBe(state === 'Paused');
    }
    await page.close();
  });

  it('reads the payload of a webhook after saying why, and has it looked into again', async () => {
    const page = await seats.pageOf('support');
    await page.goto(at(`/console/webhooks/${eventKey}`));
    expect(await text(page)).toContain('Give a reason to read its payload');
    await page.getByRole('link', { name: 'Read the payload' }).click();
    await page.getByLabel('Reason').fill('a trial');
    await page.getByRole('button', { name: 'Open the payload' }).click();
    await page.waitForURL(at(`/console/webhooks/${eventKey}`));
    expect(await text(page)).toContain('"object": "event"');
    await page.getByRole('link', { name: 'Handle again' }).click();
    await page.getByLabel('Reason').fill('a trial');
    await page.getByRole('button', { name: 'Handle again' }).click();
    const tries = async () => {
      const row = await db.one<{ tries: number }>(sql`select tries from card_events where event_id = ${eventKey}`);
      return row.tries;
    };
    await expect.poll(tries, patience).toBe(2);
    await page.close();
  });

  it('tells everybody of an incident as it was typed, and that it ended', async () => {
    const [page, visitor] = [await seats.pageOf('support'), await browser.newPage()];
    await page.goto(at('/console/incidents'));
    await page.getByLabel('Title').fill('Cards <b>fail</b>');
    await page.getByLabel('Payment by card').selectOption('down');
    await page.getByLabel('What is known').fill('We are <script>looking</script>.');
    await page.getByRole('button', { name: 'Tell everybody' }).click();
    await expect.poll(() => text(page), patience).toContain('Told to everybody');
    await visitor.goto(at('/status'));
    expect(await text(visitor)).toMatch(
      /Cards <b>fail<\/b>\s+Payment by card: down[\s\S]*We are <script>looking<\/script>\./,
    );
    await page.getByLabel('How it goes on, or ended').fill('The bank has mended it.');
    await page.getByRole('button', { name: 'Resolve with this' }).click();
    await expect.poll(() => page.getByLabel('How it goes on, or ended').count(), patience).toBe(0);
    const { incidents } = await (await fetch(at('/status.json'))).json();
    expect(incidents[0]).toMatchObject({ title: 'Cards <b>fail</b>', resolved_at: expect.any(String) });
    await page.close();
    await visitor.close();
  });

  it('judges findings after saying why, and takes them as cases', async () => {
    const page = await seats.pageOf('support');
    await page.goto(at('/console/quality'));
    await page.getByRole('link', { name: 'Judge findings' }).click();
    await page.getByLabel('Reason').fill('the weekly sample');
    await page.getByRole('button', { name: 'Open the findings' }).click();
    await page.waitForURL(at('/console/quality/findings'));
    // Another finding takes the place of the one that was judged.
    const first = () => page.locator('main li select').first().getAttribute('id');
    const judged = await first();
    expect(judged).toMatch(/^error-job_/);
    await page.getByRole('button', { name: 'Right' }).first().click();
    await expect.poll(first, patience).not.toBe(judged);
    const cases = await fetch(at('/console/quality/findings/cases'), {
      headers: { cookie: await seats.cookieOf('support') },
    });
    expect([cases.status, cases.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    await page.close();
  });
});

describe('every page about money and people', () => {
  it('is accessible', async () => {
    const pages = places().map((place, index) => [`${index}-${place.split('/')[2]}`, at(place)]);
    expect(await faultsOfPages(seats.of('admin'), Object.fromEntries(pages))).toEqual([]);
  });

  it('is done with the keyboard alone: an agent is paused', async () => {
    const context = await browser.newContext();
    await context.addCookies(await seats.of('admin').cookies());
    const page = await context.newPage();
    await page.goto(at(`/console/agents/${agentKey}/pause`), { waitUntil: 'networkidle' });
    /** Presses Tab until this has the focus. */
    const reach = async (wanted: string) => {
      for (let stop = 0; stop < 80; stop += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const { activeElement } = document;
          return activeElement?.getAttribute('name') ?? activeElement?.textContent ?? '';
        });
        if (focused.trim() === wanted) return;
      }
      expect.unreachable(`the keyboard does not come to ${wanted}`);
    };
    await reach('reason');
    await page.keyboard.type('by keyboard');
    await reach('Pause');
    await page.keyboard.press('Enter');
    await page.waitForURL(at(`/console/customers/${accountKey}`));
    expect(await text(page)).toContain('Paused');
    await context.close();
  });
});
