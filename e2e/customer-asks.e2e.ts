import type { Page } from 'playwright';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Agent, type Answer } from './support/agent.ts';
import { patience, shareInBrowser, sizes } from './support/browser.ts';
import { claim, register } from './support/customer.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();

const email = 'ines.asks@harbourlane.example';
let agent: Agent;
let registration: Answer;
let phone: Page;

/** What the person sees now: nothing of what is folded. */
const seen = async () => (await phone.getByRole('main').innerText()).replaceAll('\u00a0', ' ');

/** Follows a link, and waits for its page. */
async function follow(name: string | RegExp): Promise<void> {
  const here = phone.url();
  await phone.getByRole('link', { name }).first().click();
  await phone.waitForURL((url) => url.href !== here, { waitUntil: 'networkidle' });
}

beforeAll(async () => {
  agent = await Agent.withWallet({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  registration = await register(agent, email);
  const links = () => addressesIn(stack.sandboxUrl, email, /Confirm an agent/);
  await vi.waitFor(async () => expect(await links()).toHaveLength(1), patience);
  phone = await (await browser.newContext({ viewport: sizes.phone })).newPage();
  await phone.goto((await links())[0] ?? '', { waitUntil: 'networkidle' });
});

describe('a customer with a phone, who knows nothing but what the pages say, is told by the letter’s page', () => {
  it('“Who asks?”', async () => {
    expect(await seen()).toMatch(/Procurement Assistant\s+Name given by the agent, not verified/);
    expect(await seen()).toContain(`The agent asked with the address ${email}.`);
    expect(await seen()).toMatch(/Asked\s+.* UTC from [\d.]+/);
  });

  it('“What may it spend?”', async () => {
    expect(await seen()).toMatch(
      /What it may spend\s+Per check[\s\S]*Per day[\s\S]*Resets at 00:00 UTC[\s\S]*In total/,
    );
    const fields = ['Per check', 'Per day', 'In total'].map((name) =>
      phone.getByRole('textbox', { name }).inputValue(),
    );
    expect(await Promise.all(fields)).toEqual(['5.00', '50.00', '']);
    expect(await seen()).toContain('Leave empty for none');
  });

  it('“Until when?”', async () => {
    expect(await seen()).toContain('No end is set: this holds until you change it or stop the agent.');
    await phone.getByText('Ask me first, or end it on a day').click();
    expect(await seen()).toMatch(/Ends, in UTC\s+From then on it buys nothing\./);
    expect(await seen()).toMatch(/This request expires on .* UTC\./);
  });
});

describe('the same person, once the agent has bought a check, is told', () => {
  let job: string;

  beforeAll(async () => {
    await phone.getByRole('button', { name: 'Confirm' }).click();
    await phone.getByText('Your agent may buy checks').waitFor();
    agent.token = (await claim(agent, registration)).body.credential;
    job = await agent.paidJob();
    await vi.waitFor(async () => expect((await agent.job(job)).body.state).toBe('delivered'), patience);
  });

  it('“What has it spent?” by its page', async () => {
    await follow('See your agents');
    expect(await seen()).toContain('Today 0.00 USD spent and 5.00 USD held, of 50.00 USD');
    expect(await seen()).toContain('Held: collected or authorized, and not final yet.');
    await follow('Procurement Assistant');
    expect(await seen()).toContain('5.00 USD in total');
  });

  it('“What was checked?” by the report', async () => {
    await phone.getByLabel('Menu').click();
    await follow('Purchases');
    await follow(/^Summarise what the supplier confirmed/);
    expect(new URL(phone.url()).pathname).toBe(`/reports/${job}`);
    expect(await seen()).toContain('Report bought by Procurement Assistant');
    await phone.getByText('Behind this report').click();
    await phone.getByText('What was asked for').click();
    expect(await seen()).toMatch(
      /Request\s+Summarise what the supplier confirmed[\s\S]*Criteria\s+States the quantity/,
    );
    await phone.getByRole('heading', { name: 'Checks' }).click();
    expect(await seen()).toMatch(/Evidence integrity\s+Passed/);
    await phone.getByRole('heading', { name: 'What was not done' }).click();
    expect(await seen()).toMatch(/What was not done nothing outside was confirmed\s+\S/);
  });

  it('“Why this verdict?” by the report', async () => {
    expect(await seen()).toMatch(/Revise before use\s+Next\. Fix what is listed below/);
    expect(await seen()).toMatch(/14,490 EUR[\s\S]*14,940/);
    expect(await seen()).toMatch(/Findings\s+\d rest on what is told above: .* contradicted/);
    expect(await phone.locator('footer').innerText()).toContain('It does not certify the work.');
  });

  it('“What if I accept, dispute or do nothing?” beside the two answers', async () => {
    const bar = phone.getByRole('region', { name: 'Review' });
    expect((await bar.innerText()).replaceAll('\u00a0', ' ')).toMatch(
      /The review is open until .* UTC\s+Accepting makes the charge of 5\.00 USD final\. If you dispute it, the work is checked once more at no charge\. Do nothing, and it stays held\./,
    );
    expect(await bar.getByRole('link', { name: 'Dispute' }).isVisible()).toBe(true);
    expect(await bar.getByRole('button', { name: 'Accept report' }).isVisible()).toBe(true);
  });

  it('“Where is my money?” by the receipt', async () => {
    await follow('View receipt');
    expect(await seen()).toMatch(/Collection\s+Collected\s+5\.00 USD[\s\S]*Charge\s+Held[\s\S]*Remedy: none was due/);
    expect(await seen()).toMatch(/Held until the review\s+5\.00 USD/);
  });

  it('“How do I stop it?” by its page, which does', async () => {
    await phone.getByLabel('Menu').click();
    await follow('Agents');
    await follow('Procurement Assistant');
    expect(await seen()).toMatch(/Stop or renew\s+Pause/);
    expect(await seen()).toContain('Pausing refuses new purchases from the next request on; paid jobs continue.');
    await phone.getByRole('button', { name: 'Pause' }).click();
    await phone.getByText('Paused. New purchases are refused; paid jobs continue.').waitFor();
    expect((await agent.quote()).body.code).toBe('grant_scope_missing');
  });

  it('“Whom do I ask?” by every page’s last line', async () => {
    await follow('Contact');
    expect(await seen()).toContain('This service is run by The sandbox of Work Check.');
    expect(await seen()).toContain('Write to operator@work-check.example.');
    expect(await seen()).toContain('If you write about a purchase, include its job_key');
  });
});
