import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { type OperationName, operations } from '../server/operations.ts';
import { Agent, type Answer, type Client, clearFaults, facilitatorFault } from './support/agent.ts';
import { buyingByCard, heard, listen, nextGood, paidOnPage, payByCard, stripeOf } from './support/card.ts';
import { Customer, connectedAgent, newAgent, register } from './support/customer.ts';
import { linkOfInvited, Member } from './support/member.ts';
import { waitingClient } from './support/oauth-client.ts';
import { ask, wellFormed } from './support/requests.ts';
import { startService, withCard } from './support/service.ts';
import type { Door } from './support/start-door.ts';

const service = await startService(withCard);
await listen(service);
const nothing = { quote_key: 'quote_none', job_key: 'job_none', source_key: 'source_none', agent_key: 'agent_none' };
const atOnce = 100;

/** A request to send many times: operation, input and headers. */
interface Repeatable {
  client: Client;
  input: Record<string, unknown>;
  headers?: Record<string, string>;
}

type Posts = {
  [Name in OperationName]: (typeof operations)[Name] extends { method: 'POST'; effect: 'write' | 'money' }
    ? Name
    : never;
};
type PostName = Posts[OperationName];

/** The chains, set to the service's time. */
const unmoved = ['eip155:84532', 'eip155:421614'];

/** Of a confirmation, all but one are told that it had been decided before. */
const withoutOrder = (text: string): string => text.replace(/"repeated":(?:true|false)/, '');

/** An agent whose registration awaits confirmation. */
async function asking() {
  const [client, customer] = [newAgent(service), new Customer(service)];
  const registration = await register(client, customer.email);
  return { client, registration, letter: await customer.newestLetter() };
}

/** An agent that has used its credential. */
async function inUse() {
  const connected = await connectedAgent(service);
  await connected.agent.get(operations.me.path);
  return connected;
}

/** The owner of an account with one active agent. */
async function owning() {
  const { agent, customer, registration } = await inUse();
  const client = await Member.of(service, agent, customer.email);
  return { client, customer, agent, agent_key: registration.body.agent_key };
}

