import { beforeAll, describe, expect, it } from 'vitest';
import { buyingByCard, cards, heard, listen, paidOnPage, stripeOf } from '../../e2e/support/card.ts';
import { Customer, newAgent, register } from '../../e2e/support/customer.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { controlClient } from '../../sandbox/control-client.ts';
import type { IdentityLetter } from '../identity/letters.ts';
import { makeSignInLink, spendSignInLink } from '../identity/sign-in.ts';
import { queueDueLetters } from '../mail/due-letters.ts';
import { sendLetter } from '../mail/send-letter.ts';
import { letters as writers } from './letters.ts';

const service = await startService(withCard);
const { pool } = service.database;
const written = new Map<string, { subject: string; text: string; html: string }>();
beforeAll(() => listen(service));

const weird = 'Desk <b>of</b> https://evil.example';
const buying = () => buyingByCard(service, { agent: { name: weird } });

/** What came to a customer, oldest first. */
async function lettersOf(customer: Customer) {
  await queueDueLetters(service.runtime);
  const letters = (await customer.letters()).reverse();
  for (const letter of letters) written.set(letter.subject, letter);
  return letters;
}
const subjectsOf = async (customer: Customer) => (await lettersOf(customer)).map(({ subject }) => subject);
const dispute = { decision: 'dispute', reason: 'report_incomplete' };

/** A member who decides about the newest report. */
async function review({ member }: Awaited<ReturnType<typeof buying>>, jobKey: string, decision: object) {
  const { report_digest } = (await member.get(`/api/agent/v1/jobs/${jobKey}`)).body;
  const answer = await member.post(`/api/agent/v1/jobs/${jobKey}/review`, { report_digest, ...decision });
  expect(answer.status).toBe(200);
}

