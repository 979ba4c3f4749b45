import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent, type Answer, type Client } from '../../e2e/support/agent.ts';
import { knownBuyer } from '../../e2e/support/known-buyer.ts';
import { registrationFor } from '../../e2e/support/letter.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { price } from '../service/terms.ts';
import { pageContext } from '../transports/context.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService({
  RATE_LIMIT_REQUESTS: '40',
  RATE_LIMIT_QUOTES: '5',
  RATE_LIMIT_WALLET_CHALLENGES: '1000',
  RATE_LIMIT_WALLET_VERIFICATIONS: '100',
  RATE_LIMIT_SIGN_IN_LINKS: '3',
  RATE_LIMIT_REGISTRATIONS: '3',
  RATE_LIMIT_CLAIMS: '4',
});
const arrive = () => Agent.arrive(service);
const challenge = (agent: Agent, from: string) =>
  agent.post('/api/x402/v1/wallets/challenge', { address: agent.wallet.address }, { 'x-forwarded-for': from });

const statuses = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** The requests that are left after an answer. */
const leftOf = ({ headers }: Answer) => Number(/"requests";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('a rate limit', () => {
  it('lets exactly as many requests through as it says when they race on two processes', async () => {
    const agent = await arrive();
    const elsewhere = new Agent((await service.startDoor()).baseUrl, `0x${'22'.repeat(32)}`);
    elsewhere.token = agent.token;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? agent : elsewhere).get('/api/agent/v1/me')),
    );
    expect(statuses(answers)).toEqual({ 200: 40, 429: 20 });
    // Each subject has its own remainder.
    expect((await (await arrive()).get('/api/agent/v1/me')).status).toBe(200);
  });

  it('counts an answer once more for each 64 KiB of it, and a job that is read in a loop once each time', async () => {
    const agent = await arrive();
    const text = 'The depot shipped 31 crates to the harbour. '.repeat(200);
    const evidence = Array.from({ length: 16 }, (_, at) => ({ source: `Log ${at}`, text }));
    const jobKey = await agent.paidJob({ ...exampleRequest, evidence });
    const member = await Member.of(service, agent);
    const bundle = () => member.get(`/api/agent/v1/jobs/${jobKey}/bundle`);
    const first = await bundle();
    expect(Math.floor(Buffer.byteLength(first.text) / 65_536)).toBe(2);
    // Each costs 3 of 40; the first one's pace was told before its size was known.
    const answers = [first];
    for (let count = 0; count < 14; count += 1) answers.push(await bundle());
    expect(statuses(answers)).toEqual({ 200: 14, 429: 1 });
    const reader = await arrive();
    const own = await reader.paidJob();
    const before = 40 - leftOf(await reader.job(own));
    for (let count = before; count < 40; count += 1) expect((await reader.job(own)).status).toBe(200);
    expect((await reader.job(own)).status).toBe(429);
  });

  it('tells with each answer what is left, and with a refusal when to come back', async () => {
    const agent = await arrive();
    const first = await agent.get('/api/agent/v1/me');
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=40;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=39;t=\d+$/);
    const answers = await Promise.all(Array.from({ length: 6 }, () => agent.quote()));
    expect(statuses(answers)).toEqual({ 201: 5, 429: 1 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(refused?.headers.get('ratelimit-policy')).toBe('"requests";q=40;w=60, "quotes";q=5;w=60');
    expect(refused?.headers.get('ratelimit')).toMatch(/^"requests";r=\d+;t=\d+, "quotes";r=0;t=\d+$/);
    const retryAfter = Number(refused?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  it('opens again when its window has passed, for the very request that it refused', async () => {
    const agent = await arrive();
    await Promise.all(Array.from({ length: 5 }, () => agent.quote()));
    const key = randomUUID();
    expect((await agent.quote({ idempotency_key: key })).status).toBe(429);
    service.advanceClock(61);
    const again = await agent.quote({ idempotency_key: key });
    service.advanceClock(-61);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('counts whom it does not know by block of addresses, as the nearest proxy names them', async () => {
    const agent = new Agent(service.baseUrl, `0x${'33'.repeat(32)}`);
    await service.database.pool.query(
      `insert into rate_counts values ('203.0.113.0/24', 'wallet_challenges', 998, now() + interval '1 minute')`,
    );
    expect((await challenge(agent, '198.51.100.1, 203.0.113.7')).status).toBe(200);
    expect((await challenge(agent, '203.0.113.250')).status).toBe(200);
    const refused = await challenge(agent, '203.0.113.9');
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect((await challenge(agent, '203.0.114.9')).status).toBe(200);
    expect((await challenge(agent, '2001:db8:1::9')).status).toBe(200);
  });

  it('lets a block of addresses try so many answers to wallet challenges', async () => {
    const nobody = new Agent(service.baseUrl, `0x${'66'.repeat(32)}`);
    const verify = (from: string) =>
      nobody.post(
        '/api/x402/v1/wallets/verify',
        { challenge_key: 'chal_none', signature: '0x00' },
        { 'x-forwarded-for': from },
      );
    const answers = await Promise.all(Array.from({ length: 104 }, (_, host) => verify(`192.0.2.${host}`)));
    const allowed = answers.filter(({ status }) => status !== 429);
    expect(new Set(allowed.map(({ body }) => body.code))).toEqual(new Set(['challenge_expired']));
    expect(allowed).toHaveLength(100);
    expect((await verify('192.0.3.1')).body.code).toBe('challenge_expired');
  });

  it('lets a block of addresses ask for so many sign-in links, whoever they are for', async () => {
    const nobody = new Agent(service.baseUrl, `0x${'44'.repeat(32)}`);
    const ask = (host: number, from: string) =>
      nobody.post('/api/agent/v1/members/sign-in-link', { email: `${host}@example.com` }, { 'x-forwarded-for': from });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, host) => ask(host, `198.51.100.${host}`)));
    expect(statuses(answers)).toEqual({ 202: 3, 429: 5 });
    expect((await ask(9, '198.51.101.9')).status).toBe(202);
  });

  it('lets a block of addresses register so often, whoever it is for', async () => {
    const nobody = new Agent(service.baseUrl, `0x${'77'.repeat(32)}`);
    const register = (host: number, from: string) =>
      nobody.post('/api/agent/v1/registrations', registrationFor(`${host}@example.com`), { 'x-forwarded-for': from });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, host) => register(host, `198.51.100.${host}`)));
    expect(statuses(answers)).toEqual({ 202: 3, 429: 5 });
    expect((await register(9, '198.51.101.9')).status).toBe(202);
  });

  it('lets a block of addresses try so many claims and confirmations, counted together', async () => {
    const nobody = new Agent(service.baseUrl, `0x${'88'.repeat(32)}`);
    const attempt = (path: string, body: object) => (from: string) =>
      nobody.post(`/api/agent/v1/${path}`, body, { 'x-forwarded-for': from });
    const claim = attempt('registrations/reg_0000000000000000000000/claim', {
      claim_token: 'svc_claim_guessed',
      code: '123456',
    });
    const confirmation = attempt('confirmations', { link: 'reg_0000000000000000000000.guessed' });
    const answers = [];
    for (let host = 0; host < 8; host += 1) {
      answers.push(await (host % 2 === 0 ? claim : confirmation)(`198.51.100.${host}`));
    }
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 429, 429, 429, 429]);
    expect((await claim('198.51.101.9')).status).toBe(404);
  });

  it('counts what a member asks like what an agent does', async () => {
    const agent = await arrive();
    const member = await Member.of(service, agent);
    const answers = await Promise.all(Array.from({ length: 50 }, () => member.get('/api/agent/v1/purchases')));
    expect(statuses(answers)).toEqual({ 200: 40, 429: 10 });
    expect((await agent.get('/api/agent/v1/purchases')).status).toBe(200);
  });

  it('holds for the wallets of one network together, until their account has accepted a purchase', async () => {
    const { baseUrl } = await service.startDoor({ RATE_LIMIT_NETWORK_REQUESTS: '30', RATE_LIMIT_NETWORK_QUOTES: '6' });
    const [one, two, known] = [await arrive(), await arrive(), await knownBuyer(service)];
    const member = await Member.of(service, one);
    const from = (network: string) => ({ 'x-forwarded-for': `${network}.7` });
    const quote = (agent: Agent) => {
      const body = { ...exampleRequest, max_price_microcents: Number(price), idempotency_key: randomUUID() };
      return agent.post(`${baseUrl}/api/agent/v1/checks`, body, from('203.0.113'));
    };
    const read = (client: Client, network: string) => client.get(`${baseUrl}/api/agent/v1/purchases`, from(network));
    const quotes: Answer[] = [];
    for (let index = 0; index < 8; index += 1) quotes.push(await quote(index % 2 === 0 ? one : two));
    expect(statuses(quotes)).toEqual({ 201: 6, 429: 2 });
    const refused = quotes.at(-1);
    expect(refused?.body.detail).toContain('to all of your network who have accepted no purchase yet');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const reads = await Promise.all(Array.from({ length: 30 }, (_, at) => read(at % 2 === 0 ? one : two, '203.0.113')));
    expect(statuses(reads)).toEqual({ 200: 22, 429: 8 });
    expect((await read(member, '203.0.113')).status).toBe(429);
    // Customers behind the same address are not held up, nor are the same wallets elsewhere.
    expect([(await quote(known)).status, (await read(known, '203.0.113')).status]).toEqual([201, 200]);
    expect([(await read(one, '198.51.100')).status, (await read(member, '198.51.100')).status]).toEqual([200, 200]);
  });

  it('is not escaped by who comes from nowhere: a request whose origin is not known is an error', async () => {
    const { wallet } = await arrive();
    const asked = perform('wallet_challenge', pageContext(service.runtime, null), { address: wallet.address });
    await expect(asked).rejects.toMatchObject({ code: 'internal' });
  });

  it('is forgotten once nobody has asked for long', async () => {
    const agent = await arrive();
    await agent.get('/api/agent/v1/me');
    service.advanceClock(3_700);
    await service.sweep();
    service.advanceClock(-3_700);
    const left = await service.database.pool.query('select 1 from rate_counts where subject = $1', [
      agent.wallet.address.toLowerCase(),
    ]);
    expect(left.rowCount).toBe(0);
  });
});
