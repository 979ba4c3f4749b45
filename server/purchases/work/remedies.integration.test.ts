import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, cards, listen, paidOnPage, payByCard } from '../../../e2e/support/card.ts';
import { Member } from '../../../e2e/support/member.ts';
import { type Service, startService, withCard } from '../../../e2e/support/service.ts';
import { readFigures } from '../../console/figures.ts';
import { countHours } from '../../console/hours.ts';
import { liftBlocks } from '../../identity/blocked.ts';
import { price } from '../../service/terms.ts';
import { CheckFailure } from '../../work-check/failure.ts';
import { take } from '../work/take.ts';
import { executeJob } from './execute.ts';

const service = await startService({ REMEDIES_MAX: '2' });
const { pool } = service.database;
const first = await startService(async (sandbox) => ({ ...(await withCard(sandbox)), REMEDIES_MAX: '5' }));
beforeAll(() => listen(first));

const keyOf = (agent: Agent) => agent.wallet.address.toLowerCase();
const accountOf = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.account_key;
const holds = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.holds;
const dispute = (agent: Agent, jobKey: string) =>
  agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'dispute', reason: 'report_incomplete' });

/** Presents `payer`'s signed payment for a job of the agent. */
async function payWith(agent: Agent, jobKey: string, payer: Agent) {
  const unpaid = await agent.pay(jobKey, { network: 'eip155:84532' });
  const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  return agent.pay(jobKey, { signature: encodePaymentSignatureHeader(await payer.createPayment(required)) });
}

/** A job whose corrected report waits for review. */
async function corrected(agent: Agent, { at = service, payer = agent }: { at?: Service; payer?: Agent } = {}) {
  const jobKey = await agent.authorizedJob();
  expect((await payWith(agent, jobKey, payer)).status).toBe(200);
  await at.execute(jobKey);
  await dispute(agent, jobKey);
  await at.execute(jobKey);
  return jobKey;
}

async function waive(agent: Agent, times: number, options: { at?: Service; payer?: Agent } = {}): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const { body } = await dispute(agent, await corrected(agent, options));
    expect(body.state).toBe('waived');
  }
}

const refusalOf = async (agent: Agent) => {
  const { status, body } = await agent.authorize((await agent.quote()).body.quote_key);
  return status === 201 ? null : body.code;
};
const lift = (which: string, { runtime } = service) =>
  liftBlocks(runtime.db, which, { actor: 'operator', because: 'talked to them', now: runtime.clock() });

/** An agent whose account keeps the card that all tests share. */
async function keeping(at: Service) {
  const buying = await buyingByCard(at);
  const { jobKey } = await paidOnPage(at, buying.agent, { card: cards.good, member: buying.member });
  await at.execute(jobKey);
  return buying;
}

