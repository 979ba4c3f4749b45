import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { Customer } from '../../../e2e/support/customer.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { fetchPublic } from '../../kernel/public-fetch.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';
import { daySeconds, seconds } from '../../service/terms.ts';
import { tellEndpoints, triesSeconds, turnsEnded } from './tell.ts';

const service = await startService();
const endpoints = '/api/agent/v1/webhook-endpoints';

interface Told {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A buyer's server, which answers with `status`. */
function receiver(url: string) {
  const told: Told[] = [];
  const state = { status: 204 };
  const send = async (to: string, { headers, body }: Omit<Told, 'url'>) => {
    if (to === url) told.push({ url: to, headers, body });
    return { status: to === url ? state.status : 204 };
  };
  return { told, state, round: () => tellEndpoints(service.runtime, send) };
}

async function subscribed(name: string) {
  const agent = await Agent.arrive(service);
  const member = await Member.of(service, agent);
  const url = `https://${name}.example/hooks`;
  const added = await member.post(endpoints, { url });
  expect(added.status).toBe(201);
  return { agent, member, added: added.body, ...receiver(url) };
}

const typesOf = (told: readonly Told[]) => told.map(({ body }) => JSON.parse(body).type);

describe('an endpoint', () => {
  it('is told of each event once, in order, with nothing of the content, signed as Standard Webhooks has it', async () => {
    const { agent, added, told, round } = await subscribed('orders');
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    await round();
    service.advanceClock(5);
    await round();
    const { body } = await agent.get('/api/agent/v1/events?limit=100');
    expect(told.map(({ headers }) => headers['webhook-id'])).toEqual(
      body.events.map(({ event_key }: { event_key: string }) => event_key),
    );
    expect(typesOf(told)).toContain('deliver');
    const key = Buffer.from(added.secret.replace('whsec_', ''), 'base64');
    for (const { headers, body: text } of told) {
      const input = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(input).digest('base64')}`);
      expect(Object.keys(JSON.parse(text).data).toSorted()).toEqual(['event_key', 'job_key', 'quote_key', 'state']);
    }
  });

  it('that refuses is tried again after growing pauses, and misses nothing', async () => {
    const { agent, member, told, state, round } = await subscribed('flaky');
    state.status = 503;
    await agent.authorizedJob();
    await round();
    await round();
    expect(told).toHaveLength(1);
    const [listed] = (await member.get(endpoints)).body.endpoints;
    expect(listed.failing).toMatchObject({ tries: 1, failure: 'It answered 503.' });
    service.advanceClock(6);
    await round();
    service.advanceClock(6);
    await round();
    expect(told).toHaveLength(2);
    state.status = 204;
    service.advanceClock(60);
    await round();
    expect(typesOf(told)).toEqual(['quote', 'quote', 'quote', 'authorize']);
    expect((await member.get(endpoints)).body.endpoints[0].failing).toBe(null);
  });

  it('is passed over by an event that it has not taken for three days, and takes the next', async () => {
    const { agent, told, state, round } = await subscribed('away');
    state.status = 500;
    await agent.quote();
    await round();
    service.advanceClock(triesSeconds + 1);
    await round();
    state.status = 200;
    await agent.signIn();
    await agent.quote();
    service.advanceClock(10);
    await round();
    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('that has failed for a day is told to the members once, and again only after it took an event', async () => {
    const { agent, member, state, round } = await subscribed('broken');
    const customer = new Customer(service, member.email);
    const warnings = async () => {
      await queueDueLetters(service.runtime);
      return (await customer.letters()).filter(({ subject }) => subject.startsWith('A webhook endpoint'));
    };
    const wait = async (seconds: number) => {
      service.advanceClock(seconds);
      await round();
    };
    state.status = 503;
    await agent.quote();
    await round();
    await wait(daySeconds - 60);
    expect(await warnings()).toEqual([]);
    await wait(daySeconds / 4);
    await wait(daySeconds / 4);
    const [warning] = await warnings();
    expect(warning?.text).toMatch(/^Your webhook endpoint at “broken/);
    expect(warning?.text).toContain('It answered 503.');
    expect(warning?.text).toContain(`${service.baseUrl}/account/webhooks`);
    // Also where an event was passed over meanwhile, and the next one fails.
    await wait(triesSeconds);
    await agent.signIn();
    await agent.quote();
    await wait(60);
    await wait(daySeconds + 60);
    expect(await warnings()).toHaveLength(1);
    state.status = 204;
    await wait(daySeconds);
    state.status = 500;
    await agent.signIn();
    await agent.quote();
    await wait(10);
    await wait(daySeconds + 60);
    expect(await warnings()).toHaveLength(2);
  });

  it('is told again from any event on', async () => {
    const { agent, member, added, told, round } = await subscribed('again');
    await agent.authorizedJob();
    await round();
    const [first] = told;
    const resend = `${endpoints}/${added.endpoint_key}/resend`;
    expect((await member.post(resend, { after: first?.headers['webhook-id'] })).status).toBe(200);
    await round();
    expect((await member.post(resend)).status).toBe(200);
    await round();
    expect(typesOf(told)).toEqual(['quote', 'authorize', 'authorize', 'quote', 'authorize']);
    const once = { 'idempotency-key': 'resend-1' };
    expect((await member.post(resend, {}, once)).status).toBe(200);
    const other = await member.post(resend, { after: first?.headers['webhook-id'] }, once);
    expect(other.body.code).toBe('idempotency_key_conflict');
    const foreign = await subscribed('foreign');
    expect((await foreign.member.post(resend)).body.code).toBe('not_found');
  });

  it('that was removed hears nothing more', async () => {
    const { agent, member, added, told, round } = await subscribed('gone');
    expect((await member.send('DELETE', `${endpoints}/${added.endpoint_key}`)).status).toBe(200);
    await agent.quote();
    await round();
    expect(told).toEqual([]);
    expect((await member.get(endpoints)).body.endpoints).toEqual([]);
  });

  it('hears nothing of another account', async () => {
    const { told, round } = await subscribed('quiet');
    await (await Agent.arrive(service)).quote();
    await round();
    expect(told).toEqual([]);
  });
});

describe('an account whose endpoints do not answer', () => {
  /** Accounts with five endpoints each, all of which have something to hear and answer once let go. */
  async function hanging(accounts: number) {
    for (let account = 0; account < accounts; account += 1) {
      const { agent, member } = await subscribed(`slow-${account}`);
      for (const at of [1, 2, 3, 4]) await member.post(endpoints, { url: `https://slow-${account}.example/${at}` });
      await agent.quote();
    }
    const asked: { url: string; id: string | undefined }[] = [];
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const heard: string[] = [];
    const send: Parameters<typeof tellEndpoints>[1] = async (url, { headers, signal }) => {
      if (!new URL(url).host.startsWith('slow-')) {
        heard.push(new URL(url).host);
        return { status: 204 };
      }
      asked.push({ url, id: headers['webhook-id'] });
      await Promise.race([held, once(signal, 'abort').then(() => Promise.reject(signal.reason))]);
      return { status: 204 };
    };
    return { asked, heard, letGo, send };
  }

  it('keeps no other account waiting, and is told at two of them at once', async () => {
    const { asked, heard, letGo, send } = await hanging(5);
    const { agent } = await subscribed('prompt');
    await agent.quote();
    await tellEndpoints(service.runtime, send);
    expect(heard).toContain('prompt.example');
    service.advanceClock(5);
    await agent.quote();
    await tellEndpoints(service.runtime, send);
    expect(heard.filter((host) => host === 'prompt.example')).toHaveLength(2);
    expect(asked).toHaveLength(10);
    letGo();
    await turnsEnded();
    for (let round = 0; round < 3; round += 1) {
      service.advanceClock(5);
      await tellEndpoints(service.runtime, send);
      await turnsEnded();
    }
    expect(new Set(asked.map(({ url }) => url)).size).toBe(25);
  });

  it('is told again by another worker of what one that stops had under way', async () => {
    const { asked, letGo, send } = await hanging(1);
    const stopping = new AbortController();
    await tellEndpoints({ ...service.runtime, stopping: stopping.signal }, send);
    const before = asked.map(({ id }) => id);
    stopping.abort();
    await turnsEnded();
    letGo();
    await tellEndpoints(service.runtime, send);
    await turnsEnded();
    expect(before).toHaveLength(2);
    expect(asked.slice(2).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  });
});

describe('an address', () => {
  it.each([
    'http://buyer.example/hooks',
    'https://user:secret@buyer.example/',
    'https://127.0.0.1/hooks',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/',
    'nothing',
  ])('%s is refused', async (url) => {
    const member = await Member.of(service, await Agent.arrive(service));
    expect((await member.post(endpoints, { url })).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/url' }],
    });
  });

  it('that resolves to our own network is never reached, and the account sees that', async () => {
    const { agent, member } = await subscribed('inside');
    await service.database.pool.query(
      "update webhook_endpoints set url = 'https://localhost/hooks' where url = 'https://inside.example/hooks'",
    );
    await agent.quote();
    await tellEndpoints(service.runtime, async (url, request) =>
      url.startsWith('https://localhost') ? fetchPublic(url, request) : { status: 204 },
    );
    expect((await member.get(endpoints)).body.endpoints[0].failing).toMatchObject({
      tries: 1,
      failure: 'It could not be reached.',
    });
  });

  it('is added once, five at most, and after a fresh sign-in', async () => {
    const member = await Member.of(service, await Agent.arrive(service));
    const add = (name: string) => member.post(endpoints, { url: `https://buyer.example/${name}` });
    for (const name of ['a', 'b', 'c', 'd']) expect((await add(name)).status).toBe(201);
    expect((await add('a')).body.code).toBe('action_not_allowed');
    expect((await add('e')).status).toBe(201);
    expect((await add('f')).body.code).toBe('action_not_allowed');
    service.advanceClock(seconds.freshSignIn + 1);
    expect((await add('g')).body.code).toBe('fresh_sign_in_required');
  });
});
