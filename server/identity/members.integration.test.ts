import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Agent, Answer } from '../../e2e/support/agent.ts';
import { Customer, claim, connectedAgent, newAgent, register } from '../../e2e/support/customer.ts';
import { addressIn } from '../../e2e/support/letter.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService();
const { pool } = service.database;

/** A customer with an agent in use, and its owner signed in. */
async function account(): Promise<{
  agent: Agent;
  customer: Customer;
  owner: Member;
  registration: Answer;
  key: string;
}> {
  const { agent, customer, registration } = await connectedAgent(service);
  await agent.get('/api/agent/v1/me');
  const owner = await Member.of(service, agent, customer.email);
  return { agent, customer, owner, registration, key: registration.body.agent_key };
}
const change = (owner: Member, key: string, body: Record<string, unknown>) =>
  owner.post(`/api/agent/v1/agents/${key}/grant`, body);
const act = (owner: Member, key: string, what: string, body: Record<string, unknown> = {}) =>
  owner.post(`/api/agent/v1/agents/${key}/${what}`, body);
const actions = async (owner: Member, key: string): Promise<string[]> =>
  (await owner.get(`/api/agent/v1/agents/${key}/history`)).body.events.map(({ action }: { action: string }) => action);

const namesOf = ({ next_actions }: Answer['body']): string[] =>
  next_actions.map(({ action }: { action: string }) => action);

