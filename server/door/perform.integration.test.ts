import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Answer, type Client } from '../../e2e/support/agent.ts';
import { connectedAgent } from '../../e2e/support/customer.ts';
import { Member } from '../../e2e/support/member.ts';
import { ask, operationNames, type Subject, wellFormed } from '../../e2e/support/requests.ts';
import { startService } from '../../e2e/support/service.ts';
import { newToken } from '../identity/token.ts';
import { doorProblems, type Operation, pathKeys } from '../operation/operation.ts';
import { type OperationName, operations } from '../operations.ts';
import { Problem } from '../problems/problem.ts';
import { perform } from './perform.ts';

const service = await startService();
const arrive = () => Agent.arrive(service);
const sql = (text: string, values: unknown[]) => service.database.pool.query(text, values);

/** A job whose report waits for review, and a document of its account. */
async function deliveredPurchase(agent: Agent): Promise<Subject> {
  const job_key = await agent.paidJob();
  await service.execute(job_key);
  const member = await Member.of(service, agent);
  const document = await member.post('/api/agent/v1/sources', { name: 'Terms', text: 'The seller pays.' });
  const endpoint = await member.post('/api/agent/v1/webhook-endpoints', { url: 'https://buyer.example/hooks' });
  return {
    job_key,
    quote_key: (await agent.job(job_key)).body.quote_key,
    agent_key: agent.wallet.address.toLowerCase(),
    source_key: document.body.source_key,
    endpoint_key: endpoint.body.endpoint_key,
  };
}

/** An answer in the matrix: let in, or refused with this code. */
type Outcome = 'in' | 'invalid_token' | 'not_found' | 'grant_scope_missing';
const refusals: readonly string[] = ['invalid_token', 'not_found', 'grant_scope_missing'];

const outcomeOf = (answer: Pick<Answer, 'body'>): Outcome =>
  refusals.includes(answer.body?.code) ? answer.body.code : 'in';

const isForMembersOnly = (name: OperationName) =>
  !(operations[name] as Operation).audience.includes('agent') &&
  !(operations[name] as Operation).audience.includes('public');

async function withToken(token: string): Promise<Agent> {
  const agent = await arrive();
  agent.token = token;
  return agent;
}

