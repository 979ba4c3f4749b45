import { describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../e2e/support/agent.ts';
import { Customer, claim, connectedAgent, newAgent, register } from '../../e2e/support/customer.ts';
import { linkIn, registrationFor } from '../../e2e/support/letter.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { sendLetter } from '../mail/send-letter.ts';
import { letters } from '../worker/letters.ts';
import { endSessionOfLink, sessionOfLink } from './session-link.ts';
import { readSignInLink, spendSignInLink } from './sign-in.ts';

const service = await startService({ TRUSTED_PROXIES: '1' });
const { db, clock } = service.runtime;
const anybody = newAgent(service);

/** Somebody at an address of this block. */
const at = (block: number) => ({ 'x-forwarded-for': `203.0.${block}.7` });
const askToSignIn = (email: string, block: number, next?: string): Promise<Answer> =>
  anybody.post('/api/agent/v1/members/sign-in-link', { email, ...(next ? { next } : {}) }, at(block));
const signInLinks = async (customer: Customer): Promise<string[]> =>
  (await customer.letters()).filter(({ subject }) => subject.includes('sign-in link')).map(({ text }) => linkIn(text));
const spend = (link: string, block: number) =>
  spendSignInLink(service.runtime, link, clock(), { origin: `203.0.${block}.0/24`, browser: 'Firefox', marks: null });

async function account() {
  const { agent, customer, registration } = await connectedAgent(service);
  await agent.get('/api/agent/v1/me');
  const key: string = registration.body.agent_key;
  return { agent, customer, registration, key, owner: await Member.of(service, agent, customer.email) };
}

describe('whatever gives an agent power', () => {
  it('needs a sign-in of the last 10 minutes, and taking it away needs none', async () => {
    const { agent, customer, owner, key } = await account();
    const asked = await register(newAgent(service), customer.email, { mode: 'link_existing' });
    const { registration_key, user_code } = asked.body;
    await owner.post(`/api/agent/v1/agents/${key}/pause`, { paused: true });
    service.advanceClock(600);
    const giving = (member: Client): Promise<Answer>[] => [
      member.post(`/api/agent/v1/connections/${registration_key}/decision`, { user_code, decision: 'approve' }),
      member.post(`/api/agent/v1/agents/${key}/pause`, { paused: false }),
      member.post(`/api/agent/v1/agents/${key}/release`),
    ];
    for (const refused of await Promise.all(giving(owner))) {
      expect([refused.status, refused.body.code]).toEqual([403, 'fresh_sign_in_required']);
    }
    expect((await owner.post(`/api/agent/v1/agents/${key}/pause`, { paused: true })).status).toBe(200);
    const fresh = await Member.of(service, agent, customer.email);
    for (const done of await Promise.all(giving(fresh))) expect(done.status).toBe(200);
    service.advanceClock(-600);
  });
});

describe('letters that strangers ask for', () => {
  it('do not keep the owner from signing in', async () => {
    const { customer } = await account();
    for (let count = 0; count < 12; count += 1) await askToSignIn(customer.email, 1);
    const before = (await signInLinks(customer)).length;
    expect(before).toBe(5);
    await askToSignIn(customer.email, 2);
    const after = await signInLinks(customer);
    expect(after.length - before).toBe(1);
    expect(await spend(after[0] ?? '', 2)).not.toBeNull();
  });

  it('from ever more places leave a place alone that the member has signed in from', async () => {
    const { customer } = await account();
    await askToSignIn(customer.email, 10);
    await spend((await signInLinks(customer))[0] ?? '', 10);
    for (let block = 20; block < 26; block += 1) {
      for (let count = 0; count < 4; count += 1) await askToSignIn(customer.email, block);
    }
    const flooded = (await signInLinks(customer)).length;
    await askToSignIn(customer.email, 30);
    expect(await signInLinks(customer)).toHaveLength(flooded);
    await askToSignIn(customer.email, 10);
    expect(await signInLinks(customer)).toHaveLength(flooded + 1);
  });

  it('leave nobody without a link that works, even from the same place', async () => {
    const { customer } = await account();
    for (let count = 0; count < 8; count += 1) await askToSignIn(customer.email, 40);
    await signInLinks(customer);
    service.advanceClock(901);
    await askToSignIn(customer.email, 40);
    const [newest = ''] = await signInLinks(customer);
    expect((await readSignInLink(db, newest, clock())).state).toBe('good');
    service.advanceClock(-901);
  });

  it('carry the link that is outstanding, so the first letter works as well as the last', async () => {
    const { customer } = await account();
    await askToSignIn(customer.email, 50);
    await askToSignIn(customer.email, 51);
    const links = await signInLinks(customer);
    expect(links).toHaveLength(2);
    expect(new Set(links).size).toBe(1);
    expect(await spend(links[0] ?? '', 50)).not.toBeNull();
    expect(await spend(links[1] ?? '', 50)).toBeNull();
    await askToSignIn(customer.email, 50);
    expect((await signInLinks(customer))[0]).not.toBe(links[0]);
  });

  it('about agents do not use up what an agent of the owner needs', async () => {
    const customer = new Customer(service);
    const asked = (block: number) =>
      anybody.post('/api/agent/v1/registrations', registrationFor(customer.email), at(block));
    for (let count = 0; count < 6; count += 1) await asked(60);
    expect(await customer.letters()).toHaveLength(3);
    await asked(61);
    expect(await customer.letters()).toHaveLength(4);
  });

  it('do not hide the request of the owner: it is found by its code among any number', async () => {
    const { customer, owner } = await account();
    const own = await register(anybody, customer.email, { mode: 'link_existing', agent: { name: 'Mine' } });
    await Promise.all(Array.from({ length: 101 }, () => register(anybody, customer.email, { mode: 'link_existing' })));
    const found = await owner.post('/api/agent/v1/connections', { user_code: own.body.user_code });
    expect([found.status, found.body.agent?.name]).toEqual([200, 'Mine']);
  });
});

describe('a sign-in', () => {
  it('leads to the page that was wanted, and never away from the service', async () => {
    const { customer } = await account();
    const wanted = '/reports/job_1?report_digest=sha256%3A0';
    await askToSignIn(customer.email, 70, wanted);
    expect((await spend((await signInLinks(customer))[0] ?? '', 70))?.next).toBe(wanted);
    for (const next of [
      '//evil.example',
      'https://evil.example/agents',
      '/\\evil.example',
      '/agents/../api/agent/v1/me',
      '/sign-out',
      'agents',
      '/agents\n//evil.example',
    ]) {
      const refused = await askToSignIn(customer.email, 70, next);
      expect([next, refused.status, refused.body.errors?.[0].pointer]).toEqual([next, 422, '/next']);
    }
  });

  it('is listed where it was made, and ended everywhere', async () => {
    const { customer, owner, agent } = await account();
    await askToSignIn(customer.email, 80);
    await spend((await signInLinks(customer))[0] ?? '', 80);
    const elsewhere = await Member.of(service, agent, customer.email);
    const { body } = await owner.get('/api/agent/v1/members/me');
    expect(body.email).toBe(customer.email);
    expect(body.sessions).toHaveLength(3);
    expect(body.sessions).toContainEqual(expect.objectContaining({ origin: '203.0.80.0/24', browser: 'Firefox' }));
    expect(body.sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const firefox = body.sessions.find(({ browser }: { browser: string }) => browser === 'Firefox');
    const one = await owner.post('/api/agent/v1/members/sessions/end', { session_key: firefox.session_key });
    expect(one.body.sessions).toHaveLength(2);
    const rest = await owner.post('/api/agent/v1/members/sessions/end');
    expect(rest.body.sessions).toEqual([expect.objectContaining({ current: true })]);
    expect((await elsewhere.get('/api/agent/v1/agents')).status).toBe(401);
    const stranger = (await account()).owner;
    const foreign = rest.body.sessions[0].session_key;
    await stranger.post('/api/agent/v1/members/sessions/end', { session_key: foreign });
    expect((await owner.get('/api/agent/v1/agents')).status).toBe(200);
  });
});

describe('a sign-in with a new browser', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
  const told = async (customer: Customer) =>
    (await customer.letters()).filter(({ subject }) => subject.startsWith('New browser signed in'));
  /** Signs in at our page, and returns what the browser keeps from then on. */
  async function signIn(customer: Customer, marks: string | null, browser = chrome) {
    await askToSignIn(customer.email, 95);
    const [link = ''] = await signInLinks(customer);
    const session = await spendSignInLink(service.runtime, link, clock(), { origin: '203.0.95.0/24', browser, marks });
    if (session === null) throw new Error('the link does not work');
    return session;
  }

  it('is told once, in words and with a link that ends it; the first sign-in and a known browser are not', async () => {
    const { customer } = await connectedAgent(service);
    const first = await signIn(customer, null);
    expect(await told(customer)).toEqual([]);
    const again = await signIn(customer, first.marks);
    expect(await told(customer)).toEqual([]);
    await signIn(customer, null);
    const [letter, ...others] = await told(customer);
    expect(others).toEqual([]);
    expect(letter?.text).toMatch(
      /^Somebody signed in to Work Check as you, with Chrome on Linux, on \d+ \w{3} 20\d\d, \d\d:\d\d UTC\./,
    );
    expect(letter?.text).toContain(`End this sign-in:\n${service.baseUrl}/sign-in/end?link=`);
    await signIn(customer, again.marks);
    expect(await told(customer)).toHaveLength(1);
  });

  it('is ended by that link alone, at once and however often, and its browser is new again', async () => {
    const { customer, owner } = await account();
    const theirs = await signIn(customer, null);
    const other = await signIn(customer, null, 'Evil https://evil.example <b>');
    const [letter] = await told(customer);
    expect(letter?.text).not.toContain('https://evil.example');
    const link = linkIn(letter?.text ?? '');
    const sessions = async () =>
      (await owner.get('/api/agent/v1/members/me')).body.sessions.map(
        (one: { session_key: string }) => one.session_key,
      );
    expect(await sessionOfLink(service.runtime, link, clock())).toMatchObject({ email: customer.email, isOver: false });
    expect(await sessions()).toContain(other.sessionKey);
    await endSessionOfLink(service.runtime, `${theirs.sessionKey}.${link.split('.')[1]}`, clock());
    expect(await sessions()).toContain(theirs.sessionKey);
    for (let press = 0; press < 2; press += 1) await endSessionOfLink(service.runtime, link, clock());
    expect(await sessions()).not.toContain(other.sessionKey);
    expect(await sessions()).toContain(theirs.sessionKey);
    expect(await sessionOfLink(service.runtime, link, clock())).toMatchObject({ isOver: true });
    const before = (await told(customer)).length;
    await signIn(customer, theirs.marks);
    expect(await told(customer)).toHaveLength(before);
    await signIn(customer, other.marks);
    expect(await told(customer)).toHaveLength(before + 1);
  });

  it('is told whatever marks a browser invents, or has of somebody else', async () => {
    const [{ customer }, stranger] = [await account(), await account()];
    const [own, foreign] = [await signIn(customer, null), await signIn(stranger.customer, null)];
    const before = (await told(customer)).length;
    for (const marks of [foreign.marks, `${own.sessionKey}.AAAA`, own.marks.slice(0, -2), '~.~', own.sessionKey]) {
      await signIn(customer, marks);
    }
    expect(await told(customer)).toHaveLength(before + 5);
  });
});

describe('a letter that no room writes', () => {
  it('stays with the queue: a newer process may have asked for it', async () => {
    await expect(sendLetter(service.runtime, letters, { kind: 'unheard_of' })).rejects.toThrow(/unheard_of/);
  });
});

describe('a sign-in link that an operator made', () => {
  it('is told to the owner by letter', async () => {
    const { customer, owner } = await account();
    const message = {
      kind: 'operator_link',
      request_key: 'req_1',
      account_key: owner.accountKey,
      email: 'new@example.com',
    };
    await sendLetter(service.runtime, letters, message);
    const letter = await customer.newestLetter();
    expect([letter.subject, letter.text.includes('new@example.com')]).toEqual([
      'A sign-in link was made for your Work Check account',
      true,
    ]);
  });
});

describe('a blocked network', () => {
  it('is shown to the member with how long it silences, and lifted again', async () => {
    const customer = new Customer(service);
    const asked = () => anybody.post('/api/agent/v1/registrations', registrationFor(customer.email), at(90));
    await asked();
    const { link } = await customer.newestLetter();
    await anybody.post('/api/agent/v1/confirmations/decision', { link, decision: 'block' });
    await asked();
    expect(await customer.letters()).toHaveLength(1);
    const agent = newAgent(service);
    const registration = await register(agent, customer.email);
    agent.token = (await claim(agent, registration, (await customer.newestLetter()).code)).body.credential;
    const owner = await Member.of(service, agent, customer.email);
    const { silenced } = (await owner.get('/api/agent/v1/members/me')).body;
    expect(silenced).toEqual([{ origin: '203.0.90.0/24', since: expect.any(String), until: expect.any(String) }]);
    expect(Date.parse(silenced[0].until) - Date.parse(silenced[0].since)).toBe(86_400_000);
    const lifted = await owner.post('/api/agent/v1/members/silences/lift', { origin: silenced[0].origin });
    expect(lifted.body.silenced).toEqual([]);
    const before = (await customer.letters()).length;
    await asked();
    expect((await customer.letters()).length - before).toBe(1);
  });
});
