import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { Agent, type Answer } from '../support/agent.ts';
import { codeIn, linkIn, registrationFor } from '../support/letter.ts';
import { type Act, type AppPoint, count, keyed } from './app-points.ts';
import type { Request, Stage } from './stage.ts';

/** A caller without a credential. */
export const newcomer = (stage: Stage): Agent => new Agent(stage.stack.baseUrl, `0x${'1'.repeat(64)}`);

const registrations = '/api/agent/v1/registrations';
export const newAddress = (): string => `${randomUUID()}@example.com`;
export const asking = (email: string): Request => keyed(registrations, registrationFor(email));

/** The texts of received letters, newest first; waits for the first. */
export function letters(stage: Stage, email: string): Promise<string[]> {
  const { mail } = controlClient(stage.stack.sandboxUrl);
  return stage.eventually(async () => {
    const found = (await mail(email)).map(({ text }) => text);
    return found.length > 0 && found;
  });
}

const claimOf = ({ registration_key, claim_token }: Answer['body'], code?: string): Request =>
  keyed(`${registrations}/${registration_key}/claim`, { claim_token, ...(code ? { code } : {}) });

/** The customer reads the letter's code to the agent, which claims with it. */
export async function claimByCode(stage: Stage, agent: Agent, registration: Answer, email: string): Promise<void> {
  const released = await stage.eventually(async () => {
    // A registration whose answer was lost still has its own letter.
    for (const text of await letters(stage, email)) {
      const answer = await stage.send(agent, claimOf(registration.body, codeIn(text)));
      if (answer.status === 200) return answer;
      expect(answer.body.code).toBe('code_invalid');
    }
    return null;
  });
  await worksWith(agent, released.body.credential);
}

/** The agent has exactly one working credential. */
async function worksWith(agent: Agent, credential: string): Promise<void> {
  agent.token = credential;
  expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
}

/** An agent registers. If the answer, which holds a secret, is lost, it registers again. */
const registering: Act = {
  arrive: async (stage) => newcomer(stage),
  request: async () => asking(newAddress()),
  async ended(agent, stage, answer, { body }) {
    const email = String(body.email);
    const registration = answer.status === 202 ? answer : await stage.send(agent, asking(email));
    await claimByCode(stage, agent, registration, email);
    expect(await count(stage, 'members where email = $1', email)).toBe(1);
  },
};

/** A registered agent and its letter. */
async function registered(agent: Agent, stage: Stage): Promise<{ email: string; registration: Answer; text: string }> {
  const email = newAddress();
  const registration = await stage.send(agent, asking(email));
  const [text = ''] = await letters(stage, email);
  return { email, registration, text };
}

/** The customer confirms with the letter's link. */
const confirming: Act = {
  arrive: async (stage) => newcomer(stage),
  async request(agent, stage) {
    const { text } = await registered(agent, stage);
    return keyed('/api/agent/v1/confirmations/decision', { link: linkIn(text), decision: 'confirm' });
  },
  async ended(_agent, stage, { body }, request) {
    expect(body.state).toBe('confirmed');
    const [key = ''] = String(request.body.link).split('.');
    const made = 'registrations join members using (email, account_key) where registration_key = $1';
    expect(await count(stage, `${made} and state = 'confirmed'`, key)).toBe(1);
  },
};

/** The agent claims by code. If the credential is lost, it claims again after the customer allows it. */
const claiming: Act = {
  arrive: async (stage) => newcomer(stage),
  async request(agent, stage) {
    const { registration, text } = await registered(agent, stage);
    return claimOf(registration.body, codeIn(text));
  },
  async ended(agent, stage, answer, request) {
    const [, registrationKey = ''] = /registrations\/(\w+)\/claim/.exec(request.path) ?? [];
    if (answer.status === 200) await worksWith(agent, answer.body.credential);
    else {
      const { rows } = await stage.database.query<{ agent_key: string; email: string }>(
        'select agent_key, email from registrations where registration_key = $1',
        [registrationKey],
      );
      await allowAgain(stage, rows[0]?.email ?? '', rows[0]?.agent_key ?? '');
      const again = await stage.send(agent, request);
      expect(again.status).toBe(200);
      await worksWith(agent, again.body.credential);
    }
    const alive = 'credentials join registrations on agent_key = principal_key where registration_key = $1';
    expect(await count(stage, `${alive} and revoked_at is null`, registrationKey)).toBe(1);
  },
};

/** An agent connected to somebody's account. */
export async function connected(stage: Stage): Promise<{ agent: Agent; email: string }> {
  const agent = newcomer(stage);
  const { email, registration } = await registered(agent, stage);
  await claimByCode(stage, agent, registration, email);
  return { agent, email };
}

/** A customer who is signed in: what their browser sends, and how it posts. */
interface SignedIn {
  headers: { origin: string; cookie: string };
  post(path: string): Promise<{ status: number; json(): Promise<unknown> }>;
}