describe('who may ask for what', () => {
  let subject: Subject;
  let callers: Record<string, (name: OperationName) => Promise<Outcome>>;

  beforeAll(async () => {
    const owner = await arrive();
    subject = await deliveredPurchase(owner);
    const paused = await arrive();
    const pausedSubject = await deliveredPurchase(paused);
    await sql('update grants set paused_at = now() where principal_key = $1', [paused.wallet.address.toLowerCase()]);
    const colleague = await arrive();
    const accountKey = (await owner.get('/api/agent/v1/me')).body.account_key;
    await sql('update principals set account_key = $1 where principal_key = $2', [
      accountKey,
      colleague.wallet.address.toLowerCase(),
    ]);
    const gone = await arrive();
    await sql('update credentials set revoked_at = now() where principal_key = $1', [
      gone.wallet.address.toLowerCase(),
    ]);
    const ended = await arrive();
    await sql(`update credentials set expires_at = now() - interval '1 second' where principal_key = $1`, [
      ended.wallet.address.toLowerCase(),
    ]);
    const [anonymous, garbage, mistyped, unknown] = await Promise.all([
      withToken(''),
      withToken('not-a-token'),
      withToken(`${owner.token.slice(0, -1)}${owner.token.endsWith('0') ? '1' : '0'}`),
      withToken(newToken('agent')),
    ]);
    const stranger = await arrive();
    const as = (client: Client, about: Subject) => async (name: OperationName) =>
      outcomeOf(await ask(client, name, wellFormed[name](about)));
    const member = await Member.of(service, owner);
    const elsewhere = await Member.of(service, stranger);
    const framed = await Member.of(service, owner, 'framed@example.com');
    callers = {
      anonymous: as(anonymous, subject),
      garbage: as(garbage, subject),
      mistyped: as(mistyped, subject),
      unknown: as(unknown, subject),
      revoked: as(gone, subject),
      ended: as(ended, subject),
      stranger: as(stranger, subject),
      colleague: as(colleague, subject),
      foreign_member: as(elsewhere, subject),
      other_site: async (name) =>
        outcomeOf(await ask(framed, name, wellFormed[name](subject), { headers: { origin: 'https://example.com' } })),
      paused: as(paused, pausedSubject),
      page: (name) => atPage(member, name),
      member: as(member, subject),
      owner: as(owner, subject),
    };
  });

  /** A page asks for its member. */
  async function atPage(member: Member, name: OperationName): Promise<Outcome> {
    const ctx = { ...member.pageContext(), idempotencyKey: randomUUID() };
    try {
      await perform(name, ctx, wellFormed[name](subject));
      return 'in';
    } catch (error) {
      return error instanceof Problem ? outcomeOf({ body: { code: error.code } }) : 'in';
    }
  }

  const everyone = { default: 'in' } as const;
  const nobody = { default: 'not_found' } as const;
  const noBuyer = {
    anonymous: 'invalid_token',
    garbage: 'invalid_token',
    mistyped: 'invalid_token',
    unknown: 'invalid_token',
    revoked: 'invalid_token',
    ended: 'invalid_token',
    other_site: 'invalid_token',
  } as const;
  const noPeople = { member: 'invalid_token', page: 'invalid_token', foreign_member: 'invalid_token' } as const;
  const noAgents = {
    ...noBuyer,
    stranger: 'invalid_token',
    colleague: 'invalid_token',
    paused: 'invalid_token',
    owner: 'invalid_token',
  } as const;
  const ungoverned = 'grant_scope_missing' as const;
  const ownersOnly = {
    ...noBuyer,
    stranger: 'not_found',
    colleague: 'not_found',
    foreign_member: 'not_found',
  } as const;
  type Row = { [caller: string]: Outcome };

  /** Every operation by every kind of caller; unlisted ones get `in`. A missing operation does not compile. */
  const matrix: { [Name in OperationName]: Row } = {
    discovery: everyone,
    service_contract: everyone,
    receipt_keys: everyone,
    did_document: everyone,
    incidents: everyone,
    wallet_challenge: everyone,
    wallet_verify: everyone,
    register: everyone,
    // Without a claim token or a letter's link, nobody finds anything.
    claim: nobody,
    confirmation: nobody,
    confirm: nobody,
    sign_in_link: everyone,
    // Nobody asks to be connected here: permitted callers find nothing.
    connection: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    decide_connection: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    // Nor does a client wait.
    authorization: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    decide_authorization: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    agents: noAgents,
    agent_history: { ...noAgents, foreign_member: 'not_found' },
    change_grant: { ...noAgents, foreign_member: 'not_found' },
    pause_agent: { ...noAgents, foreign_member: 'not_found' },
    revoke_agent: { ...noAgents, foreign_member: 'not_found' },
    release_again: { ...noAgents, foreign_member: 'not_found' },
    review_agents: noAgents,
    member: noAgents,
    people: noAgents,
    invite_member: noAgents,
    withdraw_invitation: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    change_role: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    remove_member: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    // Without a letter's link, nobody finds anything.
    invitation: nobody,
    accept_invitation: nobody,
    billing: noAgents,
    change_billing: noAgents,
    closing: noAgents,
    // An account that nobody has.
    close_account: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    end_sessions: noAgents,
    lift_silence: noAgents,
    change_letters: noAgents,
    rotate_credential: { ...noBuyer, ...noPeople },
    wallet_sign_out: { ...noBuyer, ...noPeople },
    me: { ...noBuyer, ...noPeople },
    check_work: { ...noBuyer, ...noPeople, paused: 'grant_scope_missing' },
    purchase: ownersOnly,
    authorize: { ...ownersOnly, ...noPeople, paused: 'grant_scope_missing' },
    approvals: noAgents,
    // Nobody asks about a purchase here.
    approval: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    decide_approval: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    pay: { ...ownersOnly, ...noPeople, paused: 'grant_scope_missing' },
    cancel_payment: ownersOnly,
    // Without the link nobody finds anything.
    payment_page: nobody,
    start_checkout: nobody,
    pay_by_link: nobody,
    buy_check: everyone,
    // Asks a wallet to sign in: `purchases/pay/read-check`.
    read_check: everyone,
    saved_cards: noAgents,
    remove_card: { ...noAgents, member: 'not_found', page: 'not_found', foreign_member: 'not_found' },
    contested_payments: noAgents,
    disown_payments: noAgents,
    job: ownersOnly,
    report: ownersOnly,
    evidence: ownersOnly,
    delete_content: ownersOnly,
    receipt: ownersOnly,
    receipt_chain: ownersOnly,
    cancel: ownersOnly,
    review: { ...ownersOnly, paused: 'grant_scope_missing' },
    purchases: noBuyer,
    jobs: noBuyer,
    bought: noBuyer,
    credit: noBuyer,
    receipts: noBuyer,
    bookkeeping: noBuyer,
    bundle: { ...noAgents, foreign_member: 'not_found' },
    events: noBuyer,
    webhook_endpoints: noAgents,
    add_webhook_endpoint: noAgents,
    remove_webhook_endpoint: { ...noAgents, foreign_member: 'not_found' },
    resend_webhooks: { ...noAgents, foreign_member: 'not_found' },
    sources: { ...noBuyer, stranger: ungoverned, colleague: ungoverned, paused: ungoverned, owner: ungoverned },
    add_source: noAgents,
    remove_source: { ...noAgents, foreign_member: 'not_found' },
  };

  it.each(operationNames)('%s: each kind of caller is let in or refused as the table says', async (name) => {
    const row: Row = matrix[name];
    const expected: Record<string, Outcome> = {};
    const seen: Record<string, Outcome> = {};
    // In sequence: the owner's review comes last and leaves the others nothing to review.
    for (const [caller, asks] of Object.entries(callers)) {
      expected[caller] = row[caller] ?? row.default ?? 'in';
      seen[caller] = await asks(name);
    }
    expect(seen).toEqual(expected);
  });

  const aboutSomething = operationNames.filter(
    (name) => pathKeys(operations[name]).length > 0 && !(operations[name] as Operation).signsIn,
  );
  it.each(aboutSomething)('%s: a foreign key reads as one that does not exist', async (name) => {
    const agent = await arrive();
    const stranger = isForMembersOnly(name) ? await Member.of(service, agent) : agent;
    const nowhere = {
      quote_key: 'quote_0000000000000000000000',
      job_key: 'job_0000000000000000000000',
      source_key: 'source_0000000000000000000000',
      endpoint_key: 'endpoint_0000000000000000000000',
      agent_key: 'agent_0000000000000000000000',
    };
    const foreign = await ask(stranger, name, wellFormed[name](subject));
    const missing = await ask(stranger, name, wellFormed[name](nowhere));
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
    const told = (answer: Answer) => answer.text.replaceAll(answer.body.request_id, '');
    expect(told(foreign)).toBe(told(missing));
  });
});