describe('linking an agent to an account', () => {
  /** An agent that asks to be connected to this customer's account. */
  async function asking(email: string, changes: Record<string, unknown> = {}) {
    const agent = newAgent(service);
    const registration = await register(agent, email, {
      mode: 'link_existing',
      agent: { name: 'Research Desk' },
      ...changes,
    });
    return { agent, registration, code: registration.body.user_code as string };
  }
  const look = (member: Member, code: string) => member.post('/api/agent/v1/connections', { user_code: code });
  const decide = (member: Member, registration: Answer, body: Record<string, unknown>) =>
    member.post(`/api/agent/v1/connections/${registration.body.registration_key}/decision`, {
      user_code: registration.body.user_code,
      ...body,
    });

  it('takes a member who types its code, and the limits that the member sets', async () => {
    const { owner, customer } = await account();
    const { agent, registration, code } = await asking(customer.email);
    expect(registration.body.verification_url).toBe(`${service.baseUrl}/connect`);
    // The same by the names of RFC 8628.
    const { device_code, verification_uri, claim_token } = registration.body;
    expect([device_code, verification_uri]).toEqual([claim_token, `${service.baseUrl}/connect`]);
    const letter = await customer.newestLetter();
    expect([letter.subject, letter.text.includes(code)]).toEqual([
      'An agent asks to be connected to your Work Check account',
      false,
    ]);
    const seen = await look(owner, ` ${code.toLowerCase().replace('-', '')} `);
    expect(seen.body).toMatchObject({
      registration_key: registration.body.registration_key,
      agent: { name: 'Research Desk' },
      user_code: code,
    });
    expect((await claim(agent, registration)).status).toBe(202);
    const grant = { daily_limit_microcents: 1_000_000_000, total_limit_microcents: 2_000_000_000 };
    const approved = await decide(owner, registration, { decision: 'approve', grant });
    expect([approved.status, approved.body.state, approved.body.grant]).toEqual([
      200,
      'confirmed',
      expect.objectContaining(grant),
    ]);
    const released = await claim(agent, registration);
    expect(released.body).toMatchObject({ state: 'released', account_key: owner.accountKey, grant });
    agent.token = released.body.credential;
    expect((await agent.get('/api/agent/v1/me')).body.grant).toMatchObject(grant);
    expect((await customer.newestLetter()).subject).toBe('An agent was connected to your Work Check account');
  });

  it('is denied, and the agent is told', async () => {
    const { owner, customer } = await account();
    const { agent, registration } = await asking(customer.email);
    expect((await decide(owner, registration, { decision: 'deny' })).body.state).toBe('declined');
    expect((await claim(agent, registration)).body.code).toBe('registration_declined');
    expect((await decide(owner, registration, { decision: 'approve' })).body.code).toBe('action_not_allowed');
    expect((await customer.newestLetter()).subject).toBe('An agent was denied for your Work Check account');
  });

  it('is no business of other accounts, of who does not know the code, and of the code of letters', async () => {
    const [one, other] = [await account(), await account()];
    const { agent, registration, code } = await asking(one.customer.email);
    for (const refused of [
      await look(other.owner, code),
      await decide(other.owner, registration, { decision: 'approve' }),
      await look(one.owner, 'BBBB-BBBB'),
      await decide(one.owner, registration, { decision: 'approve', user_code: 'BBBB-BBBB' }),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    }
    expect((await claim(agent, registration, '123456')).body.code).toBe('code_invalid');
    // An unknown address gets no letter, and the agent cannot tell.
    const nobody = new Customer(service);
    expect((await asking(nobody.email)).registration.status).toBe(202);
    expect(await nobody.letters()).toEqual([]);
  });

  it('takes the code for ten minutes and the decision for thirty', async () => {
    const { owner, customer } = await account();
    const [first, second] = [await asking(customer.email), await asking(customer.email)];
    service.advanceClock(601);
    expect((await look(owner, first.code)).body.code).toBe('registration_expired');
    const fresh = await Member.ofAccount(service, owner.accountKey, customer.email);
    expect((await decide(fresh, first.registration, { decision: 'approve' })).status).toBe(200);
    service.advanceClock(1_200);
    expect((await decide(owner, second.registration, { decision: 'approve' })).body.code).toBe('registration_expired');
  });

  it('lowers freely, and raises above the request after a fresh sign-in only', async () => {
    const { owner, customer, agent } = await account();
    const asked = { requested_grant: { per_job_limit_microcents: 500_000_000 } };
    const { registration } = await asking(customer.email, asked);
    service.advanceClock(600);
    const grant = { per_job_limit_microcents: 1_000_000_000 };
    const refused = await decide(owner, registration, { decision: 'approve', grant });
    expect([refused.status, refused.body.code]).toEqual([403, 'fresh_sign_in_required']);
    const fresh = await Member.of(service, agent, customer.email);
    expect((await decide(fresh, registration, { decision: 'approve', grant })).body.grant).toMatchObject(grant);
  });
});

describe('an agent of an account', () => {
  it('is listed with what it may spend and has spent', async () => {
    const { agent, owner, key } = await account();
    const { body: quote } = await agent.quote();
    await agent.authorize(quote.quote_key);
    const { body } = await owner.get('/api/agent/v1/agents');
    expect(body).toMatchObject({
      review_due: true,
      agents: [
        {
          agent_key: key,
          kind: 'agent',
          name: 'Procurement Assistant',
          state: 'active',
          grant: { daily_limit_microcents: 5_000_000_000, paused: false },
          spend: { today_microcents: 500_000_000, total_microcents: 500_000_000, held_today_microcents: 500_000_000 },
        },
      ],
    });
    const stranger = (await account()).owner;
    expect((await stranger.get('/api/agent/v1/agents')).text).not.toContain(key);
    expect((await stranger.get(`/api/agent/v1/agents/${key}/history`)).status).toBe(404);
  });

  it('buys nothing from the moment it is paused, and goes on when it may', async () => {
    const { agent, owner, key } = await account();
    const { body: quote } = await agent.quote();
    expect((await act(owner, key, 'pause', { paused: true })).body.state).toBe('paused');
    expect((await act(owner, key, 'pause', { paused: true })).body.state).toBe('paused');
    expect((await agent.authorize(quote.quote_key)).body.code).toBe('grant_scope_missing');
    expect((await agent.quote()).body.code).toBe('grant_scope_missing');
    expect((await act(owner, key, 'pause', { paused: false })).body.state).toBe('active');
    expect((await agent.authorize(quote.quote_key)).status).toBe(201);
    expect(await actions(owner, key)).toEqual([
      'agent_resumed',
      'agent_paused',
      'credential_released',
      'agent_connected',
    ]);
  });

  it('is bound by a lowered limit at its next request, even below what it has spent', async () => {
    const { agent, owner, key } = await account();
    const { body: first } = await agent.quote();
    await agent.authorize(first.quote_key);
    expect((await change(owner, key, { daily_limit_microcents: 100_000_000 })).body.grant).toMatchObject({
      daily_limit_microcents: 100_000_000,
      per_job_limit_microcents: 1_000_000_000,
    });
    const { body: second } = await agent.quote();
    expect((await agent.authorize(second.quote_key)).body).toMatchObject({
      code: 'grant_limit_exceeded',
      limit: 'daily',
      remaining_microcents: 0,
    });
    const [event] = (await owner.get(`/api/agent/v1/agents/${key}/history`)).body.events;
    expect(event).toMatchObject({
      actor: expect.stringContaining('@'),
      action: 'grant_changed',
      detail: { before: { daily_limit_microcents: 5_000_000_000 }, after: { daily_limit_microcents: 100_000_000 } },
    });
  });

  it('pays for nothing that a lowered limit no longer covers, and is not told to', async () => {
    const { agent, owner, key } = await account();
    const jobKey = await agent.authorizedJob();
    const listed = async () =>
      (await agent.job(jobKey)).body.next_actions.map(({ action }: { action: string }) => action);
    const lowered = [
      ['per_job', { per_job_limit_microcents: 499_999_999 }],
      ['daily', { daily_limit_microcents: 400_000_000 }],
      ['total', { total_limit_microcents: 300_000_000 }],
    ] as const;
    for (const [limit, lower] of lowered) {
      await change(owner, key, lower);
      for (const how of [{}, { method: 'wallet_credit' }]) {
        const refused = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
          rail: 'x402',
          ...how,
          idempotency_key: randomUUID(),
        });
        const [highest] = Object.values(lower);
        expect(refused.body).toMatchObject({
          code: 'grant_limit_exceeded',
          limit,
          limit_microcents: highest,
          used_microcents: 0,
          resets_at: null,
        });
      }
      expect(await listed()).toEqual(['cancel']);
      await change(owner, key, {
        per_job_limit_microcents: 500_000_000,
        daily_limit_microcents: 500_000_000,
        total_limit_microcents: 500_000_000,
      });
      expect(await listed()).toEqual(['pay', 'cancel']);
    }
    expect((await agent.pay(jobKey)).status).toBe(402);
  });

  it('is told to authorize what its grant has room for, and nothing else', async () => {
    const { agent, owner, key } = await account();
    const { body: quote } = await agent.quote();
    const [{ body: taken }, { body: listing }] = [await agent.quote(), await agent.quote()];
    await agent.authorize(taken.quote_key);
    const generous = (await owner.get('/api/agent/v1/agents')).body.agents[0].grant;
    const { service_keys: _, paused: __, ...everything } = generous;
    // A refusal over a limit also lists what may be done about the job that holds the room.
    const narrowed: [string, Record<string, unknown>, string[]][] = [
      ['grant_limit_exceeded', { per_job_limit_microcents: 499_999_999 }, []],
      ['grant_limit_exceeded', { daily_limit_microcents: 999_999_999 }, ['pay', 'cancel']],
      ['grant_limit_exceeded', { total_limit_microcents: 999_999_999 }, ['pay', 'cancel']],
      ['grant_scope_missing', { payment_methods: ['card_saved'] }, []],
    ];
    /** What each way to a quote says of it: asking for one, reading it, listing all. */
    const lists = async (): Promise<string[][]> => {
      const asked = await agent.quote();
      const read = await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`);
      const { body } = await agent.get('/api/agent/v1/purchases');
      const listed = body.purchases.find((other: { quote_key: string }) => other.quote_key === listing.quote_key);
      return [asked.body, read.body, listed].map(namesOf);
    };
    for (const [code, less, instead] of narrowed) {
      await change(owner, key, less);
      expect(await lists(), code).toEqual([[], [], []]);
      const refused = await agent.authorize(quote.quote_key);
      expect([refused.status, refused.body.code, namesOf(refused.body)]).toEqual([403, code, instead]);
      await change(owner, key, everything);
    }
    await change(owner, key, { daily_limit_microcents: 1_000_000_000, total_limit_microcents: 1_000_000_000 });
    expect(await lists()).toEqual([['authorize'], ['authorize'], ['authorize']]);
    expect((await agent.authorize(quote.quote_key)).status).toBe(201);
    expect(await lists()).toEqual([[], [], []]);
    // Another day has room of its own under a daily limit, and none under a total one.
    service.advanceClock(86_400);
    expect((await agent.authorize((await agent.quote()).body.quote_key)).body.limit).toBe('total');
  });

  it('is told in a refusal what it may do instead, as far as it may know of the purchase', async () => {
    const { agent, owner, key } = await account();
    const jobKey = await agent.authorizedJob();
    await act(owner, key, 'pause', { paused: true });
    const refused = await agent.pay(jobKey);
    expect([refused.body.code, namesOf(refused.body)]).toEqual(['grant_scope_missing', ['cancel']]);
    const foreign = await (await account()).agent.authorizedJob();
    expect(Object.keys((await agent.pay(foreign)).body)).toEqual(Object.keys((await agent.pay('job_none')).body));
  });

  it('hears of a pause, and of its end, in the answer that it waits for', async () => {
    const { agent, owner, key } = await account();
    const jobKey = await agent.authorizedJob();
    const waitingFor = async (decide: () => Promise<unknown>) => {
      const asked = async () =>
        (await pool.query("select used from rate_counts where subject = $1 and limit_name = 'requests'", [key])).rows[0]
          .used;
      const before = await asked();
      const waiting = agent.job(jobKey, { prefer: 'wait=20', 'if-none-match': etag });
      await expect.poll(asked).toBeGreaterThan(before);
      await decide();
      service.advanceClock(20);
      return waiting;
    };
    const etag = (await agent.job(jobKey)).headers.get('etag') ?? '';
    const paused = await waitingFor(() => act(owner, key, 'pause', { paused: true }));
    expect([paused.status, namesOf(paused.body)]).toEqual([200, ['cancel']]);
    await act(owner, key, 'pause', { paused: false });
    const revoked = await waitingFor(() => act(owner, key, 'revoke'));
    expect([revoked.status, revoked.body.code]).toEqual([401, 'invalid_token']);
  });

  it('is refused with what is left when its limit is lowered while it buys', async () => {
    const { agent, owner, key } = await account();
    const [first, second] = [await agent.quote(), await agent.quote()];
    await agent.authorize(first.body.quote_key);
    // Hold the day's counter: the purchase has read the limit and waits while it is lowered.
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      'select 1 from grant_usage join grants using (grant_key) where principal_key = $1 for update of grant_usage',
      [key],
    );
    const buying = agent.authorize(second.body.quote_key);
    await expect
      .poll(
        async () => (await pool.query('select 1 from pg_stat_activity where wait_event_type = $1', ['Lock'])).rowCount,
      )
      .toBeGreaterThan(0);
    await change(owner, key, { daily_limit_microcents: 600_000_000 });
    await client.query('rollback');
    client.release();
    expect((await buying).body).toMatchObject({ code: 'grant_limit_exceeded', remaining_microcents: 100_000_000 });
  });

  it('is given more only by who has just signed in', async () => {
    const { agent, customer, owner, key } = await account();
    service.advanceClock(600);
    const more = [
      { per_job_limit_microcents: 1_000_000_001 },
      { daily_limit_microcents: 5_000_000_001 },
      { governed_refs: true },
    ];
    for (const grant of more) {
      const refused = await change(owner, key, grant);
      expect([refused.status, refused.body.code]).toEqual([403, 'fresh_sign_in_required']);
    }
    const less = { total_limit_microcents: 1_000_000_000, payment_methods: ['x402'], review_authority: false };
    expect((await change(owner, key, less)).body.grant).toMatchObject(less);
    for (const grant of [
      { total_limit_microcents: null },
      { payment_methods: ['card_saved'] },
      { review_authority: true },
    ]) {
      expect((await change(owner, key, grant)).body.code).toBe('fresh_sign_in_required');
    }
    const fresh = await Member.of(service, agent, customer.email);
    const raised = { per_job_limit_microcents: 2_000_000_000, total_limit_microcents: null, governed_refs: true };
    expect((await change(fresh, key, raised)).body.grant).toMatchObject(raised);
    expect((await change(fresh, key, { daily_limit_microcents: -1 })).status).toBe(422);
  });

  it('is revoked for good, with every credential it has or could fetch', async () => {
    const { agent, owner, key, registration } = await account();
    const quote = await agent.quote();
    await act(owner, key, 'release');
    expect((await act(owner, key, 'revoke')).body.state).toBe('revoked');
    expect((await agent.get('/api/agent/v1/me')).status).toBe(401);
    expect((await claim(agent, registration)).body.code).toBe('registration_expired');
    expect((await act(owner, key, 'revoke')).body.state).toBe('revoked');
    for (const what of ['release', 'pause', 'grant']) {
      const refused = await act(owner, key, what, what === 'pause' ? { paused: false } : {});
      expect([what, refused.status, refused.body.code]).toEqual([what, 409, 'action_not_allowed']);
    }
    // Its purchases stay with the account.
    expect((await owner.get(`/api/agent/v1/purchases/${quote.body.quote_key}`)).status).toBe(200);
  });

  it('fetches a new credential with its claim token when a member lets it, within half an hour', async () => {
    const { agent, owner, key, registration } = await account();
    expect((await claim(agent, registration)).body.code).toBe('credential_already_released');
    const allowed = await act(owner, key, 'release');
    expect(Date.parse(allowed.body.claim_until)).toBeGreaterThan(service.runtime.clock().getTime());
    const again = await claim(agent, registration);
    expect(again.status).toBe(200);
    expect((await claim(agent, registration)).body.code).toBe('credential_already_released');
    // The old one ends with the first use of the new one, not before.
    expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
    const renewed = newAgent(service);
    renewed.token = again.body.credential;
    expect((await renewed.get('/api/agent/v1/me')).body.principal.agent_key).toBe(key);
    expect((await agent.get('/api/agent/v1/me')).status).toBe(401);
    await act(owner, key, 'release');
    service.advanceClock(1_801);
    expect((await claim(agent, registration)).body.code).toBe('registration_expired');
  });

  it('loses a leaked key at once, and fetches another', async () => {
    const { agent, owner, key, registration } = await account();
    expect((await act(owner, key, 'release', { compromised: true })).status).toBe(200);
    expect((await agent.get('/api/agent/v1/me')).status).toBe(401);
    expect((await actions(owner, key)).slice(0, 2).toSorted()).toEqual(['credential_revoked', 'release_allowed']);
    const renewed = newAgent(service);
    renewed.token = (await claim(agent, registration)).body.credential;
    expect((await renewed.get('/api/agent/v1/me')).body.principal.agent_key).toBe(key);
  });

  it('that never received its credential gets one the same way', async () => {
    const { customer, registration, released } = await connectedAgent(service);
    service.advanceClock(901);
    await service.sweep();
    const { rows } = await pool.query('select account_key from principals where principal_key = $1', [
      released.body.agent_key,
    ]);
    const owner = await Member.ofAccount(service, rows[0].account_key, customer.email);
    await act(owner, released.body.agent_key, 'release');
    expect((await claim(newAgent(service), registration)).status).toBe(200);
  });
});

describe('an owner who signs in for the first time', () => {
  it('says of each agent whether to keep it', async () => {
    const { owner, customer, key } = await account();
    const second = newAgent(service);
    const registration = await register(second, customer.email, { mode: 'link_existing' });
    await owner.post(`/api/agent/v1/connections/${registration.body.registration_key}/decision`, {
      user_code: registration.body.user_code,
      decision: 'approve',
    });
    const other = registration.body.agent_key;
    const review = (body: Record<string, unknown>) => owner.post('/api/agent/v1/agents/review', body);
    // Don't keep an agent that came after the page was made.
    expect((await review({ keep: [key], revoke: [] })).body.code).toBe('action_not_allowed');
    expect((await review({ keep: [key], revoke: [other] })).body).toEqual({ kept: [key], revoked: [other] });
    const { body } = await owner.get('/api/agent/v1/agents');
    expect(body.review_due).toBe(false);
    expect(body.agents.map(({ agent_key, state }: Record<string, string>) => [agent_key, state]).toSorted()).toEqual(
      [
        [key, 'active'],
        [other, 'revoked'],
      ].toSorted(),
    );
  });
});

describe('a sign-in link', () => {
  const ask = (email: string) => newAgent(service).post('/api/agent/v1/members/sign-in-link', { email });

  it('is sent to who belongs to an account, and the answer is the same for everybody', async () => {
    const { customer } = await account();
    const nobody = new Customer(service);
    const answers = [await ask(customer.email.toUpperCase()), await ask(nobody.email)];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [202, '{"state":"sent_if_known"}'],
      [202, '{"state":"sent_if_known"}'],
    ]);
    const letter = await customer.newestLetter();
    expect(addressIn(letter.text)).toMatch(new RegExp(`^${service.baseUrl}/sign-in\\?link=[\\w-]{43}$`));
    expect(await nobody.letters()).toEqual([]);
  });

  it('comes five times an hour at most', async () => {
    const { customer } = await account();
    const before = (await customer.letters()).length;
    for (let time = 0; time < 8; time += 1) await ask(customer.email);
    expect((await customer.letters()).length - before).toBe(5);
  });
});