describe('a buyer whose reports became free by a second dispute more often than REMEDIES_MAX in 30 days', () => {
  it('buys nothing new until an operator lifts that; then the count starts anew', async () => {
    const agent = await Agent.arrive(service);
    const waiting = await agent.authorizedJob();
    await waive(agent, 2);
    expect([await holds(agent), await refusalOf(agent)]).toEqual([[], null]);
    await waive(agent, 1);
    expect([await holds(agent), await refusalOf(agent)]).toEqual([['remedies'], 'purchases_blocked']);
    expect((await agent.pay(waiting)).body.code).toBe('purchases_blocked');
    expect(await lift(await accountOf(agent))).toBe(1);
    expect(await refusalOf(agent)).toBe('purchases_blocked');
    expect(await lift(keyOf(agent))).toBe(1);
    await waive(agent, 2);
    expect(await refusalOf(agent)).toBe(null);
    await waive(agent, 1);
    expect(await refusalOf(agent)).toBe('purchases_blocked');
  });

  it('is found by the address that paid, whatever accounts it pays for', async () => {
    const payer = await Agent.arrive(service);
    for (let count = 0; count < 3; count += 1) await waive(await Agent.arrive(service), 1, { payer });
    const next = await Agent.arrive(service);
    const jobKey = await next.authorizedJob();
    expect(await holds(next)).toEqual([]);
    const refused = await payWith(next, jobKey, payer);
    expect([refused.status, refused.body.code]).toEqual([403, 'purchases_blocked']);
    expect((await payWith(next, jobKey, next)).status).toBe(200);
    expect(await refusalOf(payer)).toBe('purchases_blocked');
  });

  it('is found also when the disputes come at once', async () => {
    const agent = await Agent.arrive(service);
    const jobs = [await corrected(agent), await corrected(agent), await corrected(agent)];
    await Promise.all(jobs.map((jobKey) => dispute(agent, jobKey)));
    expect(await holds(agent)).toEqual(['remedies']);
    const { rows } = await pool.query(
      `select count(*)::int from purchase_blocks where account_key = $1 or payer = $2`,
      [await accountOf(agent), keyOf(agent)],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('is found also when re-checks failed that waited behind its own', async () => {
    const agent = await Agent.arrive(service);
    const { checksPerAccount } = service.runtime.configuration;
    const jobs: string[] = [];
    for (let count = 0; count < checksPerAccount + 2; count += 1) {
      const jobKey = await agent.paidJob();
      await service.execute(jobKey);
      jobs.push(jobKey);
    }
    // A worker takes one; the others wait until their time is over.
    for (const jobKey of jobs) await dispute(agent, jobKey);
    const taken = await take(service.runtime, jobs[0] ?? '');
    await pool.query(`update jobs set lease_until = now() + interval '1 hour' where job_key = $1`, [taken?.job_key]);
    service.advanceClock(1_801);
    await service.sweep();
    service.advanceClock(-1_801);
    expect(await holds(agent)).toEqual(['remedies']);
  });

  it('is found also when what fails the re-check is a document that the customer took away', async () => {
    const agent = await Agent.arrive(service);
    const member = await Member.of(service, agent);
    await member.post(`/api/agent/v1/agents/${keyOf(agent)}/grant`, { governed_refs: true });
    for (let count = 1; count <= 3; count += 1) {
      const text = 'The refund window is 14 days.';
      const { body: source } = await member.post('/api/agent/v1/sources', { name: `Handbook ${count}`, text });
      const jobKey = await agent.paidJob({ context: { refs: [source.source_key] } });
      await service.execute(jobKey);
      await dispute(agent, jobKey);
      await member.send('DELETE', `/api/agent/v1/sources/${source.source_key}`);
      await service.execute(jobKey);
      expect((await agent.job(jobKey)).body.state).toBe('waived');
    }
    expect([await holds(agent), await refusalOf(agent)]).toEqual([['remedies'], 'purchases_blocked']);
  });

  it('is not blocked by waivers that are older, nor by those that no dispute led to', async () => {
    const agent = await Agent.arrive(service);
    await waive(agent, 2);
    // Move the waivers back instead of time: the chains' clocks stay.
    await pool.query(
      `update jobs set finalized_at = finalized_at - interval '30 days 1 minute' where account_key = $1`,
      [await accountOf(agent)],
    );
    await waive(agent, 1);
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    await dispute(agent, jobKey);
    service.advanceClock(1_801);
    await service.sweep();
    expect((await agent.job(jobKey)).body.state).toBe('waived');
    service.advanceClock(-1_801);
    await waive(agent, 1);
    expect(await holds(agent)).toEqual([]);
  });

  it('goes on where REMEDIES_MAX is 0', async () => {
    const off = await startService({ REMEDIES_MAX: '0' });
    const agent = await Agent.arrive(off);
    await waive(agent, 6, { at: off });
    expect(await holds(agent)).toEqual([]);
  });
});

describe('a buyer whose checks fail', () => {
  /** What Node says of a thread that needs more memory than it may have. */
  async function outOfMemory(): Promise<unknown> {
    const thread = new Worker('const all = []; for (;;) all.push(Array(10_000).fill(all.length));', {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: 8 },
    });
    const [cause] = await once(thread, 'error');
    return cause;
  }

  it.each([
    ['buys nothing more after two where they need more memory than any may', outOfMemory, 'more memory', ['remedies']],
    ['buys on where a provider is down', async () => new Error('503'), 'ended by itself', []],
  ])('%s', async (_, causeOf, failure, held) => {
    const agent = await Agent.arrive(first);
    const cause = await causeOf();
    const check = async () => {
      throw new CheckFailure('assessor_failed', 'The thread of the check ended by itself.', { cause });
    };
    for (let count = 0; count < 3; count += 1) {
      const jobKey = await agent.paidJob();
      await executeJob(first.runtime, { check, close: async () => {} }, jobKey);
      const { body } = await agent.job(jobKey);
      expect(body).toMatchObject({ state: 'failed', payment_state: 'credited' });
      expect(body.failure).toContain(failure);
    }
    expect(await holds(agent)).toEqual(held);
  });
});

describe('a buyer who cancels after paying', () => {
  const cancel = (agent: Agent, jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
  const accept = async (agent: Agent, jobKey: string) => {
    await first.execute(jobKey);
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' })).status).toBe(200);
  };
  const paidByCard = async (agent: Agent) => {
    const jobKey = await agent.authorizedJob();
    const { status, body } = await payByCard(agent, jobKey, 'card_saved');
    return { jobKey, status, code: body.code };
  };
  const canceledByCard = async (agent: Agent) => {
    const { jobKey, status } = await paidByCard(agent);
    expect(status).toBe(200);
    expect((await cancel(agent, jobKey)).body.payment_state).toBe('refund_pending');
    await first.sweep();
    expect((await agent.job(jobKey)).body.payment_state).toBe('refunded');
    return jobKey;
  };

  it('buys nothing more after two, until an operator lifts that; credit counts like cash', async () => {
    const agent = await Agent.arrive(first);
    await cancel(agent, await agent.paidJob());
    const jobKey = await agent.authorizedJob();
    await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: jobKey,
    });
    await cancel(agent, jobKey);
    // What nobody paid for counts for nothing.
    await cancel(agent, await agent.authorizedJob());
    expect(await holds(agent)).toEqual([]);
    await cancel(agent, await agent.paidJob());
    expect([await holds(agent), await refusalOf(agent)]).toEqual([['remedies'], 'purchases_blocked']);
  });

  it('may cancel five in 30 days once a purchase was accepted', async () => {
    const agent = await Agent.arrive(first);
    await accept(agent, await agent.paidJob());
    for (let count = 0; count < 5; count += 1) await cancel(agent, await agent.paidJob());
    expect(await holds(agent)).toEqual([]);
    await cancel(agent, await agent.paidJob());
    expect(await holds(agent)).toEqual(['remedies']);
  });

  it('by card is found in whatever account the card is, and what the card paid has gone back in full', async () => {
    const one = await keeping(first);
    await canceledByCard(one.agent);
    const other = await keeping(first);
    await canceledByCard(other.agent);
    const third = await keeping(first);
    await canceledByCard(third.agent);
    expect(await holds(third.agent)).toEqual([]);
    expect(await paidByCard(third.agent)).toMatchObject({ status: 403, code: 'purchases_blocked' });
    await countHours(first.runtime);
    const figures = await readFigures(first.runtime.db, first.runtime.clock(), null);
    const figure = (name: string) => figures.find((row) => row.figure === name)?.value ?? 0;
    // Six charges, three of them given back in full, and three fees of those kept.
    expect([figure('fees_day_microcents') > 0, figure('revenue_day_microcents')]).toEqual([true, Number(price)]);
    expect(await paidByCard(one.agent)).toMatchObject({ status: 403, code: 'purchases_blocked' });
    // On the page the card is known once it has paid: that goes back, for one fee of an account.
    const fourth = await buyingByCard(first);
    const { jobKey } = await paidOnPage(first, fourth.agent, { card: cards.good });
    expect((await fourth.agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    expect([await holds(fourth.agent), await refusalOf(fourth.agent)]).toEqual([['blocked_card'], 'purchases_blocked']);
    const { rows } = await first.database.pool.query('select payer from purchase_blocks where payer is not null');
    // With the card's block that of the account which used it ends.
    expect(await lift(rows.at(-1)?.payer, first)).toBe(2);
    expect(await holds(fourth.agent)).toEqual([]);
  });

  it('gets the room back with the next day, so that the limits of a day bound what it costs', async () => {
    const { agent } = await keeping(first);
    await canceledByCard(agent);
    const room = async () => (await agent.get('/api/agent/v1/me')).body.spend;
    // The page's payment and the canceled one.
    const before = await room();
    first.advanceClock(86_400);
    await first.sweep();
    const after = await room();
    first.advanceClock(-86_400);
    expect([before.today_microcents, after.total_microcents]).toEqual([2 * Number(price), Number(price)]);
  });

  it('has its account blocked, not the address from which others pay', async () => {
    const shared = await Agent.arrive(first);
    const honest = await Agent.arrive(first);
    const bought = await honest.authorizedJob();
    expect((await payWith(honest, bought, shared)).status).toBe(200);
    await accept(honest, bought);
    let last = honest;
    for (let count = 0; count < 6; count += 1) {
      last = await Agent.arrive(first);
      const jobKey = await last.authorizedJob();
      expect((await payWith(last, jobKey, shared)).status).toBe(200);
      await cancel(last, jobKey);
    }
    expect(await holds(last)).toEqual(['remedies']);
    const next = await honest.authorizedJob();
    expect((await payWith(honest, next, shared)).status).toBe(200);
  });
});
