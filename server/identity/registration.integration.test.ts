import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Customer, claim, connectedAgent, newAgent, queuedLetters, register } from '../../e2e/support/customer.ts';
import { linkIn, registrationFor } from '../../e2e/support/letter.ts';
import { startService } from '../../e2e/support/service.ts';
import { controlClient } from '../../sandbox/control-client.ts';
import { sendLetter } from '../mail/send-letter.ts';
import { defaultGrant, service as terms } from '../service/terms.ts';
import { letters } from '../worker/letters.ts';
import { forgetStrangers } from './forget.ts';

const service = await startService();
const agent = newAgent(service);
const { pool } = service.database;
const count = async (text: string, values: unknown[] = []) => Number((await pool.query(text, values)).rows[0].count);
const decide = (link: string, decision: string) =>
  agent.post('/api/agent/v1/confirmations/decision', { link, decision });
const confirmation = (link: string) => agent.post('/api/agent/v1/confirmations', { link });

describe('a new customer', () => {
  it('is asked by letter, confirms by its link, and the agent gets its credential and buys', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    expect([registration.status, registration.headers.get('cache-control')]).toEqual([202, 'no-store']);
    expect(registration.body).toMatchObject({
      mode: 'new_customer',
      state: 'pending_confirmation',
      expires_in: 1_800,
      code_expires_in: 600,
      requested_grant: { per_job_limit_microcents: 1_000_000_000, total_limit_microcents: null, governed_refs: false },
    });
    const pending = await claim(agent, registration);
    expect([pending.status, pending.body, pending.headers.get('retry-after')]).toEqual([
      202,
      { state: 'pending_confirmation' },
      '5',
    ]);

    const letter = await customer.newestLetter();
    for (const words of ['Procurement Assistant', '10.00 USD a check', '50.00 USD a day', terms.termsVersion]) {
      expect(letter.text).toContain(words);
    }
    // A mail scanner may follow the link often: that decides nothing.
    for (let look = 0; look < 3; look += 1) {
      const { body } = await confirmation(letter.link);
      expect(body).toMatchObject({ state: 'pending_confirmation', email: customer.email, code: letter.code });
    }
    expect((await claim(agent, registration)).status).toBe(202);
    expect((await decide(letter.link, 'confirm')).body).toEqual({ state: 'confirmed', repeated: false });
    expect((await decide(letter.link, 'confirm')).body).toEqual({ state: 'confirmed', repeated: true });

    const released = await claim(agent, registration);
    expect([released.status, released.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(released.body.grant).toEqual({
      ...defaultGrant,
      per_job_limit_microcents: 1_000_000_000,
      daily_limit_microcents: 5_000_000_000,
      approval_above_microcents: null,
      expires_at: null,
      may_ask_above_limits: false,
      paused: false,
    });
    const buyer = newAgent(service);
    buyer.token = released.body.credential;
    const me = await buyer.get('/api/agent/v1/me');
    expect(me.body).toMatchObject({
      principal: { kind: 'agent', agent_key: registration.body.agent_key, name: 'Procurement Assistant' },
      account_key: released.body.account_key,
      credential: { credential_key: released.body.credential_key },
    });
    expect((await buyer.quote()).status).toBe(201);
  });

  it('confirms by reading the code to the agent', async () => {
    const { released, agent: buyer } = await connectedAgent(service);
    expect(released.status).toBe(200);
    expect((await buyer.get('/api/agent/v1/me')).status).toBe(200);
  });

  it('declines, and the agent is told', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    const { link, code } = await customer.newestLetter();
    expect((await decide(link, 'decline')).body).toEqual({ state: 'declined', repeated: false });
    const refused = await claim(agent, registration, code);
    expect([refused.status, refused.body.code]).toEqual([403, 'registration_declined']);
    expect((await decide(link, 'confirm')).body.code).toBe('action_not_allowed');
    expect(await count('select count(*) from members where email = $1', [customer.email])).toBe(0);
  });

  it('sets limits while confirming, none above what was asked', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    const { link } = await customer.newestLetter();
    const decideWith = (grant: object) =>
      agent.post('/api/agent/v1/confirmations/decision', { link, decision: 'confirm', grant });
    const raised = await decideWith({ daily_limit_microcents: 5_000_000_001 });
    expect([raised.status, raised.body.code]).toEqual([409, 'action_not_allowed']);
    const once = {
      per_job_limit_microcents: 500_000_000,
      total_limit_microcents: 500_000_000,
      payment_methods: ['x402'],
    };
    expect((await decideWith(once)).body).toEqual({ state: 'confirmed', repeated: false });
    const look = () => agent.post('/api/agent/v1/confirmations', { link });
    expect((await look()).body.fetched).toBe(false);
    expect((await claim(agent, registration)).body.grant).toMatchObject({
      ...once,
      daily_limit_microcents: 5_000_000_000,
    });
    expect((await look()).body).toMatchObject({ state: 'confirmed', fetched: true });
  });

  it('declines and can be asked again', async () => {
    const customer = new Customer(service);
    await register(agent, customer.email);
    await decide((await customer.newestLetter()).link, 'decline');
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(2);
  });

  it('is not written to for a day from a network that it blocked, undoes that with the same letter, and hears from elsewhere', async () => {
    const customer = new Customer(service);
    await register(agent, customer.email);
    const { link } = await customer.newestLetter();
    expect((await decide(link, 'block')).body).toEqual({ state: 'declined', repeated: false });
    const { blocked_until } = (await agent.post('/api/agent/v1/confirmations', { link })).body;
    expect(Date.parse(blocked_until) - Date.now()).toBeGreaterThan(86_000_000);
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(1);
    await decide(link, 'unblock');
    expect((await agent.post('/api/agent/v1/confirmations', { link })).body.blocked_until).toBeNull();
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(2);
    await decide(link, 'block');
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(2);
    await pool.query(`update registrations set origin = '198.51.100.0/24' where email = $1`, [customer.email]);
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(3);
  });

  it('may ask for less than the default, and for nothing more', async () => {
    const less = {
      payment_methods: ['x402'],
      per_job_limit_microcents: 500_000_000,
      total_limit_microcents: 2_000_000_000,
      review_authority: false,
    };
    const { released } = await connectedAgent(service, { requested_grant: less });
    expect(released.body.grant).toMatchObject(less);
    for (const [field, value] of Object.entries({
      per_job_limit_microcents: 1_000_000_001,
      daily_limit_microcents: 5_000_000_001,
      governed_refs: true,
      payment_methods: ['cash'],
      service_keys: ['svc_other'],
    })) {
      const refused = await register(agent, 'more@example.com', { requested_grant: { [field]: value } });
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([
        422,
        expect.stringContaining(`/requested_grant/${field}`),
      ]);
    }
  });

  it('gets one account however many confirmations race', async () => {
    const customer = new Customer(service);
    const registrations = await Promise.all([1, 2, 3].map(() => register(agent, customer.email)));
    const letters = await customer.letters();
    const links = letters.map(({ text }) => linkIn(text));
    const decisions = await Promise.all(links.map((link) => decide(link, 'confirm')));
    expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await count('select count(*) from members where email = $1', [customer.email])).toBe(1);
    const claims = await Promise.all(registrations.map((registration) => claim(agent, registration)));
    expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 202, 202]);
  });
});

