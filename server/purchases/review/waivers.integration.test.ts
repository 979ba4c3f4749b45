import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { Member } from '../../../e2e/support/member.ts';
import { type Service, startService } from '../../../e2e/support/service.ts';
import { liftBlocks } from '../../identity/blocked.ts';
import { take } from '../work/take.ts';

const service = await startService({ WAIVERS_MAX: '2' });
const { pool } = service.database;

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
const lift = (which: string) =>
  liftBlocks(service.runtime.db, which, { actor: 'operator', because: 'talked to them', now: service.runtime.clock() });

describe('a buyer whose reports became free by a second dispute more often than WAIVERS_MAX in 30 days', () => {
  it('buys nothing new until an operator lifts that; then the count starts anew', async () => {
    const agent = await Agent.arrive(service);
    const waiting = await agent.authorizedJob();
    await waive(agent, 2);
    expect([await holds(agent), await refusalOf(agent)]).toEqual([[], null]);
    await waive(agent, 1);
    expect([await holds(agent), await refusalOf(agent)]).toEqual([['waivers'], 'purchases_blocked']);
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
    expect(await holds(agent)).toEqual(['waivers']);
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
    expect(await holds(agent)).toEqual(['waivers']);
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
    expect([await holds(agent), await refusalOf(agent)]).toEqual([['waivers'], 'purchases_blocked']);
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

  it('goes on where WAIVERS_MAX is 0', async () => {
    const off = await startService({ WAIVERS_MAX: '0' });
    const agent = await Agent.arrive(off);
    await waive(agent, 6, { at: off });
    expect(await holds(agent)).toEqual([]);
  });
});
