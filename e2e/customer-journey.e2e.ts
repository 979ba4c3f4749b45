import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { Agent } from './support/agent.ts';
import { faultsOf, patience, shareInBrowser, sizes } from './support/browser.ts';
import { claim, register } from './support/customer.ts';
import { codeIn } from './support/letter.ts';
import { addressesIn } from './support/mailbox.ts';

const { stack, browser } = await shareInBrowser();
const email = 'ines.journey@harbourlane.example';
let agent: Agent;
let phone: Page;
let jobKey: string;

const lettersAbout = (subject: RegExp) => addressesIn(stack.sandboxUrl, email, subject);
const words = async () => (await phone.getByRole('main').innerText()).replaceAll('\u00a0', ' ');

/** Follows the newest letter with this subject, once it has come. */
async function followLetter(subject: RegExp): Promise<void> {
  await expect.poll(async () => (await lettersAbout(subject)).length, patience).toBeGreaterThan(0);
  await phone.goto((await lettersAbout(subject))[0] ?? '', { waitUntil: 'networkidle' });
}

beforeAll(async () => {
  agent = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
  const registration = await register(agent, email);
  const letters = () => controlClient(stack.sandboxUrl).mail(email);
  await vi.waitUntil(async () => (await letters()).length > 0, patience);
  agent.token = (await claim(agent, registration, codeIn((await letters())[0]?.text ?? ''))).body.credential;
  phone = await (await browser.newContext({ viewport: sizes.phone })).newPage();
});

/** Pays for a check by its link, as a person with a card. */
async function payByLink(): Promise<void> {
  jobKey = await agent.authorizedJob();
  const { body } = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
    rail: 'card',
    method: 'card_checkout',
    idempotency_key: randomUUID(),
  });
  await phone.goto(body.continuation_url);
  await phone.getByRole('button', { name: /card/i }).click();
  await phone.getByLabel('E-mail').fill(email);
  await phone.getByLabel('Card number').fill('4242 4242 4242 4242');
  await phone.getByLabel('Expires').fill('12 / 40');
  await phone.getByLabel('CVC').fill('123');
  await phone.getByLabel('Name on the card').fill('Ines Moreno');
  await phone.getByRole('button', { name: /^Pay/ }).click();
  await phone.waitForURL(/\/pay\//);
}

