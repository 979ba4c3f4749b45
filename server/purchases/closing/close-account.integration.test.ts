import { describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  click,
  fillIn,
  heard,
  listen,
  nextGood,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { type Customer, connectedAgent, newAgent, register } from '../../../e2e/support/customer.ts';
import { linkOfInvited, Member } from '../../../e2e/support/member.ts';
import { wellFormed } from '../../../e2e/support/requests.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { makeSignInLink } from '../../identity/sign-in.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';
import { operatorContext } from '../../transports/context.ts';
import { settleClosed } from './settle-closed.ts';

const service = await startService(withCard);
await listen(service);
const { pool } = service.database;
const nothing = { quote_key: 'quote_none', job_key: 'job_none', source_key: 'source_none', agent_key: 'agent_none' };

const codes = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.code]);
const ahead = async (member: Member) => (await member.get('/api/agent/v1/account/closing')).body;
const close = (member: Member, accountKey = member.accountKey) =>
  member.post(`/api/agent/v1/accounts/${accountKey}/close`);
const stateOf = async (jobKey: string) => {
  const { rows } = await pool.query('select state, payment_state from jobs where job_key = $1', [jobKey]);
  return [rows[0].state, rows[0].payment_state];
};
async function lettersOf(customer: Customer) {
  await queueDueLetters(service.runtime);
  return customer.letters();
}

