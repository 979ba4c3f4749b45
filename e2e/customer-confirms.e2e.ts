import pg from 'pg';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { Agent, type Answer } from './support/agent.ts';
import { faultsOfPages, patience, shareInBrowser, sizes } from './support/browser.ts';
import { claim, register } from './support/customer.ts';
import { addressIn } from './support/letter.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();

/** The customer, in a browser without scripts: every form must work without them. */
const email = 'ines.confirms@harbourlane.example';
let person: Page;
let agent: Agent;
let registration: Answer;

beforeAll(async () => {
  person = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  agent = newcomer();
});

/** The address in the newest letter whose subject matches. */
async function linkIn(subject: RegExp): Promise<string> {
  let found: string | undefined;
  await expect
    .poll(async () => {
      [found] = await addressesIn(stack.sandboxUrl, email, subject);
      return found;
    }, patience)
    .toBeDefined();
  return found ?? '';
}

const newcomer = () => new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);

/** Another agent of the customer, connected by approval. */
async function registerForMember(): Promise<Answer> {
  const asked = await register(agent, email, { mode: 'link_existing' });
  await person.goto(asked.body.verification_url);
  await person.getByLabel('The code that your agent shows').fill(asked.body.user_code);
  await person.getByRole('button', { name: 'See the request' }).click();
  await person.getByRole('button', { name: 'Approve' }).click();
  expect(await main()).toContain('The agent is connected');
  return asked;
}

const main = () => person.getByRole('main').innerText();

async function signIn(): Promise<void> {
  await person.goto(`${stack.baseUrl}/sign-in`);
  await person.getByLabel('Your e-mail address').fill(email);
  await person.getByRole('button', { name: 'Send me a sign-in link' }).click();
  expect(await main()).toContain('Check your mail');
  await person.goto(await linkIn(/sign-in link/));
  await person.getByRole('button', { name: 'Sign in' }).click();
}