/** Signs a customer in by letter. */
export async function signedIn(stage: Stage, email: string): Promise<SignedIn> {
  const { baseUrl } = stage.stack;
  const headers = { origin: baseUrl };
  const post = (path: string, init: RequestInit) =>
    fetch(`${baseUrl}${path}`, { method: 'POST', redirect: 'manual', ...init });
  // A letter about what happened before may come after it.
  const before = new Set(await letters(stage, email));
  await post('/sign-in/request', { headers, body: new URLSearchParams({ email }) });
  const link = await stage.eventually(async () => {
    const fresh = (await letters(stage, email)).find((text) => text.includes('/sign-in?') && !before.has(text));
    return fresh !== undefined && linkIn(fresh);
  });
  const confirmed = await post('/sign-in/confirm', { headers, body: new URLSearchParams({ link }) });
  const [cookie = ''] = (confirmed.headers.get('set-cookie') ?? '').split(';');
  return {
    headers: { ...headers, cookie },
    post: (path) => post(path, { headers: { ...headers, cookie, 'content-type': 'application/json' }, body: '{}' }),
  };
}

/** The customer lets the agent fetch its credential again. */
async function allowAgain(stage: Stage, email: string, agentKey: string): Promise<void> {
  const member = await signedIn(stage, email);
  expect((await member.post(`/api/agent/v1/agents/${agentKey}/release`)).status).toBe(200);
}

/** An agent rotates its credential. If the answer is lost, it asks again with the old one, which still works. */
const rotating: Act = {
  arrive: async (stage) => (await connected(stage)).agent,
  request: async () => keyed('/api/agent/v1/credentials/rotate', { grace_period_seconds: 0 }),
  async ended(agent, stage, answer, request) {
    const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
    const rotated = answer.status === 201 ? answer : await stage.send(agent, keyed(request.path, request.body));
    expect(rotated.status).toBe(201);
    await worksWith(agent, rotated.body.credential);
    const alive = 'credentials where principal_key = $1 and revoked_at is null';
    expect(await count(stage, `${alive} and (expires_at is null or expires_at > now())`, agent_key)).toBe(1);
  },
};

/** An owner closes the account, which has an unpaid job. Whoever asks again is signed out by the first time. */
const closing: Act = {
  repeated: 401,
  arrive: async (stage) => newcomer(stage),
  async request(_agent, stage) {
    const { agent, email } = await connected(stage);
    await agent.authorizedJob();
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    const { headers } = await signedIn(stage, email);
    return { path: `/api/agent/v1/accounts/${account_key}/close`, body: {}, headers };
  },
  async ended(_agent, stage, _answer, { path }) {
    const accountKey = path.split('/').at(-2) ?? '';
    const of = (what: string) => count(stage, `${what} and account_key = $1`, accountKey);
    expect(await of('accounts where closed_at is not null')).toBe(1);
    expect(await of("account_events where action = 'account_closed'")).toBe(1);
    expect(await of('members where removed_at is null')).toBe(0);
    expect(await of('principals where revoked_at is null')).toBe(0);
    await stage.eventually(async () => (await of("jobs where state = 'canceled'")) === 1);
    const { rows } = await stage.database.query<{ email: string }>('select email from members where account_key = $1', [
      accountKey,
    ]);
    const told = async () =>
      (await letters(stage, rows[0]?.email ?? '')).filter((text) => text.includes('closed the account')).length;
    await stage.eventually(async () => (await told()) > 0);
    expect(await told()).toBe(1);
  },
};

export const identityPoints: AppPoint[] = [
  {
    point: 'K37 the registration is written',
    act: registering,
    stopAt: { beforeCommitOf: /insert into registrations/ },
  },
  {
    point: 'K37 the registration is committed, unsent',
    act: registering,
    stopAt: { after: /insert into registrations/ },
    inFull: true,
  },
  { point: 'K39 the confirmation is written', act: confirming, stopAt: { beforeCommitOf: /insert into principals/ } },
  {
    point: 'K39 the confirmation is committed, unsent',
    act: confirming,
    stopAt: { after: /insert into principals/ },
    inFull: true,
  },
  { point: 'K40 the credential is written', act: claiming, stopAt: { beforeCommitOf: /insert into credentials/ } },
  { point: 'K40 the credential is committed, unsent', act: claiming, stopAt: { after: /insert into credentials/ } },
  { point: 'K41 the rotation is written', act: rotating, stopAt: { beforeCommitOf: /insert into credentials/ } },
  { point: 'the account is closed', act: closing, stopAt: { beforeCommitOf: /update accounts set closed_at/ } },
  {
    point: 'the closing is committed, unsent',
    act: closing,
    stopAt: { after: /update accounts set closed_at/ },
    inFull: true,
  },
  {
    point: 'K41 the rotation is committed, unsent',
    act: rotating,
    stopAt: { after: /insert into credentials/ },
    inFull: true,
  },
];