describe('closing an account', () => {
  it('ends keys, sign-ins, memberships, invitations and payment links at once', async () => {
    const { agent, member, customer } = await buyingByCard(service);
    const link = await linkOfInvited(service, member, { role: 'reader' });
    const colleague = await Member.ofAccount(service, member.accountKey, `with-${customer.email}`);
    const { payment_key } = (await payByCard(agent, await agent.authorizedJob())).body;
    expect((await close(member)).status).toBe(200);
    const unknown = [401, 'invalid_token'];
    expect(
      codes([
        await agent.get('/api/agent/v1/me'),
        await member.get('/api/agent/v1/members/me'),
        await colleague.get('/api/agent/v1/members/me'),
        await close(member),
        await newAgent(service).post('/api/agent/v1/invitations/accept', { link }),
        await click(newAgent(service), payment_key),
      ]),
    ).toEqual([unknown, unknown, unknown, unknown, [409, 'action_not_allowed'], [409, 'action_not_allowed']]);
    const { db, configuration, clock } = service.runtime;
    const again = { accountKey: member.accountKey, email: customer.email };
    await expect(makeSignInLink(db, configuration.baseUrl, again, clock())).rejects.toThrow('is closed');
  });

  it('cancels what nobody has paid, and lets what is paid run to its end', async () => {
    const { agent, member } = await buyingByCard(service);
    const [waiting, onPage] = [await agent.authorizedJob(), await agent.authorizedJob()];
    const { payment_key, continuation_url } = (await payByCard(agent, onPage)).body;
    expect(continuation_url).toContain(payment_key);
    const { jobKey: paid } = await paidOnPage(service, agent, { card: nextGood() });
    const { jobKey: delivered } = await paidOnPage(service, agent, { card: nextGood() });
    await service.execute(delivered);
    expect(await ahead(member)).toMatchObject({ agents: 1, members: 1, unpaid: 2, in_work: 1, to_review: 1 });
    expect((await close(member)).body).toMatchObject({ unpaid: 2, closed_at: expect.any(String) });
    // Twice, as after a crash in between.
    await settleClosed(service.runtime);
    await settleClosed(service.runtime);
    expect(await Promise.all([waiting, onPage].map(stateOf))).toEqual([
      ['canceled', 'none'],
      ['canceled', 'none'],
    ]);
    await service.execute(paid);
    expect(await Promise.all([paid, delivered].map(stateOf))).toEqual([
      ['delivered', 'collected'],
      ['delivered', 'collected'],
    ]);
    const { rows } = await pool.query(
      `select actor from audit_rows join jobs on quote_key = purchase_key where job_key = $1 and action = 'cancel'`,
      [waiting],
    );
    expect(rows).toEqual([{ actor: member.memberKey }]);
  });

  it('removes saved cards here and at the provider, webhooks, documents and submitted content', async () => {
    const { agent, member } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent, { member, card: nextGood() });
    await service.execute(jobKey);
    const { report_digest } = (await member.get(`/api/agent/v1/jobs/${jobKey}`)).body;
    await member.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept', report_digest });
    await agent.quote();
    await member.post('/api/agent/v1/sources', wellFormed.add_source(nothing));
    await member.post('/api/agent/v1/webhook-endpoints', wellFormed.add_webhook_endpoint(nothing));
    expect((await close(member)).body.cards).toBe(1);
    // The provider is told in the round after.
    await service.sweep();
    await service.sweep();
    const { rows } = await pool.query(
      `select (select count(*)::int from saved_cards where account_key = $1 and detached_at is null) as cards,
        (select count(*)::int from webhook_endpoints where account_key = $1 and secret is not null) as endpoints,
        (select count(*)::int from sources where account_key = $1 and text is not null) as documents,
        (select count(*)::int from quotes where account_key = $1 and input is not null) as content,
        (select count(*)::int from receipts join jobs using (job_key) where account_key = $1) > 0 as receipts,
        (select count(*)::int from reports join jobs using (job_key) where account_key = $1) as reports`,
      [member.accountKey],
    );
    expect(rows[0]).toEqual({ cards: 0, endpoints: 0, documents: 0, content: 0, receipts: true, reports: 1 });
  });

  it('keeps documents while a paid check may still read them', async () => {
    const { agent, member } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent, { card: nextGood() });
    await member.post('/api/agent/v1/sources', wellFormed.add_source(nothing));
    await close(member);
    const kept = async () => {
      await settleClosed(service.runtime);
      const { rows } = await pool.query(
        'select count(*)::int as kept from sources where account_key = $1 and text is not null',
        [member.accountKey],
      );
      return rows[0].kept;
    };
    expect(await kept()).toBe(1);
    await service.execute(jobKey);
    expect(await kept()).toBe(0);
  });

  it('is confirmed to every member by letter, with what was open and the credit that is left', async () => {
    const { agent: connected, customer } = await connectedAgent(service);
    const agent = await Agent.withWallet(service);
    agent.token = connected.token;
    const member = await Member.of(service, agent, customer.email);
    const paid = await agent.paidJob();
    await agent.post(`/api/agent/v1/jobs/${paid}/cancel`);
    await agent.authorizedJob();
    expect(await ahead(member)).toMatchObject({ credit_microcents: 500_000_000, unpaid: 1 });
    await close(member);
    const closed = 'Your Work Check account is closed';
    const letter = (await lettersOf(customer)).find(({ subject }) => subject === closed);
    for (const said of [
      `${customer.email} closed the account.`,
      'Not paid: 1.',
      'Credit left: 5.00 USD. It stays in our books',
      'begins a new, empty account',
      `${service.baseUrl}/contact`,
    ]) {
      expect(letter?.text).toContain(said);
    }
    const { rows } = await pool.query(
      "select actor, detail from account_events where account_key = $1 and action = 'account_closed'",
      [member.accountKey],
    );
    expect(rows).toEqual([{ actor: member.memberKey, detail: expect.objectContaining({ unpaid: 1, agents: 1 }) }]);
  });

  it('lets the same address begin anew, with nothing of before', async () => {
    const { agent, member, customer } = await buyingByCard(service);
    await paidOnPage(service, agent, { member, card: nextGood() });
    await close(member);
    await register(newAgent(service), customer.email);
    const { link } = await customer.newestLetter();
    const confirmed = await newAgent(service).post('/api/agent/v1/confirmations/decision', {
      link,
      decision: 'confirm',
    });
    expect(confirmed.body).toMatchObject({ state: 'confirmed' });
    const { rows } = await pool.query(
      "select account_key from members where email = $1 and role = 'owner' and removed_at is null",
      [customer.email],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].account_key).not.toBe(member.accountKey);
    const anew = await Member.ofAccount(service, rows[0].account_key, customer.email);
    expect((await anew.get('/api/agent/v1/bought')).body.purchases).toEqual([]);
    expect((await anew.get('/api/agent/v1/cards')).body.cards).toEqual([]);
  });

  it('waits until a block is settled, and is not for the account of a wallet', async () => {
    const { agent, member } = await buyingByCard(service);
    const { paymentKey } = await paidOnPage(service, agent, { card: nextGood() });
    const { rows } = await pool.query('select intent_id from card_charges where payment_key = $1', [paymentKey]);
    await stripeOf(service).openDispute({ payment_intent: rows[0].intent_id });
    await heard(service);
    const wallet = await Member.of(service, await Agent.arrive(service));
    expect([(await ahead(member)).in_the_way, (await ahead(wallet)).in_the_way]).toEqual(['block', 'wallet']);
    expect(codes([await close(member), await close(wallet)])).toEqual([
      [409, 'action_not_allowed'],
      [409, 'action_not_allowed'],
    ]);
  });

  it('happens once when two owners do it at once, with one answer', async () => {
    const { agent, customer } = await connectedAgent(service);
    const owner = await Member.of(service, agent, customer.email);
    const second = await Member.ofAccount(service, owner.accountKey, `second-${customer.email}`);
    await pool.query("update members set role = 'owner' where member_key = $1", [second.memberKey]);
    const answers = await Promise.all([owner, second, owner, second].map((by) => close(by)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const { rows } = await pool.query(
      "select count(*)::int as times from account_events where account_key = $1 and action = 'account_closed'",
      [owner.accountKey],
    );
    expect(rows[0].times).toBe(1);
  });

  it('stands in the database: nobody joins a closed account, and it never opens again', async () => {
    const { agent, customer } = await connectedAgent(service);
    const owner = await Member.of(service, agent, customer.email);
    await close(owner);
    const refused = [
      ['update members set removed_at = null where account_key = $1', 'is closed'],
      [
        "insert into principals (principal_key, kind, account_key, created_at) values ('agent_x', 'agent', $1, now())",
        'is closed',
      ],
      ['update accounts set closed_at = null, closed_by = null where account_key = $1', 'closed for good'],
    ] as const;
    for (const [text, why] of refused) await expect(pool.query(text, [owner.accountKey])).rejects.toThrow(why);
  });

  it('is shown to operators, with who did it', async () => {
    const { agent, customer } = await connectedAgent(service);
    const owner = await Member.of(service, agent, customer.email);
    await close(owner);
    const ctx = operatorContext(service.runtime);
    const { body } = await perform('console_customers', ctx, { account_key: owner.accountKey });
    expect(body).toMatchObject({
      closed: { at: expect.any(String), by: customer.email },
      members: [{ email: customer.email, removed_at: expect.any(String) }],
      agents: [{ state: 'revoked' }],
    });
    const { customers } = (await perform('console_accounts', ctx, { q: owner.accountKey })).body;
    expect(customers).toMatchObject([{ closed_at: expect.any(String) }]);
  });
});