describe('the door', () => {
  const posts = operationNames.filter((name) => operations[name].method === 'POST');
  const keyed = posts.filter((name) => (operations[name] as Operation).idempotency !== 'none');
  const nothing = {
    quote_key: 'quote_none',
    job_key: 'job_none',
    source_key: 'source_none',
    endpoint_key: 'endpoint_none',
    agent_key: 'agent_none',
  };
  let agent: Agent;
  let member: Member;
  /** An agent with its own credential, for what a wallet session cannot do. */
  let registered: Agent;
  let registeredKey: string;
  let memberKey: string;
  beforeAll(async () => {
    agent = await arrive();
    member = await Member.of(service, agent);
    const { rows } = await sql(
      'select member_key from members join principals using (account_key) where principal_key = $1',
      [agent.wallet.address.toLowerCase()],
    );
    memberKey = rows[0].member_key;
    const connected = await connectedAgent(service);
    registered = connected.agent;
    registeredKey = connected.registration.body.agent_key;
  });
  const clientFor = (name: OperationName) =>
    isForMembersOnly(name) ? member : name === 'rotate_credential' ? registered : agent;

  const addressOf = (name: OperationName) => operations[name].path.replaceAll(/\{(\w+)\}/g, '$1');
  const json = { 'content-type': 'application/json' };
  /** What makes the operation read its body at all. */
  const reading = (name: OperationName) =>
    (operations[name] as Operation).readsWhenPaid ? { 'payment-signature': 'e30=' } : {};
  /** The subjects under which requests from here are counted. */
  const counted = () => [agent.wallet.address.toLowerCase(), registeredKey, '127.0.0.0/24', memberKey];
  /** Sends a request after using up every limit of its caller. */
  async function whileUsedUp(name: OperationName): Promise<Answer> {
    await sql(
      `insert into rate_counts select subject, name, 10000000, now() + interval '1 minute'
       from unnest($1::text[]) as subject, unnest($2::text[]) as name
       on conflict (subject, limit_name) do update set used = excluded.used, window_end = excluded.window_end`,
      [counted(), Object.keys(service.runtime.configuration.rateLimits)],
    );
    const answer = await ask(clientFor(name), name, wellFormed[name](nothing));
    await sql('delete from rate_counts where subject = any($1)', [counted()]);
    return answer;
  }
  const faults: Record<string, (name: OperationName) => Promise<Answer>> = {
    credential_in_url: (name) =>
      clientFor(name).send(operations[name].method, `${addressOf(name)}?at=${newToken('agent')}`),
    method_not_allowed: (name) => clientFor(name).send('PUT', addressOf(name)),
    validation_failed: (name) =>
      ask(clientFor(name), name, { ...wellFormed[name](nothing), colour: 'red' }, { headers: reading(name) }),
    idempotency_key_mismatch: (name) =>
      clientFor(name).send('POST', addressOf(name), '{"idempotency_key":"one"}', {
        ...json,
        ...reading(name),
        'idempotency-key': 'another',
      }),
    malformed_request: (name) => clientFor(name).send('POST', addressOf(name), '{', { ...json, ...reading(name) }),
    unsupported_media_type: (name) =>
      clientFor(name).send('POST', addressOf(name), '{}', { 'content-type': 'text/plain', ...reading(name) }),
    rate_limited: whileUsedUp,
    input_too_large: (name) =>
      clientFor(name).send('POST', addressOf(name), `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`, {
        ...json,
        ...reading(name),
      }),
  };

  it.each(operationNames)('%s: answers what is wrong with a request before it reads what it is about', async (name) => {
    // A test of its own covers each operation while the database is down.
    const expected = doorProblems(operations[name]).filter((code) => code in faults);
    const seen = [];
    for (const code of expected) seen.push((await faults[code]?.(name))?.body.code);
    expect(seen).toEqual(expected);
  });

  const needing = posts.filter((name) => (operations[name] as Operation).idempotency === 'required');
  it.each(needing)('%s: needs a key, since a repeat without one would be a second request', async (name) => {
    const { quote_key: _, job_key = '', ...body } = wellFormed[name](nothing);
    const answer = await agent.post(operations[name].path.replace('{job_key}', String(job_key)), body);
    expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_key_required']);
  });

  /** A well-formed body that differs from `wellFormed`. */
  const changed: { readonly [Name in OperationName]?: Record<string, unknown> } = {
    check_work: { max_price_microcents: 1 },
    authorize: { terms_version: '2020-01-01' },
    pay: { network: 'eip155:1' },
    review: { report_digest: `sha256:${'0'.repeat(64)}` },
    add_source: { text: 'Transport is paid by the buyer.' },
    add_webhook_endpoint: { url: 'https://other.example/hooks' },
    rotate_credential: { grace_period_seconds: 0 },
  };
  it.each(keyed.filter((name) => changed[name]))('%s: holds a key to the body it came with', async (name) => {
    const job_key = await agent.authorizedJob();
    const subject = { ...nothing, job_key, quote_key: (await agent.job(job_key)).body.quote_key };
    if (name === 'review') {
      await agent.pay(job_key, { signature: await agent.signPayment(job_key) });
      await service.execute(job_key);
    }
    const key = randomUUID();
    const body = wellFormed[name](subject);
    const client = clientFor(name);
    expect((await ask(client, name, body, { key })).status).toBeLessThan(403);
    const conflict = await ask(client, name, { ...body, ...changed[name] }, { key });
    expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_key_conflict']);
  });

  it.each(keyed)('%s: leaves the key free when the body breaks a rule', async (name) => {
    const [client, key] = [clientFor(name), randomUUID()];
    const body = wellFormed[name](nothing);
    const refused = await ask(client, name, { ...body, colour: 'red' }, { key });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    const mended = await ask(client, name, body, { key });
    expect(mended.body.code).not.toBe('idempotency_key_conflict');
  });

  it('says that the first request is still running when it holds the key for long', async () => {
    const client = await service.database.pool.connect();
    await client.query('begin');
    await client.query('lock table idempotency_claims in exclusive mode');
    const written = keyed.filter((name) => operations[name].effect === 'write');
    // Fewer at once than there are connections: who waits for one of these is told otherwise.
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (let at = 0; at < written.length; at += 6) {
      const some = written.slice(at, at + 6);
      answers.push(...(await Promise.all(some.map((name) => ask(clientFor(name), name, wellFormed[name](nothing))))));
    }
    await client.query('rollback');
    client.release();
    expect(answers.map((answer) => answer.body.code)).toEqual(written.map(() => 'idempotency_in_progress'));
    expect(answers.every((answer) => answer.headers.has('retry-after'))).toBe(true);
  });
});