/** For each operation, a request that changes something when first sent. */
const repeatable: { readonly [Name in PostName]: () => Promise<Repeatable> } = {
  wallet_challenge: async () => {
    const agent = await Agent.arrive(service);
    return { client: agent, input: { address: agent.wallet.address } };
  },
  wallet_verify: async () => {
    const client = await Agent.arrive(service);
    const { body: challenge } = await client.post(operations.wallet_challenge.path, { address: client.wallet.address });
    const signature = await client.wallet.signMessage({ message: challenge.message });
    return { client, input: { challenge_key: challenge.challenge_key, signature } };
  },
  check_work: async () => ({ client: await Agent.arrive(service), input: wellFormed.check_work(nothing) }),
  authorize: async () => {
    const client = await Agent.arrive(service);
    const { quote_key } = (await client.quote()).body;
    return { client, input: wellFormed.authorize({ ...nothing, quote_key }) };
  },
  pay: async () => {
    const client = await Agent.arrive(service);
    const job_key = await client.authorizedJob();
    const headers = { 'payment-signature': await client.signPayment(job_key) };
    return { client, input: { job_key, rail: 'x402' }, headers };
  },
  start_checkout: async () => {
    const { agent: client } = await connectedAgent(service);
    const jobKey = await client.authorizedJob();
    return { client, input: { payment_key: (await payByCard(client, jobKey)).body.payment_key } };
  },
  pay_by_link: async () => {
    const { agent } = await connectedAgent(service);
    const client = await Agent.arrive(service);
    const { payment_key } = (await payByCard(agent, await agent.authorizedJob())).body;
    const unpaid = await client.post(`/api/agent/v1/payments/${payment_key}/x402`);
    const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    const signature = encodePaymentSignatureHeader(await client.createPayment(required));
    return { client, input: { payment_key }, headers: { 'payment-signature': signature } };
  },
  buy_check: async () => {
    const client = newAgent(service);
    const unpaid = await client.post(operations.buy_check.path);
    const signature = encodePaymentSignatureHeader(await (await Agent.withWallet(service)).createPayment(unpaid.body));
    return { client, input: wellFormed.buy_check(nothing), headers: { 'payment-signature': signature } };
  },
  disown_payments: async () => {
    const { agent, member } = await buyingByCard(service);
    const { paymentKey } = await paidOnPage(service, agent, { card: nextGood() });
    const { rows } = await service.database.pool.query('select intent_id from card_charges where payment_key = $1', [
      paymentKey,
    ]);
    await stripeOf(service).openDispute({ payment_intent: rows[0].intent_id });
    await heard(service);
    return { client: member, input: {} };
  },
  remove_card: async () => {
    const { agent, member } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    const [card] = (await member.get(operations.saved_cards.path)).body.cards;
    return { client: member, input: { card_key: card.card_key } };
  },
  cancel: async () => {
    const client = await Agent.arrive(service);
    return { client, input: { job_key: await client.paidJob() } };
  },
  review: async () => {
    const client = await Agent.arrive(service);
    const job_key = await client.paidJob();
    await service.execute(job_key);
    return { client, input: { job_key, decision: 'accept' } };
  },
  change_billing: async () => {
    const client = await Member.of(service, await Agent.arrive(service));
    return { client, input: wellFormed.change_billing(nothing) };
  },
  add_webhook_endpoint: async () => {
    const client = await Member.of(service, await Agent.arrive(service));
    return { client, input: wellFormed.add_webhook_endpoint(nothing) };
  },
  resend_webhooks: async () => {
    const client = await Member.of(service, await Agent.arrive(service));
    const { body } = await client.post('/api/agent/v1/webhook-endpoints', wellFormed.add_webhook_endpoint(nothing));
    return { client, input: { endpoint_key: body.endpoint_key } };
  },
  add_source: async () => {
    const client = await Member.of(service, await Agent.arrive(service));
    return { client, input: wellFormed.add_source(nothing) };
  },
  register: async () => ({ client: newAgent(service), input: wellFormed.register(nothing) }),
  claim: async () => {
    const { client, registration, letter } = await asking();
    await client.post(operations.confirm.path, { link: letter.link, decision: 'confirm' });
    const { registration_key, claim_token } = registration.body;
    return { client, input: { registration_key, claim_token } };
  },
  confirm: async () => {
    const { client, letter } = await asking();
    return { client, input: { link: letter.link, decision: 'confirm' } };
  },
  rotate_credential: async () => {
    const { agent } = await inUse();
    return { client: agent, input: {} };
  },
  sign_in_link: async () => ({ client: newAgent(service), input: { email: 'somebody@example.com' } }),
  decide_connection: async () => {
    const { client, customer } = await owning();
    const { body } = await register(newAgent(service), customer.email, { mode: 'link_existing' });
    const { registration_key, user_code } = body;
    return { client, input: { registration_key, user_code, decision: 'approve' } };
  },
  decide_authorization: async () => {
    const { client } = await owning();
    const { authorization_key } = await waitingClient(service.baseUrl, client);
    return { client, input: { authorization_key, decision: 'approve' } };
  },
  change_grant: async () => {
    const { client, agent_key } = await owning();
    return { client, input: { agent_key, daily_limit_microcents: 1_000_000_000 } };
  },
  decide_approval: async () => {
    const { client, agent, agent_key } = await owning();
    await client.post(`/api/agent/v1/agents/${agent_key}/grant`, { approval_above_microcents: 0 });
    const { quote_key, terms_version } = (await agent.quote()).body;
    const { body } = await agent.post(`/api/agent/v1/purchases/${quote_key}/authorize`, { terms_version });
    return { client, input: { approval_key: body.approval_key, decision: 'approve' } };
  },
  pause_agent: async () => {
    const { client, agent_key } = await owning();
    return { client, input: { agent_key, paused: true } };
  },
  revoke_agent: async () => {
    const { client, agent_key } = await owning();
    return { client, input: { agent_key } };
  },
  release_again: async () => {
    const { client, agent_key } = await owning();
    return { client, input: { agent_key } };
  },
  end_sessions: async () => {
    const { client } = await owning();
    await Member.ofAccount(service, client.accountKey, client.email);
    return { client, input: {} };
  },
  close_account: async () => {
    const { client } = await owning();
    return { client, input: { account_key: client.accountKey } };
  },
  change_letters: async () => ({ client: (await owning()).client, input: { reports: false } }),
  lift_silence: async () => {
    const { client, customer } = await owning();
    const { body } = await register(newAgent(service), customer.email, { mode: 'link_existing' });
    const { registration_key, user_code } = body;
    await client.post(`/api/agent/v1/connections/${registration_key}/decision`, { user_code, decision: 'deny' });
    // As if the person had blocked that network before the account was made.
    await service.database.pool.query('update registrations set lifted_at = null where registration_key = $1', [
      registration_key,
    ]);
    return { client, input: { origin: '127.0.0.0/24' } };
  },
  invite_member: async () => {
    const { client } = await owning();
    return { client, input: { email: 'colleague@example.com', role: 'reader' } };
  },
  withdraw_invitation: async () => {
    const { client } = await owning();
    const { invitations } = (
      await client.post(operations.invite_member.path, { email: 'a@example.com', role: 'reader' })
    ).body;
    return { client, input: { invitation_key: invitations[0].invitation_key } };
  },
  accept_invitation: async () => {
    const { client } = await owning();
    return { client: newAgent(service), input: { link: await linkOfInvited(service, client) } };
  },
  change_role: async () => {
    const { client } = await owning();
    const { memberKey } = await Member.ofAccount(service, client.accountKey, 'approver@example.com');
    return { client, input: { member_key: memberKey, role: 'reader' } };
  },
  remove_member: async () => {
    const { client } = await owning();
    const { memberKey } = await Member.ofAccount(service, client.accountKey, 'leaving@example.com');
    return { client, input: { member_key: memberKey } };
  },
  review_agents: async () => {
    const { client, agent_key } = await owning();
    return { client, input: { keep: [], revoke: [agent_key] } };
  },
  // Last, because a chain whose time has moved accepts no more payments.
  cancel_payment: async () => {
    const client = await Agent.arrive(service);
    const job_key = await client.authorizedJob();
    const network = unmoved.pop() ?? '';
    const { controlUrl } = service.sandbox;
    // The signature is not executed, and its chain's time is past its expiry.
    await facilitatorFault(controlUrl, { mode: 'refuse' });
    await client.pay(job_key, { signature: await client.signPayment(job_key, network) });
    await clearFaults(controlUrl);
    await controlClient(controlUrl).chainFault(network, { mode: 'advance_time', seconds: 200 });
    return { client, input: { job_key } };
  },
};