/** The card provider keeps its own time: nothing is paid there once ours has moved. */
describe('after a while, a closed account', () => {
  it('takes a payment that was under way as paid, gives it back when the check fails, and writes to the owner', async () => {
    const { agent, member, customer } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { payment_key } = (await payByCard(agent, jobKey)).body;
    const { url } = (await click(member, payment_key)).body;
    await close(member);
    await fillIn(url, nextGood());
    await settleClosed(service.runtime);
    expect(await stateOf(jobKey)).toEqual(['queued', 'collected']);
    service.advanceClock(1_801);
    await service.sweep();
    await service.sweep();
    expect(await stateOf(jobKey)).toEqual(['failed', 'refunded']);
    const refunded = (await lettersOf(customer)).find(({ subject }) => subject === 'Refunded: 5.00 USD');
    // Nobody can sign in to see a receipt.
    expect(refunded?.text).toContain(`${service.baseUrl}/contact`);
    expect(refunded?.text).not.toContain('/receipts/');
  });

  it('is for owners of the account, signed in afresh', async () => {
    const { agent, customer } = await connectedAgent(service);
    const owner = await Member.of(service, agent, customer.email);
    const approver = await Member.ofAccount(service, owner.accountKey, `approver-${customer.email}`);
    const other = await connectedAgent(service);
    const stranger = await Member.of(service, other.agent, other.customer.email);
    expect(
      codes([await close(approver), await close(stranger, owner.accountKey), await close(owner, 'acct_unknown')]),
    ).toEqual([
      [403, 'role_missing'],
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    service.advanceClock(3_600);
    expect(codes([await close(owner)])).toEqual([[403, 'fresh_sign_in_required']]);
    expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
  });
});