describe('the terms', () => {
  it('must be the current ones', async () => {
    const refused = await register(agent, 'terms@example.com', { terms_version: '2020-01-01' });
    expect([refused.status, refused.body.code]).toEqual([409, 'terms_version_mismatch']);
  });
});

describe('an address', () => {
  it('is one literal address and nothing else', async () => {
    const hostile = [
      '"a@evil.example"@example.com',
      'a@example.com,b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'a＠example.com',
      'a@exämple.com',
      `${'a'.repeat(250)}@example.com`,
      'Ada <ada@example.com>',
      '',
    ];
    for (const email of hostile) {
      const refused = await register(agent, email);
      expect([email, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([email, 422, '/email']);
    }
  });

  it('that has an account hears so by letter, and nobody else hears anything', async () => {
    const { customer, agent: connected, released } = await connectedAgent(service);
    await connected.get('/api/agent/v1/me');
    const accounts = await count('select count(*) from accounts');
    const known = await register(agent, customer.email);
    const unknown = await register(agent, new Customer(service).email);
    const told = ({ body, headers, status }: typeof known) => ({
      status,
      fields: Object.entries(body).map(([name, value]) => [name, typeof value, String(value).length]),
      headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name)),
    });
    expect(told(known)).toEqual(told(unknown));
    const letter = await customer.newestLetter();
    expect([letter.subject, letter.code]).toEqual(['An agent asked for a new Work Check account', '']);
    expect(letter.text).toContain('/connect');
    const first = await claim(agent, known, '000000');
    const second = await claim(agent, unknown, '000000');
    expect([first.status, first.body.detail]).toEqual([second.status, second.body.detail]);
    expect((await claim(agent, known)).body).toEqual((await claim(agent, unknown)).body);
    expect(await count('select count(*) from accounts')).toBe(accounts);
    expect(released.status).toBe(200);
  });

  it('gets three letters an hour at most, and the agent the same answer to each request', async () => {
    const customer = new Customer(service);
    const answers = await Promise.all(Array.from({ length: 40 }, () => register(agent, customer.email)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
    expect(await customer.letters()).toHaveLength(3);
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(3);
    service.advanceClock(3_601);
    await register(agent, customer.email);
    expect(await customer.letters()).toHaveLength(4);
  });

  it('gets its letter although the mail server refuses the first try', async () => {
    const customer = new Customer(service);
    await register(agent, customer.email);
    const control = controlClient(service.sandbox.controlUrl);
    await control.mailFault({ mode: 'refuse', code: 451 });
    const [message] = await queuedLetters(service);
    if (!message) throw new Error('no letter was asked for');
    await expect(sendLetter(service.runtime, letters, message)).rejects.toThrow();
    await sendLetter(service.runtime, letters, message);
    // The queue may deliver a message twice.
    await sendLetter(service.runtime, letters, message);
    expect(await control.mail(customer.email)).toHaveLength(1);
  });
});

describe('a name that the agent gives', () => {
  it('is shown as what it is, and no link', async () => {
    const customer = new Customer(service);
    const name = 'Bank <a href="https://evil.example">log in</a> https://evil.example';
    await register(agent, customer.email, { agent: { name } });
    const { html, text } = await customer.newestLetter();
    expect(html.match(/<a [^>]*href="(?!http:\/\/127\.0\.0\.1)/g)).toBeNull();
    expect(html + text).not.toContain('https://evil.example');
    for (const bad of ['two\nlines', 'bell\u0007', 'right\u202eleft', ' ', '']) {
      expect((await register(agent, customer.email, { agent: { name: bad } })).status).toBe(422);
    }
  });
});

describe('the code', () => {
  it('is compared five times of two hundred parallel tries', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    const { code } = await customer.newestLetter();
    const wrong = Array.from({ length: 200 }, (_, index) => String((Number(code) + index + 1) % 1_000_000));
    const answers = await Promise.all(wrong.map((guess) => claim(agent, registration, guess.padStart(6, '0'))));
    const remaining = answers.map(({ body }) => body.attempts_remaining);
    expect(answers.every(({ status, body }) => status === 422 && body.code === 'code_invalid')).toBe(true);
    expect(remaining.filter((left) => left > 0).toSorted()).toEqual([1, 2, 3, 4]);
    // The right one comes too late; the link does not.
    expect((await claim(agent, registration, code)).body).toMatchObject({
      code: 'code_invalid',
      attempts_remaining: 0,
    });
    const { link } = await customer.newestLetter();
    expect((await decide(link, 'confirm')).status).toBe(200);
    expect((await claim(agent, registration)).status).toBe(200);
  });

  it('works for its own registration, for ten minutes, once', async () => {
    const [one, other] = [new Customer(service), new Customer(service)];
    const [first, second] = [await register(agent, one.email), await register(agent, other.email)];
    const { code } = await one.newestLetter();
    await other.newestLetter();
    expect((await claim(agent, second, code)).body.code).toBe('code_invalid');
    service.advanceClock(601);
    expect((await claim(agent, first, code)).body.code).toBe('code_invalid');
    const third = await register(agent, one.email);
    const fresh = await one.newestLetter();
    expect((await claim(agent, third, `${fresh.code.slice(0, 3)} ${fresh.code.slice(3)}`)).status).toBe(200);
    expect((await claim(agent, third, fresh.code)).body.code).toBe('credential_already_released');
  });

  it('that was never sent confirms nothing, even when guessed', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    const { code } = await customer.newestLetter();
    await pool.query('update registrations set code_mailed_at = null where registration_key = $1', [
      registration.body.registration_key,
    ]);
    expect((await claim(agent, registration, code)).body.code).toBe('code_invalid');
  });
});

describe('a credential', () => {
  it('is in one answer of a hundred parallel claims, and at rest only as a hash', async () => {
    const customer = new Customer(service);
    const registration = await register(agent, customer.email);
    await decide((await customer.newestLetter()).link, 'confirm');
    const answers = await Promise.all(Array.from({ length: 100 }, () => claim(agent, registration)));
    const carrying = answers.filter(({ text }) => text.includes('svc_agent_'));
    expect(carrying).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'credential_already_released')).toHaveLength(99);
    const secrets = [carrying[0]?.body.credential, registration.body.claim_token];
    const tables = ['credentials', 'registrations', 'idempotency_requests', 'account_events', 'letters'];
    for (const table of [...tables, 'pgboss.job']) {
      const { rows } = await pool.query(`select t::text as row from ${table} t`);
      for (const secret of secrets) expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
    }
  });

  it('that nobody uses within 15 minutes is void, and the sweep writes it down', async () => {
    const { agent: late, released } = await connectedAgent(service);
    const { agent: early } = await connectedAgent(service);
    expect((await early.get('/api/agent/v1/me')).status).toBe(200);
    service.advanceClock(901);
    expect((await late.get('/api/agent/v1/me')).body.code).toBe('invalid_token');
    await service.sweep();
    expect((await early.get('/api/agent/v1/me')).status).toBe(200);
    const { rows } = await pool.query('select revoked_at from credentials where credential_key = $1', [
      released.body.credential_key,
    ]);
    expect(rows[0].revoked_at).not.toBeNull();
    expect(
      await count(`select count(*) from account_events where action = 'credential_revoked' and principal_key = $1`, [
        released.body.agent_key,
      ]),
    ).toBe(1);
  });

  it('is not fetched with another key, or from another registration', async () => {
    const [one, other] = [await register(agent, 'one@example.com'), await register(agent, 'other@example.com')];
    const crossed = { ...one, body: { ...one.body, claim_token: other.body.claim_token } };
    expect((await claim(agent, crossed)).body.code).toBe('not_found');
    const inAddress = await agent.post(
      `/api/agent/v1/registrations/${one.body.registration_key}/claim?t=${one.body.claim_token}`,
    );
    expect(inAddress.body.code).toBe('credential_in_url');
  });
});