describe('from a payment link to the receipt, on a phone', () => {
  it('the person pays, and the letter about the report leads to it through a sign-in', async () => {
    await payByLink();
    await followLetter(/^Report ready/);
    await phone.getByLabel('Your e-mail address').fill(email);
    await phone.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await followLetter(/sign-in link/);
    await phone.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(phone.url()).pathname).toBe(`/reports/${jobKey}`);
    expect(await words()).toContain('Revise before use');
  });

  it('reads the errors as pairs before all else, on the first screen', async () => {
    const place = await phone
      .getByText('14,490 EUR')
      .first()
      .evaluate((element) => element.getBoundingClientRect().top + window.scrollY);
    expect(place).toBeLessThan(sizes.phone.height);
    const height = await phone.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThanOrEqual(3 * sizes.phone.height);
    await phone.setViewportSize(sizes.narrow);
    expect(await phone.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(
      3 * sizes.narrow.height,
    );
    expect(await words()).toMatch(/9 June 2026[\s\S]*11 June 2026/);
    expect(await faultsOf(phone, 'journey-report')).toEqual([]);
    await phone.setViewportSize(sizes.phone);
  });

  it('accepts where it was read, and is told there what that did', async () => {
    await phone.goto(`${stack.baseUrl}/reports/${jobKey}`, { waitUntil: 'networkidle' });
    const accept = phone.getByRole('button', { name: 'Accept report' });
    await accept.scrollIntoViewIfNeeded();
    const before = await phone.evaluate(() => window.scrollY);
    expect(before).toBeGreaterThan(sizes.phone.height);
    await accept.click();
    const told = phone.getByRole('status');
    await told.waitFor();
    expect((await told.innerText()).replaceAll('\u00a0', ' ')).toMatch(
      /You accepted the report\. The charge of .* is final/,
    );
    await expect
      .poll(() => phone.evaluate(() => window.scrollY), patience)
      .toBeGreaterThan(before - sizes.phone.height / 2);
    const box = await told.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(sizes.phone.height / 2);
    expect(await faultsOf(phone, 'journey-accepted')).toEqual([]);
    await phone.setViewportSize(sizes.phone);
  });

  it('finds the receipt from there, and is told once', async () => {
    await phone.reload();
    expect(await phone.getByText('You accepted the report').count()).toBe(0);
    await phone.getByRole('link', { name: 'View receipt' }).click();
    await phone.waitForURL(/\/receipts\//);
    expect(await words()).toMatch(/Charge[\s\S]*Final/);
    for (const said of [
      'Seller',
      email,
      'Bought by Procurement Assistant',
      'Tax: none. No tax is charged',
      'Remedy: none was due',
    ])
      expect(await words()).toContain(said);
    expect(await faultsOf(phone, 'journey-receipt')).toEqual([]);
    await phone.setViewportSize(sizes.phone);
  });

  it('has it made out to a company, said once, with a number for the books', async () => {
    await phone.getByRole('link', { name: 'Make it out to a company or person' }).click();
    await phone.getByLabel('Company or person').fill('Buyer GmbH');
    await phone.getByLabel('Postal address').fill('2 Example Road\n10115 Berlin');
    await phone.getByRole('button', { name: 'Save' }).click();
    expect(await words()).toContain('It stands on your receipts now');
    await expect
      .poll(async () => {
        await phone.goto(`${stack.baseUrl}/receipts/${jobKey}`);
        return words();
      }, patience)
      .toMatch(/Number\s+\d{4}-\d{6}/);
    expect(await words()).toMatch(/Buyer GmbH\n2 Example Road\n10115 Berlin/);
    expect(await faultsOf(phone, 'journey-receipt-of-company')).toEqual([]);
    await phone.goto(`${stack.baseUrl}/purchases`);
    await phone.getByRole('button', { name: 'Statement' }).click();
    await phone.waitForURL(/\/purchases\/statement\?month=/);
    expect(await words()).toMatch(/Buyer GmbH[\s\S]*\d{4}-\d{6}[\s\S]*Charged, or held for a review/);
    expect(await faultsOf(phone, 'journey-statement')).toEqual([]);
    await phone.setViewportSize(sizes.phone);
  });

  it('takes the month of that purchase home as a table for the books', async () => {
    await phone.goto(`${stack.baseUrl}/purchases`);
    const [file] = await Promise.all([
      phone.waitForEvent('download'),
      phone.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^work-check-\d{4}-\d{2}\.csv$/);
    const [head = '', ...rows] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(rows).toHaveLength(1);
    const names = head.split(',');
    const cells = (rows[0] ?? '').split(',');
    const row = Object.fromEntries(names.map((name, index) => [name, cells[index]]));
    expect(row).toMatchObject({
      job: jobKey,
      bought_by: 'Procurement Assistant',
      rail: 'card',
      collected: '5.00',
      charge: 'final',
      charged: '5.00',
      remedy: 'none',
      given_back: '0.00',
      currency: 'USD',
    });
    const cookie = (await phone.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const statement = (query: string, headers = { cookie }) =>
      fetch(`${stack.baseUrl}/purchases/statement.csv${query}`, { headers });
    expect((await (await statement('?month=2020-01')).text()).trim().split('\r\n')).toEqual([head]);
    expect((await statement('?month=11')).status).toBe(400);
    expect((await statement('', { cookie: '' })).status).toBe(401);
  });

  it('sees what was spent by month, and takes the whole account home as one file', async () => {
    await phone.goto(`${stack.baseUrl}/purchases`);
    await phone.getByRole('link', { name: 'Spend' }).click();
    expect(await words()).toMatch(/\w+ \d{4}\s+5\.00 USD\s+1 check/);
    expect(await faultsOf(phone, 'journey-spend')).toEqual([]);
    await phone.setViewportSize(sizes.phone);
    await phone.goto(`${stack.baseUrl}/account`);
    const [file] = await Promise.all([
      phone.waitForEvent('download'),
      phone.getByRole('link', { name: 'Download the account' }).click(),
    ]);
    const kept = JSON.parse(readFileSync(await file.path(), 'utf8'));
    expect(kept).toMatchObject({
      you: { email },
      receipts_name: { billing: { name: 'Buyer GmbH' } },
      purchases: [{ job: { job_key: jobKey } }],
      receipts: [{ job_key: jobKey }],
    });
    expect(kept.agents.agents).toHaveLength(1);
    expect((await fetch(`${stack.baseUrl}/account/export.json`)).status).toBe(401);
    await phone.getByRole('button', { name: 'Stop these letters' }).click();
    expect(await words()).toMatch(/Saved\.[\s\S]*We do not write when a report is ready\./);
  });
});

describe('an unpaid purchase', () => {
  it('is paid or canceled from the list by its people alone', async () => {
    const unpaid = await agent.authorizedJob();
    const rail = { rail: 'card', method: 'card_checkout', idempotency_key: randomUUID() };
    const { body } = await agent.post(`/api/agent/v1/jobs/${unpaid}/payments`, rail);
    await phone.goto(`${stack.baseUrl}/purchases`);
    const row = phone.getByRole('listitem').filter({ hasText: unpaid });
    expect(await row.getByRole('link', { name: /^Pay/ }).getAttribute('href')).toBe(body.continuation_url);
    const cookie = (await phone.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const forged = await fetch(`${stack.baseUrl}/reports/${unpaid}/cancel`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([forged.status, (await agent.job(unpaid)).body.state]).toEqual([403, 'awaiting_payment']);
    await row.getByRole('button', { name: 'Cancel this purchase' }).click();
    await phone.waitForURL(`${stack.baseUrl}/reports/${unpaid}`);
    expect(await words()).toContain('The job was canceled before delivery, so there is no report and no charge.');
    expect((await agent.job(unpaid)).body).toMatchObject({ state: 'canceled', payment_state: 'none' });
    await phone.goto(body.continuation_url);
    expect(await words()).not.toContain('by card');
  });
});