describe('a customer', () => {
  it('sees who asks and for what, and confirms by the button alone', async () => {
    registration = await register(agent, email);
    const link = await linkIn(/Confirm an agent/);
    await shoot('confirm', link);
    await person.goto(link);
    const words = await main();
    for (const shown of ['Procurement Assistant', 'not verified', '10.00', '50.00', 'no limit', email, '2026-07-21']) {
      expect(words.replaceAll('\u00a0', ' ')).toContain(shown);
    }
    expect(await person.getByLabel('Per check').inputValue()).toBe('5.00');
    await person.getByLabel('Per day').fill('60.00');
    await person.getByRole('button', { name: 'Confirm' }).click();
    expect(await main()).toContain('you can only lower what the agent asked for');
    expect(await person.getByLabel('Per day').inputValue()).toBe('60.00');
    await person.getByLabel('Per day').fill('45.00');
    expect((await claim(agent, registration)).status).toBe(202);
    await person.getByRole('button', { name: 'Confirm' }).click();
    expect(await main()).toContain('Your agent may buy checks');
    expect(await main()).toContain('It has not fetched its key yet');
    expect(await main()).toContain(`You are signed in as ${email}`);
    const released = await claim(agent, registration);
    expect(released.status).toBe(200);
    agent.token = released.body.credential;
    expect((await agent.get('/api/agent/v1/me')).body.grant).toMatchObject({
      per_job_limit_microcents: 500_000_000,
      daily_limit_microcents: 4_500_000_000,
    });
    await person.reload();
    expect(await main()).toContain('It has fetched its key.');
    await person.getByRole('link', { name: 'See your agents' }).click();
    expect(await main()).toContain('Are all of these yours?');
  });

  it('confirms only this once, for another address, and stays who they are', async () => {
    const other = newcomer();
    const asked = await register(other, 'once@example.com');
    const links = () => addressesIn(stack.sandboxUrl, 'once@example.com', /Confirm an agent/);
    await expect.poll(async () => (await links()).length, patience).toBe(1);
    await person.goto((await links())[0] ?? '');
    await person.getByLabel('Only this once').check();
    expect(await main()).not.toContain('you are signed in');
    await person.getByRole('button', { name: 'Confirm' }).click();
    expect(await main()).toContain(`This browser stays signed in as ${email}. After a sign-in as once@example.com`);
    expect((await claim(other, asked)).body.grant).toMatchObject({ total_limit_microcents: 500_000_000 });
  });

  it('declines with a button of the same weight, and a foreign site cannot decide', async () => {
    const stranger = newcomer();
    await register(stranger, 'declines@example.com');
    const control = controlClient(stack.sandboxUrl);
    await expect.poll(async () => (await control.mail('declines@example.com')).length, patience).toBe(1);
    const [letter] = await control.mail('declines@example.com');
    const link = addressIn(letter?.text ?? '');
    const foreign = await fetch(`${stack.baseUrl}/confirm/decision`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ link: new URL(link).searchParams.get('link') ?? '', decision: 'confirm' }),
    });
    expect(foreign.status).toBe(403);
    await person.goto(link);
    const sizes = await Promise.all(
      ['Decline', 'Confirm'].map((name) => person.getByRole('button', { name, exact: true }).boundingBox()),
    );
    expect(sizes[0]?.width).toBe(sizes[1]?.width);
    await person.getByText('You do not know this agent?').click();
    expect(await main()).toContain('for 24 hours no agent there can have letters sent to you');
    await person.getByRole('button', { name: 'Decline, and block this network' }).click();
    expect(await main()).toContain('The request was declined');
    await person.getByRole('button', { name: 'Undo the block' }).click();
    expect(await main()).not.toContain('Undo the block');
  });

  it('signs in by letter and says of each agent whether to keep it', async () => {
    await signIn();
    expect(new URL(person.url()).pathname).toBe('/agents');
    expect(await main()).toContain('Are all of these yours?');
    await shoot('agents-first', `${stack.baseUrl}/agents`);
    await person.getByLabel('Keep').check();
    await person.getByRole('button', { name: 'Save' }).click();
    expect(await main()).not.toContain('Are all of these yours?');
  });

  it('connects another agent by typing its code, with lower limits', async () => {
    const second = newcomer();
    const asked = await register(second, email, {
      mode: 'link_existing',
      agent: { name: 'Research Desk', software: 'brief-runner 0.9.3' },
    });
    await person.goto(asked.body.verification_url);
    await person.getByLabel('The code that your agent shows').fill('BBBB-BBBB');
    await person.getByRole('button', { name: 'See the request' }).click();
    expect(await main()).toContain('No agent is waiting with this code');
    await person.getByLabel('The code that your agent shows').fill(asked.body.user_code.toLowerCase());
    await person.getByRole('button', { name: 'See the request' }).click();
    await shoot('connect', person.url());
    await person.getByLabel('Per day').fill('a lot');
    await person.getByRole('button', { name: 'Approve' }).click();
    expect(await main()).toContain('Enter an amount such as 10.00.');
    expect(await person.getByLabel('Per day').inputValue()).toBe('a lot');
    await person.getByLabel('Per day').fill('25.00');
    await person.getByLabel('In total').fill('200');
    expect(await main()).not.toContain('Cards are not set up here.');
    expect(await person.getByLabel('Pay with the saved card').isChecked()).toBe(true);
    await person.getByLabel('Accept or dispute reports').uncheck();
    await person.getByRole('button', { name: 'Approve' }).click();
    expect(await main()).toContain('The agent is connected');
    const released = await claim(second, asked);
    expect(released.body.grant).toMatchObject({
      daily_limit_microcents: 2_500_000_000,
      total_limit_microcents: 20_000_000_000,
      review_authority: false,
      payment_methods: ['card_checkout', 'card_saved', 'x402'],
    });
  });

  it('is asked about a single purchase by letter, approves it there, and the agent goes on', async () => {
    const key = registration.body.agent_key;
    await person.goto(`${stack.baseUrl}/agents/${key}`);
    await person.getByText('Ask me first, or end it on a day').click();
    await person.getByLabel('Ask me above').fill('2.50');
    await person.getByLabel('Ends, in UTC').fill('2099-01-31T18:00');
    await person.getByRole('button', { name: 'Save' }).click();
    expect((await agent.get('/api/agent/v1/me')).body.grant).toMatchObject({
      approval_above_microcents: 250_000_000,
      expires_at: '2099-01-31T18:00:00.000Z',
    });
    expect(await person.getByLabel('Ends, in UTC').inputValue()).toBe('2099-01-31T18:00');
    const quote = (await agent.quote()).body;
    const authorize = () =>
      agent.post(`/api/agent/v1/purchases/${quote.quote_key}/authorize`, { terms_version: quote.terms_version });
    const refusal = await authorize();
    expect(refusal.body.code).toBe('approval_required');
    await person.goto(`${stack.baseUrl}/account`);
    await shoot('account-approval', person.url());
    await person.getByRole('link', { name: 'Decide', exact: true }).click();
    const page = await linkIn(/^An agent asks to spend 5.00 USD$/);
    expect(person.url()).toBe(page);
    expect(page).toBe(refusal.body.next_actions[0].href);
    await person.goto(page);
    await shoot('approval', page);
    expect(await main()).toContain('45.00 of 45.00 USD today');
    await person.getByRole('button', { name: 'Approve' }).click();
    expect(await main()).toContain('goes on by itself');
    await shoot('approval-approved', page);
    const job = await authorize();
    expect(job.status).toBe(201);
    await person.goto(page);
    expect(await main()).toContain('The agent bought it.');
    await agent.post(`/api/agent/v1/jobs/${job.body.job_key}/cancel`);
    await person.goto(`${stack.baseUrl}/agents/${key}`);
    expect(await main()).toContain('A purchase was approved');
    await person.getByLabel('Ask me above').fill('');
    await person.getByLabel('Ends, in UTC').fill('');
    await person.getByRole('button', { name: 'Save' }).click();
  });

  it('lowers, pauses, lets go on and revokes, and reads it all in the history', async () => {
    const key = registration.body.agent_key;
    const address = `${stack.baseUrl}/agents/${key}`;
    await person.goto(address);
    await person.getByLabel('Per day').fill('20.00');
    await person.getByRole('button', { name: 'Save' }).click();
    expect(await main()).toContain('Saved. It applies from the next request on.');
    expect((await agent.get('/api/agent/v1/me')).body.grant.daily_limit_microcents).toBe(2_000_000_000);
    await person.getByRole('button', { name: 'Pause' }).click();
    expect((await agent.get('/api/agent/v1/me')).body.grant.paused).toBe(true);
    await shoot('agent', address);
    // The letter that began it all tells how the agent stands, not how it once stood.
    const letter = await linkIn(/Confirm an agent/);
    await person.goto(letter);
    expect(await main()).toContain('This agent is paused');
    await person.getByRole('link', { name: 'See your agents' }).click();
    await person.getByRole('link', { name: 'Procurement Assistant' }).click();
    await person.getByRole('button', { name: 'Resume' }).click();
    await person.getByRole('button', { name: 'Replace its key' }).click();
    expect((await claim(agent, registration)).status).toBe(200);
    await person.goto(address);
    await person.getByRole('link', { name: 'Revoke…' }).click();
    await shoot('revoke', person.url());
    expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
    await person.getByRole('button', { name: 'Revoke' }).click();
    const words = await main();
    for (const shown of ['Revoked', 'Daily limit lowered from 45.00 to 20.00', `by ${email}`, 'Connected']) {
      expect(words).toContain(shown);
    }
    expect((await agent.get('/api/agent/v1/me')).status).toBe(401);
    await shoot('agents', `${stack.baseUrl}/agents`);
    await person.goto(letter);
    expect(await main()).toContain('This agent was revoked');
  });

  it('stops a leaked key at once, and the agent goes on with a new one', async () => {
    const asked = await registerForMember();
    const [leaked, renewed] = [newcomer(), newcomer()];
    leaked.token = (await claim(leaked, asked)).body.credential;
    expect((await leaked.get('/api/agent/v1/me')).status).toBe(200);
    await person.goto(`${stack.baseUrl}/agents`);
    await person.locator(`a[href="/agents/${asked.body.agent_key}"]`).first().click();
    await person.getByRole('button', { name: 'Key leaked: stop the old one now' }).click();
    expect(await main()).toContain('Stopped: the old key buys and reads nothing any more.');
    expect((await leaked.get('/api/agent/v1/me')).status).toBe(401);
    renewed.token = (await claim(renewed, asked)).body.credential;
    expect((await renewed.get('/api/agent/v1/me')).status).toBe(200);
    expect((await leaked.get('/api/agent/v1/me')).status).toBe(401);
    // The browser's way back does nothing again: the new key still works.
    await person.goBack();
    await person.goto(`${stack.baseUrl}/agents/${asked.body.agent_key}`);
    expect(await main()).toMatch(/Fetched its key[\s\S]*Its leaked key was stopped/);
    expect((await renewed.get('/api/agent/v1/me')).status).toBe(200);
    expect(await linkIn(/may fetch a new key/)).toBe(`${stack.baseUrl}/agents`);
  });

  it('is told once what a form did, and never by a link', async () => {
    const { body } = await registerForMember();
    const address = `${stack.baseUrl}/agents/${body.agent_key}`;
    for (const query of ['done=revoke', 'refused=action_not_allowed', 'done=grant']) {
      await person.goto(`${address}?${query}`);
      expect(await person.getByRole('main').innerText()).not.toMatch(/Revoked\.|Nothing was changed|Saved\./);
    }
    for (const query of ['asked=sent', 'asked=limited']) {
      await person.goto(`${stack.baseUrl}/sign-in?${query}`);
      expect(await main()).not.toMatch(/Check your mail|Too many letters/);
    }
    await person.goto(`${stack.baseUrl}/connect?done=approve`);
    expect(await main()).not.toContain('The agent is connected');
    await person.goto(address);
    await person.getByRole('button', { name: 'Pause' }).click();
    expect(await main()).toContain('Paused. New purchases are refused');
    await person.reload();
    expect(await main()).not.toContain('New purchases are refused; paid');
  });

  it('is warned beside the field of a grant that can buy nothing, and led to what is no amount', async () => {
    const { body } = await registerForMember();
    await person.goto(`${stack.baseUrl}/agents/${body.agent_key}`);
    await person.getByLabel('Per check').fill('4.99');
    for (const way of ['Send you a payment link', 'Pay with the saved card', 'Pay from its own crypto wallet']) {
      await person.getByLabel(way).uncheck();
    }
    await person.getByRole('button', { name: 'Save' }).click();
    const words = (await main()).replaceAll('\u00a0', ' ');
    expect(words).toContain('Saved. With these limits and permissions the agent cannot buy anything.');
    expect(words).toContain('A check costs 5.00 USD: with this limit');
    expect(words).toContain('Without a way to pay');
    expect(words).not.toContain('It applies from the next request on');
    const { cookies } = await person.context().storageState();
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
    await context.addCookies(cookies);
    const phone = await context.newPage();
    await phone.goto(`${stack.baseUrl}/agents/${body.agent_key}`);
    await phone.getByLabel('In total').fill('plenty');
    await phone.getByRole('button', { name: 'Save' }).click();
    await phone.getByText('Enter an amount such as 10.00.').waitFor();
    expect(await phone.evaluate(() => document.activeElement?.id)).toBe('in_total');
    await expect.poll(() => phone.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    expect(await phone.getByLabel('In total').inputValue()).toBe('plenty');
    await context.close();
  });

  it('is told that an agent it approves with less than a check costs can buy nothing', async () => {
    const asked = await register(agent, email, { mode: 'link_existing' });
    await person.goto(asked.body.verification_url);
    await person.getByLabel('The code that your agent shows').fill(asked.body.user_code);
    await person.getByRole('button', { name: 'See the request' }).click();
    await person.getByLabel('Per day').fill('1.00');
    await person.getByRole('button', { name: 'Approve' }).click();
    expect(await main()).toContain('cannot buy anything');
    expect(await main()).not.toContain('may then buy checks');
  });

  it('comes back from a fresh sign-in to the form, with what was typed', async () => {
    const { body } = await registerForMember();
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query(`update member_sessions set created_at = created_at - interval '11 minutes'`);
    await database.query(`update sign_in_links set expires_at = created_at where used_at is null`);
    await database.end();
    await person.goto(`${stack.baseUrl}/agents/${body.agent_key}`);
    await person.getByLabel('Per day').fill('77.00');
    await person.getByRole('button', { name: 'Save' }).click();
    expect(await main()).toContain('you must have signed in within the last 10 minutes');
    await person.getByRole('link', { name: 'Sign in again' }).click();
    await person.getByLabel('Your e-mail address').fill(email);
    const letters = async () => (await addressesIn(stack.sandboxUrl, email, /sign-in link/)).length;
    const before = await letters();
    await person.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await expect.poll(letters, patience).toBe(before + 1);
    await person.goto(await linkIn(/sign-in link/));
    await person.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(person.url()).pathname).toBe(`/agents/${body.agent_key}`);
    expect(await main()).toContain('Your changes are not saved yet.');
    expect(await person.getByLabel('Per day').inputValue()).toBe('77.00');
    await person.getByRole('button', { name: 'Save' }).click();
    expect(await main()).toContain('Saved. It applies from the next request on.');
  });

  it('sees where it is signed in, and ends all but this one', async () => {
    await person.goto(`${stack.baseUrl}/account`);
    expect(await main()).toContain('in this browser');
    await shoot('account', `${stack.baseUrl}/account`);
    expect(await main()).toContain('Blocked from writing to you');
    const others = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await others.goto(`${stack.baseUrl}/agents`);
    await others.getByLabel('Your e-mail address').fill(email);
    const letters = async () => (await addressesIn(stack.sandboxUrl, email, /sign-in link/)).length;
    const before = await letters();
    await others.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await expect.poll(letters, patience).toBe(before + 1);
    await others.goto(await linkIn(/sign-in link/));
    await others.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(others.url()).pathname).toBe('/agents');
    await person.reload();
    await person.getByRole('button', { name: 'End all others' }).click();
    expect(await main()).toContain('Whoever used that browser must sign in again.');
    await others.reload();
    expect(await others.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in to see your agents');
    await person.goto(`${stack.baseUrl}/agents`);
    expect(await person.getByRole('heading', { level: 1 }).innerText()).toBe('Agents');
    await others.context().close();
  });

  it('is sent no more letters than its block of addresses may ask for, whatever it says where it is', async () => {
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query(
      `insert into rate_counts values ('203.0.113.0/24', 'sign_in_links', 2000000000, now() + interval '1 hour')`,
    );
    await database.end();
    const askFrom = async (headers: Record<string, string>) => {
      const response = await fetch(`${stack.baseUrl}/sign-in/request`, {
        method: 'POST',
        headers: { origin: stack.baseUrl, ...headers },
        body: new URLSearchParams({ email: 'nobody@example.com' }),
        redirect: 'manual',
      });
      const cookie = decodeURIComponent(response.headers.get('set-cookie') ?? '');
      return /"code":"(\w+)"/.exec(cookie)?.[1];
    };
    const here = { 'x-forwarded-for': '203.0.113.8' };
    expect(await askFrom(here)).toBe('limited');
    expect(await askFrom({ ...here, 'x-caller-address': '198.51.100.1' })).toBe('limited');
    expect(await askFrom({ 'x-forwarded-for': '198.51.100.1' })).toBe('sent');
  });

  it('finds nothing of another account', async () => {
    const response = await person.goto(`${stack.baseUrl}/agents/agent_0000000000000000000000`);
    expect(response?.status()).toBe(404);
  });
});