/** The rows of each table, except request counters and pages that the provider opened. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await service.database.pool.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss') and table_name <> 'rate_counts'
       and not (select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass)
     order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: counted } = await service.database.pool.query(`select count(*)::int as rows from ${name}`);
    counts[name] = counted[0].rows;
  }
  counts['pages of the provider'] = (await stripeOf(service).books()).sessions.length;
  return counts;
}

/** Row counts that changed during `work`, by table. */
async function effectOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await rowCounts();
  await act();
  const after = await rowCounts();
  const differences = Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
}

/** Repeats a request until the answer is not "still running", for at most 20 s. */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + 20_000;
  let answer = await send();
  while (answer.status === 409 && answer.body.retryable && Date.now() < deadline) {
    await setTimeout(50);
    answer = await send();
  }
  return answer;
}

describe('a request that is sent 100 times at once', () => {
  const names = Object.keys(repeatable) as PostName[];
  /** Of these a repeat is refused. A bought check answers again, without the session that its first answer carried. */
  const released = (name: PostName) =>
    'secret' in operations[name] && name !== 'buy_check' && name !== 'accept_invitation';
  const withoutSession = (text: string) => text.replace(/"session":\{[^}]*\}/, '"session":null');

  const sendOf =
    (name: PostName, { client, input, headers = {} }: Repeatable, key: string) =>
    () =>
      untilAnswered(() => ask(client, name, input, { key, headers }));

  async function sentOnceAndTogether(name: PostName) {
    const single = sendOf(name, await repeatable[name](), randomUUID());
    const effect = await effectOf(single);
    const send = sendOf(name, await repeatable[name](), randomUUID());
    let answers: Answer[] = [];
    const repeated = await effectOf(async () => {
      answers = await Promise.all(Array.from({ length: atOnce }, send));
    });
    return { effect, repeated, answers };
  }

  it.each(names.filter((name) => !released(name)))('%s: has one effect and one answer', async (name) => {
    const { effect, repeated, answers } = await sentOnceAndTogether(name);
    expect(Math.min(...answers.map(({ status }) => status))).toBeLessThan(300);
    // Whoever comes after the account has ended is signed out.
    const met = name === 'close_account' ? answers.filter(({ status }) => status !== 401) : answers;
    expect(new Set(met.map(({ status, text }) => `${status} ${withoutSession(withoutOrder(text))}`)).size).toBe(1);
    expect(repeated).toEqual(effect);
    // A withdrawn invitation keeps its row, and a member theirs.
    if (name !== 'withdraw_invitation' && name !== 'change_letters') expect(effect).not.toEqual({});
  });

  it.each(names.filter(released))('%s: releases its secret once', async (name) => {
    const { effect, repeated, answers } = await sentOnceAndTogether(name);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      operations[name].success[0],
      ...Array(atOnce - 1).fill(410),
    ]);
    expect(repeated).toEqual(effect);
  });
});

describe('100 authorizations at once, of which 10 fit the limit', () => {
  const doors: Door[] = [];
  beforeAll(async () => {
    doors.push(...(await Promise.all(Array.from({ length: 4 }, () => service.startDoor()))));
  });

  it.each([1, 2, 4])('are admitted 10 times by %i API processes', async (processes) => {
    const agent = await Agent.arrive(service);
    const quotes = await Promise.all(Array.from({ length: atOnce }, () => agent.quote()));
    const agents = doors.slice(0, processes).map(({ baseUrl }) => agent.at(baseUrl));
    const answers = await Promise.all(
      quotes.map(({ body }, index) => (agents[index % processes] ?? agent).authorize(body.quote_key)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(90).fill(403)]);
    const refusals = answers.filter(({ status }) => status === 403);
    expect(new Set(refusals.map(({ body }) => body.code))).toEqual(new Set(['grant_limit_exceeded']));
    const { spend } = (await agent.get(operations.me.path)).body;
    expect(spend.today_microcents).toBe(5_000_000_000);
  });
});