describe('the letters of a whole life', () => {
  it('tell of the account, the payment, the report and its end, once, with where to go', async () => {
    const buyer = await buying();
    const { jobKey } = await paidOnPage(service, buyer.agent, { member: buyer.member });
    await lettersOf(buyer.customer);
    await service.execute(jobKey);
    await lettersOf(buyer.customer);
    await review(buyer, jobKey, { decision: 'accept' });
    const letters = await lettersOf(buyer.customer);
    const about = (start: string) => letters.find(({ subject }) => subject.startsWith(start));
    const [account, paid, ready, final] = [
      'Your Work Check',
      'Paid: 5.00 USD',
      'Report ready: ',
      'Charge final: 5.00',
    ].map(about);
    expect(letters).toHaveLength(5);
    expect(account?.text).toContain(`${service.baseUrl}/agents`);
    expect(paid?.text).toContain(`${service.baseUrl}/receipts/${jobKey}`);
    expect(ready?.text).toMatch(/You can dispute it until \d+ \w{3} 20\d\d, \d\d:\d\d UTC\./);
    expect(ready?.text).toContain(`Read the report:\n${service.baseUrl}/reports/${jobKey}\n`);
    expect(final?.text).toContain(`accepted by ${buyer.customer.email} on `);
    expect((await lettersOf(buyer.customer)).length).toBe(letters.length);
  });

  it('wait where no mail server is set, and go out once there is one', async () => {
    const customer = new Customer(service);
    const { registration_key } = (await register(newAgent(service), customer.email)).body;
    const message: IdentityLetter = { kind: 'registration', registration_key };
    await expect(sendLetter({ ...service.runtime, mailer: null }, writers, message)).rejects.toThrow('SMTP_URL');
    const received = () => controlClient(service.sandbox.controlUrl).mail(customer.email);
    expect(await received()).toEqual([]);
    await sendLetter(service.runtime, writers, message);
    expect(await received()).toHaveLength(1);
  });

  it('hold no word of an agent in a subject, and none as a link or markup', async () => {
    for (const { subject, text, html } of written.values()) {
      expect(subject).not.toMatch(/Desk|evil/);
      expect(html).not.toContain('<b>of');
      expect(text).not.toContain('https://evil.example');
      expect(text.split('\n')[0]).not.toMatch(/^https?:/);
    }
  });

  it('say why a charge was given up when a bank reports its payment', async () => {
    const buyer = await buying();
    const { jobKey, paymentKey } = await paidOnPage(service, buyer.agent, { member: buyer.member });
    await service.execute(jobKey);
    const { rows } = await pool.query('select intent_id from card_charges where payment_key = $1', [paymentKey]);
    await stripeOf(service).warn(rows[0].intent_id);
    await heard(service);
    await service.sweep();
    const letters = await lettersOf(buyer.customer);
    expect(
      letters.find(({ subject }) => subject === 'You pay nothing: the charge of 5.00 USD is waived')?.text,
    ).toContain('The bank of the card reported the payment as fraud, so we gave up the charge of 5.00 USD.');
  });

  it('tell of a re-check, of the waiver after the second dispute, and of the money that went back', async () => {
    const buyer = await buying();
    const { jobKey } = await paidOnPage(service, buyer.agent, { member: buyer.member });
    await service.execute(jobKey);
    await review(buyer, jobKey, dispute);
    await service.execute(jobKey);
    await lettersOf(buyer.customer);
    await review(buyer, jobKey, dispute);
    await heard(service);
    await service.sweep();
    const letters = await lettersOf(buyer.customer);
    const waived = letters.find(({ subject }) => subject === 'You pay nothing: the charge of 5.00 USD is waived');
    expect(new Set(letters.map(({ subject }) => subject))).toEqual(
      new Set([
        'Confirm an agent for Work Check',
        'Your Work Check account',
        'Paid: 5.00 USD for a check',
        letters.find(({ subject }) => subject.startsWith('Re-check ready: '))?.subject,
        waived?.subject,
        'Refunded: 5.00 USD',
      ]),
    );
    expect(waived?.text).toContain('5.00 USD went back');
  });

  it('tell of the block that a bank’s dispute brings, and of its end', async () => {
    const buyer = await buying();
    const { paymentKey } = await paidOnPage(service, buyer.agent);
    const { rows } = await pool.query('select intent_id from card_charges where payment_key = $1', [paymentKey]);
    const { id } = await stripeOf(service).openDispute({ payment_intent: rows[0].intent_id });
    await heard(service);
    const blocked = 'A bank disputes a payment: your account is blocked';
    expect(await subjectsOf(buyer.customer)).toContain(blocked);
    const blocks = async () => (await buyer.member.get('/api/agent/v1/members/me')).body.blocks;
    expect(await blocks()).toEqual([
      {
        why: expect.stringContaining('bank'),
        next: expect.stringContaining('ask your bank'),
        since: expect.any(String),
      },
    ]);
    await stripeOf(service).closeDispute(id, 'won');
    await heard(service);
    expect(await subjectsOf(buyer.customer)).toContain('Your account can buy again');
    expect(await blocks()).toEqual([]);
  });

  it('tell of raised limits, a new key and a removed card, and not of lowered limits', async () => {
    const { agent, customer, member } = await buying();
    await paidOnPage(service, agent, { card: cards.good, member });
    const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
    const change = (limit: number) =>
      member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: limit });
    expect((await change(1_000_000_000)).status).toBe(200);
    expect(await subjectsOf(customer)).not.toContain('The limits of an agent were raised');
    expect((await change(2_000_000_000)).status).toBe(200);
    expect((await member.post(`/api/agent/v1/agents/${agent_key}/release`)).status).toBe(200);
    const [card] = (await member.get('/api/agent/v1/cards')).body.cards;
    expect((await member.post(`/api/agent/v1/cards/${card.card_key}/remove`)).status).toBe(200);
    const letters = await lettersOf(customer);
    const textOf = (wanted: string) => letters.find(({ subject }) => subject === wanted)?.text;
    expect(textOf('The limits of an agent were raised')).toContain('A day: 10.00 USD → 20.00 USD');
    expect(textOf('An agent may fetch a new key')).toContain(customer.email);
    expect(textOf('A saved card was removed')).toContain('ending in 4242');
  });

  it('tell of a sign-in with a new browser', async () => {
    const { customer, member } = await buying();
    const { db, configuration, clock } = service.runtime;
    const who = { accountKey: member.accountKey, email: customer.email };
    const link = await makeSignInLink(db, configuration.baseUrl, who, clock());
    const browser = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1';
    const from = { origin: '198.51.100.0/24', browser, marks: null };
    await spendSignInLink(service.runtime, new URL(link).searchParams.get('link') ?? '', clock(), from);
    const letter = (await lettersOf(customer)).find(({ subject }) => subject.startsWith('New browser'));
    expect(letter?.text).toMatch(/^Somebody signed in to Work Check as you, with Safari on an iPhone, on /);
  });

  it('of an act that is repeated without end stop for the hour, and no other does', async () => {
    const { customer, member } = await buying();
    const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
    const raise = (limit: number) =>
      member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: limit });
    const { daily_limit_microcents: day } = (await member.get('/api/agent/v1/agents')).body.agents[0].grant;
    for (let more = 1; more <= 32; more += 1) expect((await raise(day + more)).status).toBe(200);
    expect((await member.post(`/api/agent/v1/agents/${agent_key}/release`)).status).toBe(200);
    const raised = async () =>
      (await subjectsOf(customer)).filter((subject) => subject === 'The limits of an agent were raised').length;
    expect(await raised()).toBe(30);
    expect(await subjectsOf(customer)).toContain('An agent may fetch a new key');
    service.advanceClock(3_601);
    expect((await raise(day)).status).toBe(200);
    const fresh = await Member.ofAccount(service, member.accountKey, customer.email);
    const again = { daily_limit_microcents: day + 1 };
    expect((await fresh.post(`/api/agent/v1/agents/${agent_key}/grant`, again)).status).toBe(200);
    expect(await raised()).toBe(31);
    service.advanceClock(-3_601);
  });

  it('about reports stop for the member who turned them off, and those about money do not', async () => {
    const { agent, customer, member } = await buying();
    const wants = async (reports: boolean) =>
      (await member.post('/api/agent/v1/members/letters', { reports })).body.report_letters;
    const ready = async () => {
      const { jobKey } = await paidOnPage(service, agent, { member });
      await service.execute(jobKey);
      return (await subjectsOf(customer)).filter((subject) => subject.startsWith('Report ready: ')).length;
    };
    expect(await wants(false)).toBe(false);
    expect(await ready()).toBe(0);
    expect(await subjectsOf(customer)).toContain('Paid: 5.00 USD for a check');
    expect(await wants(true)).toBe(true);
    expect(await ready()).toBe(1);
  });

  it('confirm that an account is closed, and say what was open', async () => {
    const { agent, customer, member } = await buying();
    await agent.authorizedJob();
    const answer = await member.post(`/api/agent/v1/accounts/${member.accountKey}/close`);
    expect(answer.status).toBe(200);
    const letter = (await lettersOf(customer)).find(({ subject }) => subject === 'Your Work Check account is closed');
    expect(letter?.text).toContain('Not paid: 1. We cancel what nobody has paid');
    expect(letter?.text).not.toContain('Credit left');
  });

  // Last: Stripe keeps its own clock.
  it('warn a day before a review ends, tell of a failed check, and become one letter a day where they are many', async () => {
    const [failing, waiting, decided, busy] = [await buying(), await buying(), await buying(), await buying()];
    await paidOnPage(service, failing.agent);
    for (const buyer of [waiting, decided, ...Array(6).fill(busy)]) {
      const { jobKey } = await paidOnPage(service, buyer.agent);
      await lettersOf(buyer.customer);
      await service.execute(jobKey);
      await lettersOf(buyer.customer);
      if (buyer === decided) await review(buyer, jobKey, { decision: 'accept' });
    }
    expect((await subjectsOf(busy.customer)).filter((one) => /^Paid|^Report ready/.test(one))).toHaveLength(10);
    service.advanceClock(1_900);
    await service.sweep();
    const failed = (await lettersOf(failing.customer)).find(({ subject }) => subject.startsWith('Check failed'));
    expect(failed?.subject).toBe('Check failed: 5.00 USD is not charged');
    expect(failed?.text).toContain('The report was not delivered in time.');
    const ends = 'A review ends in less than a day';
    expect(await subjectsOf(waiting.customer)).not.toContain(ends);
    service.advanceClock(48 * 3_600);
    expect(await subjectsOf(waiting.customer)).toContain(ends);
    expect(await subjectsOf(decided.customer)).not.toContain(ends);
    const digests = (await lettersOf(busy.customer)).filter(({ subject }) => subject.startsWith('Your checks of '));
    expect(digests).toHaveLength(1);
    expect(digests[0]?.text).toMatch(/Paid: 6\nReports ready: 6|Reports ready: 6\nPaid: 6/);
    expect(digests[0]?.text).toContain(`${service.baseUrl}/purchases`);
  });
});
