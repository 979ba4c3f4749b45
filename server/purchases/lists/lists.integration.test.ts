import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Answer, type Client } from '../../../e2e/support/agent.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { exampleRequest } from '../../work-check/sample.ts';

const service = await startService();
const arrive = () => Agent.arrive(service);
const at = (list: string) => `/api/agent/v1/${list}`;

/** Every page of a list, followed by its links. */
async function pagesOf(client: Client, list: string, limit: number, query = {}): Promise<Answer[]> {
  const pages = [];
  for (let next: string | null = `${at(list)}?${new URLSearchParams({ ...query, limit: String(limit) })}`; next; ) {
    const page: Answer = await client.get(next);
    pages.push(page);
    next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
  }
  return pages;
}

describe('a list', () => {
  let agent: Agent;
  let quoteKeys: string[];
  let jobKeys: string[];

  beforeAll(async () => {
    agent = await arrive();
    quoteKeys = [];
    for (let made = 0; made < 5; made += 1) quoteKeys.unshift((await agent.quote()).body.quote_key);
    jobKeys = [];
    for (const quoteKey of quoteKeys.toReversed().slice(0, 3)) {
      const job_key = (await agent.authorize(quoteKey)).body.job_key;
      jobKeys.unshift(job_key);
    }
    for (const jobKey of jobKeys.slice(0, 2)) {
      await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    }
    await service.execute(jobKeys[0] ?? '');
  });

  it.each([
    ['purchases', 'quote_key', () => quoteKeys],
    ['jobs', 'job_key', () => jobKeys],
    ['receipts', 'job_key', () => jobKeys.slice(0, 2)],
  ] as const)('of %s shows each once, the newest first, page by page', async (list, key, expected) => {
    for (const limit of [1, 2, 100]) {
      const pages = await pagesOf(agent, list, limit);
      const keys = pages.flatMap(({ body }) => body[list].map((item: Record<string, string>) => item[key]));
      expect(keys).toEqual(expected());
      expect(pages).toHaveLength(Math.ceil(expected().length / limit));
      expect(pages.at(-1)?.body.next_after).toBeNull();
    }
  });

  it('shows what was asked for, by whom, and its verdict, also of content that was deleted', async () => {
    const member = await Member.of(service, agent);
    const pages = await pagesOf(member, 'bought', 2);
    const listed = pages.flatMap(({ body }) => body.purchases);
    expect(listed.map(({ job }) => job.job_key)).toEqual(jobKeys);
    const title = exampleRequest.request?.toString().split('\n')[0];
    const bought_by = { agent_key: agent.wallet.address.toLowerCase(), kind: 'wallet', name: null };
    expect(listed.map(({ job: _, ...about }) => about)).toEqual(
      ['revise', null, null].map((verdict) => ({ title, content_deleted: false, bought_by, verdict })),
    );
    expect(listed[0].job).toEqual((await member.get(at(`jobs/${jobKeys[0]}`))).body);
    await service.database.pool.query(
      `update quotes set input = null, input_deleted_at = now() from jobs
       where jobs.quote_key = quotes.quote_key and job_key = $1`,
      [jobKeys[2]],
    );
    const { body } = await member.get(at('bought'));
    expect(body.purchases[2]).toMatchObject({ title: null, content_deleted: true });
    const own = (await agent.get(at('bought'))).body.purchases;
    expect(own.map(({ job }: { job: { job_key: string } }) => job.job_key)).toEqual(jobKeys);
    const stranger = await Member.of(service, await arrive());
    expect((await stranger.get(at('bought'))).body.purchases).toEqual([]);
    // Another account's key is no position to continue from, and looks like an unknown one.
    for (const after of [jobKeys[0], 'job_none']) {
      const { status, body } = await stranger.get(`${at('bought')}?after=${after}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });

  it('of what was bought is narrowed by agent, rail, verdict and what waits for a review, on every page', async () => {
    const member = await Member.of(service, agent);
    const agent_key = agent.wallet.address.toLowerCase();
    const keysOf = async (query: Record<string, string>, client: Client = member) => {
      const pages = await pagesOf(client, 'bought', 1, query);
      return pages.flatMap(({ body }) => body.purchases.map(({ job }: { job: { job_key: string } }) => job.job_key));
    };
    expect(await keysOf({ agent_key })).toEqual(jobKeys);
    expect(await keysOf({ agent_key: 'agent_none' })).toEqual([]);
    expect(await keysOf({ rail: 'x402' })).toEqual(jobKeys.slice(0, 2));
    expect(await keysOf({ rail: 'x402', verdict: 'revise' })).toEqual(jobKeys.slice(0, 1));
    expect(await keysOf({ rail: 'card' })).toEqual([]);
    expect(await keysOf({ verdict: 'supported' })).toEqual([]);
    expect(await keysOf({ waits_for: 'review' })).toEqual(jobKeys.slice(0, 1));
    expect(await keysOf({ agent_key }, await arrive())).toEqual([]);
    for (const unknown of ['rail=cash', 'verdict=fine', 'waits_for=money'])
      expect((await member.get(`${at('bought')}?${unknown}`)).status).toBe(422);
  });

  it('shows what reading one by one shows', async () => {
    const { body: jobs } = await agent.get(at('jobs'));
    for (const job of jobs.jobs) expect(job).toEqual((await agent.job(job.job_key)).body);
    const { body: purchases } = await agent.get(at('purchases'));
    for (const quote of purchases.purchases) {
      expect(quote).toEqual((await agent.get(`${at('purchases')}/${quote.quote_key}`)).body);
    }
    const { body: receipts } = await agent.get(at('receipts'));
    for (const receipt of receipts.receipts) {
      expect(receipt).toEqual((await agent.get(`${at('jobs')}/${receipt.job_key}/receipt`)).body);
    }
  });

  it('is the own one of a buyer, and that of the account for its members', async () => {
    const [stranger, member] = [await arrive(), await Member.of(service, agent)];
    for (const [list, key] of [
      ['purchases', quoteKeys[0]],
      ['jobs', jobKeys[0]],
      ['receipts', jobKeys[0]],
      ['events', `${quoteKeys[0]}.1`],
    ] as const) {
      expect((await stranger.get(at(list))).body[list]).toEqual([]);
      const own = list === 'events' ? await feed(agent, 12) : await agent.get(at(list));
      expect((await member.get(at(list))).body[list].length).toBe(own.body[list].length);
      const foreign = await stranger.get(`${at(list)}?after=${key}`);
      const missing = await stranger.get(`${at(list)}?after=nothing`);
      expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
  });

  it.each(['purchases', 'jobs', 'receipts', 'events'])('of %s holds a page to 1 to 100 entries', async (list) => {
    for (const limit of ['1', '100']) expect((await agent.get(`${at(list)}?limit=${limit}`)).status).toBe(200);
    for (const limit of ['0', '101', '-1', '1.5', 'all', '']) {
      const refused = await agent.get(`${at(list)}?limit=${limit}`);
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/limit']);
    }
  });
});

/**
 * Reads the feed until it holds that many events. Other tests' open transactions hold it back: the server numbers those
 * of all databases together.
 */
async function feed(client: Client, count: number, after?: string): Promise<Answer> {
  for (;;) {
    const answer = await client.get(at('events') + (after ? `?after=${after}` : ''), { prefer: 'wait=5' });
    if (answer.body.events.length >= count) return answer;
  }
}

describe('the feed of events', () => {
  const typesOf = ({ body }: Answer) => body.events.map(({ type }: { type: string }) => type);

  it('tells what happened to every purchase in order, each event once however it is read', async () => {
    const agent = await arrive();
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    await agent.post(`${at('jobs')}/${jobKey}/review`, { decision: 'accept' });
    await agent.quote();
    const expected = ['quote', 'authorize', 'collect', 'start', 'deliver', 'accept', 'quote'];
    const all = await feed(agent, expected.length);
    expect(typesOf(all)).toEqual(expected);
    expect(all.body.events[4]).toMatchObject({ job_key: jobKey, state: 'delivered' });
    for (const limit of [1, 3]) {
      const pages = await pagesOf(agent, 'events', limit);
      expect(pages.flatMap(({ body }) => body.events)).toEqual(all.body.events);
    }
    const later = await agent.get(`${at('events')}?after=${all.body.next_after}`);
    expect(later.body).toEqual({ events: [], next_after: all.body.next_after });
  });

  it('wakes a reader that waits with what happens next', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const { body } = await feed(agent, 2);
    const waiting = feed(agent, 1, body.next_after);
    await agent.post(`${at('jobs')}/${jobKey}/cancel`);
    expect(typesOf(await waiting)).toEqual(['cancel']);
  });

  it('leaves no event out whose transaction was slower than that of a later one', async () => {
    const agent = await arrive();
    await agent.authorizedJob();
    const { body: quote } = await agent.quote();
    const { body: before } = await feed(agent, 3);
    const client = await service.database.pool.connect();
    await client.query('begin');
    await client.query(
      'select 1 from grant_usage join grants using (grant_key) where principal_key = $1 for update of grant_usage',
      [agent.wallet.address.toLowerCase()],
    );
    const slow = agent.authorize(quote.quote_key);
    for (let waiting = 0; waiting === 0; ) {
      const { rowCount } = await client.query('select 1 from pg_locks where not granted');
      waiting = rowCount ?? 0;
    }
    const quick = await agent.quote();
    const meanwhile = await agent.get(`${at('events')}?after=${before.next_after}`);
    await client.query('rollback');
    client.release();
    expect([(await slow).status, quick.status]).toEqual([201, 201]);
    const after = await feed(agent, 2, meanwhile.body.next_after);
    expect([typesOf(meanwhile), typesOf(after)]).toEqual([[], ['authorize', 'quote']]);
  });

  it('reaches 30 days back', async () => {
    const agent = await arrive();
    await agent.quote();
    service.advanceClock(15 * 86_400);
    await agent.signIn();
    const { body: second } = await agent.quote();
    service.advanceClock(16 * 86_400);
    await agent.signIn();
    const { body } = await feed(agent, 1);
    service.advanceClock(-31 * 86_400);
    expect(body.events).toMatchObject([{ quote_key: second.quote_key }]);
  });
});
