import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { knownBuyer } from '../../../e2e/support/known-buyer.ts';
import { type Service, startService } from '../../../e2e/support/service.ts';
import { exampleRequest } from '../../work-check/sample.ts';
import { takeNext } from './take.ts';

const service = await startService();
const hurried = await startService({ CHECK_SECONDS_MAX: '0.01', REMEDIES_MAX: '5' });
const idle = await startService();
/** Lets `payer` pay for a job of the agent. */
async function paidFor(agent: Agent, jobKey: string, payer: Agent): Promise<void> {
  const unpaid = await agent.pay(jobKey, { network: 'eip155:84532' });
  const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  const signature = encodePaymentSignatureHeader(await payer.createPayment(required));
  expect((await agent.pay(jobKey, { signature })).status).toBe(200);
}
const jobOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body;

it('a worker that takes a job after its deadline delivers nothing: it fails, with its remedy', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  service.advanceClock(1_801);
  await service.execute(jobKey);
  service.advanceClock(-1_801);
  expect(await jobOf(agent, jobKey)).toMatchObject({ state: 'failed', payment_state: 'credited' });
});

it('a check that takes longer than any may is ended: a failed delivery, which counts as brought about', async () => {
  const agent = await Agent.arrive(hurried);
  const lines = Array.from({ length: 600 }, (_, at) => `Run ${at} took ${at * 7} seconds and filled ${at} crates.`);
  const evidence = [{ source: 'Log', text: lines.join('\n') }];
  for (let count = 0; count < 3; count += 1) {
    const jobKey = await agent.paidJob({ ...exampleRequest, evidence });
    await hurried.execute(jobKey);
    expect(await jobOf(agent, jobKey)).toMatchObject({ state: 'failed', payment_state: 'credited' });
  }
  expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual(['remedies']);
});

const next = async (at: Service, full?: Parameters<typeof takeNext>[1]) =>
  (await takeNext(at.runtime, full))?.job.job_key;
/** Ends a job that nobody executes. */
const cancel = (agent: Agent, jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);

describe('whose turn it is', () => {
  it('an account that has accepted a purchase has its turn before new ones that wait longer', async () => {
    const [old, one, other] = [await knownBuyer(idle), await Agent.arrive(idle), await Agent.arrive(idle)];
    // A busy machine takes long to check what made it known.
    await idle.database.pool.query('update jobs set taken_at = null');
    const waiting = [await one.paidJob(), await other.paidJob(), await old.paidJob()];
    expect([await next(idle), await next(idle), await next(idle)]).toEqual([waiting[2], waiting[0], waiting[1]]);
  });

  it('a new buyer has its turn before customers that came a minute later', async () => {
    const at = await startService();
    const [old, one] = [await knownBuyer(at), await Agent.arrive(at)];
    const first = await one.paidJob();
    at.advanceClock(61);
    await old.paidJob();
    expect(await next(at)).toBe(first);
    at.advanceClock(-61);
  });

  it('a payer that has accepted no purchase has one check under way, whatever accounts it pays for', async () => {
    const at = await startService({ CHECKS_PER_ACCOUNT: '10' });
    const [one, other] = [await Agent.arrive(at), await Agent.arrive(at)];
    const first = await one.paidJob();
    const second = await one.paidJob();
    const third = await other.authorizedJob();
    await paidFor(other, third, one);
    expect(await next(at)).toBe(first);
    expect(await next(at)).toBeUndefined();
    await cancel(one, first);
    expect(await next(at)).toBe(second);
    expect(await next(at)).toBeUndefined();
    await cancel(one, second);
    expect(await next(at)).toBe(third);
  });

  it('new buyers get none where a worker says so, customers do', async () => {
    const at = await startService();
    const [old, one] = [await knownBuyer(at), await Agent.arrive(at)];
    const theirs = await one.paidJob();
    expect(await next(at, { noneNew: true })).toBeUndefined();
    const job = await old.paidJob();
    expect(await next(at, { noneNew: true })).toBe(job);
    expect(await next(at)).toBe(theirs);
  });

  it('who kept a worker busy lately waits for who did not, but not for ever', async () => {
    const at = await startService();
    const [busy, quiet] = [await Agent.arrive(at), await Agent.arrive(at)];
    const [long, waiting] = [await busy.paidJob(), await busy.paidJob()];
    expect(await next(at)).toBe(long);
    at.advanceClock(20);
    await cancel(busy, long);
    const came = await quiet.paidJob();
    expect(await next(at)).toBe(came);
    await cancel(quiet, came);
    at.advanceClock(400);
    await quiet.paidJob();
    expect(await next(at)).toBe(waiting);
    at.advanceClock(-420);
  });
});
