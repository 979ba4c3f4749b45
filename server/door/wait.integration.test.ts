import { describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { Statements } from '../../e2e/support/statements.ts';

const service = await startService({}, { alone: true });
const statements = new Statements(service.runtime.db.pool);

/** Asks for a job and waits that long for a change. */
async function wait(agent: Agent, jobKey: string, seconds: number): Promise<Answer> {
  const path = `/api/agent/v1/jobs/${jobKey}`;
  const { headers } = await agent.get(path);
  return agent.get(path, { prefer: `wait=${seconds}`, 'if-none-match': headers.get('etag') ?? '' });
}

describe('readers that wait for the same job', () => {
  it('have it looked at once for all of them', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    await wait(agent, jobKey, 1);
    const { statements: sent } = await statements.during(() =>
      Promise.all(Array.from({ length: 15 }, () => wait(agent, jobKey, 1))),
    );
    // Two looks per caller before it waits and one when it ends, and about ten for all in the second between; each for
    // itself would look ten times more.
    const looks = sent.filter((text) => /^\s*select to_json\(jobs\)/.test(text));
    expect(looks.length).toBeLessThan(3 * 15 + 15);
    expect(looks.length).toBeGreaterThan(15);
  });

  it('are all told when it changes, a few at a time for one buyer and one network, and early by a process that stops', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const answered: Answer[] = [];
    const asking = Array.from({ length: 20 }, () => wait(agent, jobKey, 25).then((answer) => answered.push(answer)));
    await expect.poll(() => answered.length).toBe(4);
    expect(answered.map(({ status }) => status)).toEqual([304, 304, 304, 304]);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await Promise.all(asking);
    expect(answered.slice(4).map(({ body }) => body.state)).toEqual(Array(16).fill('canceled'));

    const next = wait(agent, await agent.authorizedJob(), 25);
    await new Promise((resolve) => setTimeout(resolve, 300));

    // All wallets of a network together keep 64 waiting: this one, and 63 of those who come now.
    const wallets = await Promise.all(Array.from({ length: 5 }, () => Agent.arrive(service)));
    let ended = 0;
    const readers = wallets.flatMap((wallet) =>
      Array.from({ length: 15 }, async () => {
        await wallet.get('/api/agent/v1/events', { prefer: 'wait=25' });
        ended += 1;
      }),
    );
    await expect.poll(() => ended, { timeout: 20_000 }).toBe(12);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(ended).toBe(12);

    service.runtime.beginStop();
    expect((await next).status).toBe(304);
    await Promise.all(readers);
  });
});