describe('somebody without an account, on a phone without scripts', () => {
  const lettersTo = (address: string) => addressesIn(stack.sandboxUrl, address, /Confirm an agent/);

  /** The agent asks for this person, whose letter with this number has come. Resolves to its link. */
  async function asks(by: Agent, address: string, count = 1): Promise<{ asked: Answer; link: string }> {
    const asked = await register(by, address);
    await expect.poll(async () => (await lettersTo(address)).length, patience).toBe(count);
    return { asked, link: (await lettersTo(address))[0] ?? '' };
  }

  const newPhone = async () =>
    (await browser.newContext({ viewport: sizes.narrow, javaScriptEnabled: false })).newPage();
  const wordsOf = (page: Page) => page.getByRole('main').innerText();

  it('who blocked a network by mistake undoes it by the same letter from elsewhere, and lets the agent buy', async () => {
    const address = 'mistaken@example.com';
    const by = newcomer();
    const { link } = await asks(by, address);
    const phone = await newPhone();
    await phone.goto(link);
    await phone.getByText('You do not know this agent?').click();
    await phone.getByRole('button', { name: 'Decline, and block this network' }).click();
    expect(await wordsOf(phone)).toMatch(/no agent from [\s\S]* can have letters sent to you/);
    await phone.context().close();
    expect((await register(by, address)).status).toBe(202);
    const other = await newPhone();
    await other.goto(link);
    await other.getByRole('button', { name: 'Undo the block' }).click();
    expect(await wordsOf(other)).not.toContain('Undo the block');
    // What the agent asked for meanwhile brought no letter: the next one is the second.
    const again = await asks(by, address, 2);
    await other.goto(again.link);
    await other.getByRole('button', { name: 'Confirm' }).click();
    expect(await wordsOf(other)).toContain('Your agent may buy checks');
    expect((await claim(by, again.asked)).status).toBe(200);
    await other.context().close();
  });

  it('who opens a letter in part, too late, elsewhere or again is told how it stands, and what to do', async () => {
    const address = 'late@example.com';
    const by = newcomer();
    const { asked, link } = await asks(by, address);
    const phone = await newPhone();
    await phone.goto(link.slice(0, -8));
    expect(await wordsOf(phone)).toContain('Part of it may be missing. Open the complete link from the letter.');
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query('update registrations set expires_at = now() where registration_key = $1', [
      asked.body.registration_key,
    ]);
    await database.end();
    await phone.goto(link);
    expect(await wordsOf(phone)).toMatch(/This link has expired[\s\S]*have it ask again/);
    const again = await asks(by, address, 2);
    const elsewhere = await newPhone();
    await elsewhere.goto(again.link);
    await elsewhere.getByRole('button', { name: 'Confirm' }).click();
    await elsewhere.goBack();
    expect(await wordsOf(elsewhere)).toContain('Your agent may buy checks');
    expect(await wordsOf(elsewhere)).toContain(`You are signed in as ${address}`);
    await phone.goto(again.link);
    expect(await wordsOf(phone)).toContain('Your agent may buy checks');
    expect(await wordsOf(phone)).toContain(`After a sign-in as ${address} you can`);
    await phone.goto(`${stack.baseUrl}/agents`);
    expect(await wordsOf(phone)).toContain('Sign in to see your agents');
    expect((await claim(by, again.asked)).status).toBe(200);
    await Promise.all([phone.context().close(), elsewhere.context().close()]);
  });
});

