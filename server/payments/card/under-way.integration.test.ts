import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent, Answer } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  click,
  fillIn,
  heard,
  listen,
  nextGood,
  paidOnPage,
  payByCard,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(async (sandbox) => ({ ...(await withCard(sandbox)), REMEDIES_MAX: '5' }));
beforeAll(() => listen(service));

const cancel = (agent: Agent, jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
const holds = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.holds;
const said = ({ status, body }: Answer) => [status, body.code ?? null];
const tooMany = [429, 'rate_limited'];

/** So many jobs that wait for their payment. */
async function authorized(agent: Agent, count: number): Promise<string[]> {
  const jobs: string[] = [];
  while (jobs.length < count) jobs.push(await agent.authorizedJob());
  return jobs;
}

/** An agent with a card of its account, whose first check waits for its review, or is accepted if so asked. */
async function keeping({ accepts = false } = {}): Promise<Agent> {
  const { agent, member } = await buyingByCard(service);
  const [{ agent_key: agentKey }] = (await member.get('/api/agent/v1/agents')).body.agents;
  await member.post(`/api/agent/v1/agents/${agentKey}/grant`, { daily_limit_microcents: 10_000_000_000 });
  const { jobKey } = await paidOnPage(service, agent, { card: nextGood(), member });
  await service.execute(jobKey);
  if (accepts) await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
  return agent;
}

/** Charges the kept card for all of these jobs at once. */
async function payAtOnce(agent: Agent, jobs: readonly string[]) {
  const answers = await Promise.all(jobs.map((jobKey) => payByCard(agent, jobKey, 'card_saved')));
  return {
    paid: jobs.filter((_, index) => answers[index]?.status === 200),
    refused: answers.filter(({ status }) => status !== 200),
  };
}

describe('an account that begins many payments by card at once', () => {
  it('has five checks under way at most, so that those it cancels cost five fees and no more', async () => {
    const agent = await keeping();
    const jobs = await authorized(agent, 8);
    const { paid, refused } = await payAtOnce(agent, jobs);
    // With the one that waits for its review.
    expect([paid.length, refused.map(said)]).toEqual([4, [tooMany, tooMany, tooMany, tooMany]]);
    expect(refused[0]?.headers.get('retry-after')).toBe('60');
    expect(refused[0]?.body.detail).toContain('Accept a report that was delivered');
    for (const jobKey of paid) await cancel(agent, jobKey);
    expect(await holds(agent)).toEqual(['remedies']);
  });

  it('goes on with each report that it accepts, and with none that it keeps open or disputes', async () => {
    const agent = await keeping();
    const jobs = await authorized(agent, 8);
    const { paid } = await payAtOnce(agent, jobs);
    const [next = '', last = ''] = jobs.filter((jobKey) => !paid.includes(jobKey));
    const [accepted = '', disputed = ''] = paid;
    await service.execute(accepted);
    await service.execute(disputed);
    expect(said(await payByCard(agent, next, 'card_saved'))).toEqual(tooMany);
    await agent.post(`/api/agent/v1/jobs/${disputed}/review`, { decision: 'dispute', reason: 'other' });
    expect(said(await payByCard(agent, next, 'card_saved'))).toEqual(tooMany);
    // Its place, and one for having accepted.
    await agent.post(`/api/agent/v1/jobs/${accepted}/review`, { decision: 'accept' });
    expect((await payByCard(agent, next, 'card_saved')).status).toBe(200);
    expect((await payByCard(agent, last, 'card_saved')).status).toBe(200);
  });

  it('is not held up for longer than a review may take', async () => {
    const agent = await keeping();
    const { paid } = await payAtOnce(agent, await authorized(agent, 4));
    const next = await agent.authorizedJob();
    expect(said(await payByCard(agent, next, 'card_saved'))).toEqual(tooMany);
    await service.execute(paid[0] ?? '');
    service.advanceClock(72 * 3_600 + 60);
    const later = await agent.authorizedJob();
    const answer = await payByCard(agent, later, 'card_saved');
    service.advanceClock(-72 * 3_600 - 60);
    expect(said(answer)).toEqual([200, null]);
  });

  it('has one more under way for each purchase that it accepted in the last 30 days', async () => {
    const agent = await keeping({ accepts: true });
    expect((await payAtOnce(agent, await authorized(agent, 8))).paid.length).toBe(6);
    const { account_key: accountKey } = (await agent.get('/api/agent/v1/me')).body;
    await service.database.pool.query(
      `update jobs set finalized_at = finalized_at - interval '30 days 1 minute' where account_key = $1 and state = 'accepted'`,
      [accountKey],
    );
    expect((await payAtOnce(agent, await authorized(agent, 1))).refused.map(said)).toEqual([tooMany]);
  });

  it('opens five pages at the provider, over whichever links; one that is paid, ended or called back makes room', async () => {
    const { agent } = await buyingByCard(service);
    const jobs = await authorized(agent, 8);
    const links: string[] = [];
    // A link that nobody opened costs nothing: there may be any number.
    for (const jobKey of jobs) links.push((await payByCard(agent, jobKey)).body.payment_key);
    const pages = await Promise.all(links.map((paymentKey) => click(agent, paymentKey)));
    const open = links.filter((_, index) => pages[index]?.status === 200);
    const shut = links.filter((link) => !open.includes(link));
    expect([open.length, shut.length]).toEqual([5, 3]);
    expect(said(await click(agent, shut[0] ?? ''))).toEqual(tooMany);
    // The page that is open stays open, and its job may be paid in another way.
    expect((await click(agent, open[0] ?? '')).status).toBe(200);
    const another = await agent.authorizedJob();
    expect(said(await payByCard(agent, another))).toEqual(tooMany);

    const calledBack = jobs[links.indexOf(open[1] ?? '')];
    expect((await agent.post(`/api/agent/v1/jobs/${calledBack}/payments/cancel`)).status).toBe(200);
    const { body } = await click(agent, shut[0] ?? '');
    expect(said(await click(agent, shut[1] ?? ''))).toEqual(tooMany);
    await fillIn(body.url, nextGood());
    await heard(service);
    expect(said(await click(agent, shut[1] ?? ''))).toEqual(tooMany);
    const done = jobs[links.indexOf(shut[0] ?? '')] ?? '';
    await service.execute(done);
    await agent.post(`/api/agent/v1/jobs/${done}/review`, { decision: 'accept' });
    expect((await click(agent, shut[1] ?? '')).status).toBe(200);
  });

  it('may forget pages: they count until they end', async () => {
    const { agent } = await buyingByCard(service);
    for (const jobKey of await authorized(agent, 5)) {
      await click(agent, (await payByCard(agent, jobKey)).body.payment_key);
    }
    const last = await agent.authorizedJob();
    expect(said(await payByCard(agent, last))).toEqual(tooMany);
    await service.database.pool.query(
      `update card_payments set session_expires_at = now() where session_expires_at is not null`,
    );
    expect((await payByCard(agent, last)).status).toBe(202);
  });
});