describe('a registration', () => {
  it('ends after half an hour, and so does what was confirmed and not fetched', async () => {
    const [one, other] = [new Customer(service), new Customer(service)];
    const [first, second] = [await register(agent, one.email), await register(agent, other.email)];
    const { link } = await one.newestLetter();
    await decide((await other.newestLetter()).link, 'confirm');
    service.advanceClock(1_801);
    expect([(await claim(agent, first)).body.code, (await claim(agent, second)).body.code]).toEqual([
      'registration_expired',
      'registration_expired',
    ]);
    expect((await decide(link, 'confirm')).body.code).toBe('registration_expired');
    expect((await confirmation(link)).body).toMatchObject({ state: 'expired', code: null });
  });

  it('that is repeated under its key makes no second one, and gives its secret no second time', async () => {
    const customer = new Customer(service);
    const body = registrationFor(customer.email, { idempotency_key: randomUUID() });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => agent.post('/api/agent/v1/registrations', body)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(19).fill(410)]);
    expect(answers.find(({ status }) => status === 410)?.body.code).toBe('credential_already_released');
    expect(await count('select count(*) from registrations where email = $1', [customer.email])).toBe(1);
  });

  it('that came to nothing is forgotten after 30 days, and one that did is not', async () => {
    const { customer: kept } = await connectedAgent(service);
    const gone = new Customer(service);
    await register(agent, gone.email);
    await gone.letters();
    service.advanceClock(30 * 86_400 + 1_801);
    await forgetStrangers(service.runtime);
    const left = 'select count(*) from registrations where email = $1';
    expect([await count(left, [gone.email]), await count(left, [kept.email])]).toEqual([0, 1]);
    expect(await count('select count(*) from letters where address = $1', [gone.email])).toBe(0);
  });
});