describe('a sign-in with a new browser', () => {
  it('is told by letter, and ended behind it by one press, without scripts and without a sign-in', async () => {
    const context = await browser.newContext({ viewport: sizes.narrow, javaScriptEnabled: false });
    const phone = await context.newPage();
    const wordsOf = () => phone.getByRole('main').innerText();
    await phone.goto(`${stack.baseUrl}/sign-in`);
    await phone.getByLabel('Your e-mail address').fill(email);
    const signInLetters = async () => (await addressesIn(stack.sandboxUrl, email, /sign-in link/)).length;
    const before = await signInLetters();
    await phone.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await expect.poll(signInLetters, patience).toBe(before + 1);
    await phone.goto(await linkIn(/sign-in link/));
    const told = () => addressesIn(stack.sandboxUrl, email, /New browser signed in/);
    const toldBefore = (await told()).length;
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(async () => (await told()).length, patience).toBe(toldBefore + 1);
    const [link = ''] = await told();
    // Opening decides nothing, and no other site can.
    await phone.goto(link);
    expect(await wordsOf()).toMatch(/End this sign-in\?\s+As .+, with Chrome on Linux, since /);
    await shoot('sign-in-end', link);
    const forged = await fetch(`${stack.baseUrl}/sign-in/end/confirm`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URL(link).search.slice(1),
    });
    expect(forged.status).toBe(403);
    await phone.goto(`${stack.baseUrl}/agents`);
    expect(await wordsOf()).not.toContain('Sign in to see your agents');
    const elsewhere = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await elsewhere.goto(link);
    await elsewhere.getByRole('button', { name: 'End it' }).click();
    expect(await elsewhere.getByRole('main').innerText()).toMatch(/This sign-in has ended[\s\S]*change the password/);
    await shoot('sign-in-ended', link);
    await phone.goto(`${stack.baseUrl}/agents`);
    expect(await wordsOf()).toContain('Sign in to see your agents');
    await person.goto(`${stack.baseUrl}/agents`);
    expect(await main()).not.toContain('Sign in to see your agents');
    await Promise.all([context.close(), elsewhere.context().close()]);
  });
});

describe('what a person is asked', () => {
  it.each([
    ['connect-code', '/connect'],
    ['sign-in', '/sign-in'],
    ['confirm-unknown', '/confirm?link=reg_1.x'],
    ['sign-in-end-unknown', '/sign-in/end?link=session_1.x'],
  ])('%s is accessible', async (name, address) => {
    await shoot(name, stack.baseUrl + address);
  });
});

/** Opens a page as this person and requires that nothing is wrong with it. */
async function shoot(name: string, address: string): Promise<void> {
  expect(await faultsOfPages(person.context(), { [name]: address })).toEqual([]);
}
