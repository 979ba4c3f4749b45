import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent, type Answer, clearFaults, facilitatorFault } from '../../e2e/support/agent.ts';
import { connectMcp } from '../../e2e/support/mcp-client.ts';
import { startService } from '../../e2e/support/service.ts';
import { price, service as terms } from '../service/terms.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const address = `${service.baseUrl}/mcp?profile=buyer`;

interface Action {
  action: string;
  href: string;
  mcp_tool: string;
  body?: Record<string, unknown>;
  bodies?: Record<string, unknown>[];
}
const actionOf = ({ body }: Pick<Answer, 'body'>, name: string): Action =>
  body.next_actions.find(({ action }: Action) => action === name);
const pathOf = ({ href }: Action) => new URL(href).pathname;
/** A buyer whose credit covers one check. */
async function withCredit(): Promise<Agent> {
  const agent = await Agent.arrive(service);
  await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
  return agent;
}

describe('what an obedient agent does next', () => {
  it('waits for a job that is under way, over both doors, and is shown to cancel last', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const { body } = await agent.job(jobKey);
    expect(body.next_step).toMatch(/^Wait: .*until it is delivered, at the latest by 2/);
    expect(body.next_actions.map(({ action }: Action) => action)).toEqual(['receipt', 'cancel']);
    const client = await connectMcp('2026-07-28', address, agent.token);
    const [line = ''] = (await client.call('svc.purchase_status', { job_key: jobKey })).texts;
    expect(line.indexOf('svc.purchase_status')).toBeLessThan(line.indexOf('svc.cancel_job'));
    expect(line).toMatch(/Wait: .* Allowed now, and not needed: svc\.get_receipt, svc\.cancel_job\.\s*$/);
    await service.execute(jobKey);
    const [verdict] = (await client.call('svc.get_report', { job_key: jobKey })).texts;
    expect(verdict).toMatch(/^The verdict is revise\. .*svc\.review_delivery\.\s*$/s);
    const [receipt] = (await client.call('svc.get_receipt', { job_key: jobKey })).texts;
    expect(receipt).toContain('Charge: held, 5.00 USD');
    await client.close();
  });

  it('has a body to accept and one to dispute, and each works as it stands', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    const review = actionOf(await agent.job(jobKey), 'review');
    expect(review.body?.decision).toBe('accept');
    const [dispute] = review.bodies ?? [];
    expect(dispute?.decision).toBe('dispute');
    expect((await agent.post(pathOf(review), dispute)).body.state).toBe('rechecking');
    await service.execute(jobKey);
    const again = actionOf(await agent.job(jobKey), 'review');
    expect((await agent.post(pathOf(again), again.body)).body).toMatchObject({ state: 'accepted', payable_by: [] });
  });

  it('pays from credit that covers the price first, and with USDC by the other body', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    const pay = actionOf(await agent.job(jobKey), 'pay');
    expect(pay.body).toMatchObject({ rail: 'x402', method: 'wallet_credit' });
    const [cash] = pay.bodies ?? [];
    expect((await agent.post(pathOf(pay), cash)).status).toBe(402);
    expect((await agent.post(pathOf(pay), pay.body)).body.payment_state).toBe('collected');
    expect((await agent.job(await agent.authorizedJob())).body.next_actions[0].body).not.toHaveProperty('method');
  });

  it('hears why a quote cannot be authorized', async () => {
    const agent = await Agent.arrive(service);
    expect((await agent.quote()).body.next_step).toMatch(/^Authorize it by 2/);
    await service.database.pool.query('update grants set daily_limit_microcents = 1 where principal_key = $1', [
      agent.wallet.address.toLowerCase(),
    ]);
    const { body } = await agent.quote();
    expect([body.next_actions, body.next_step]).toEqual([
      [],
      expect.stringMatching(/limit of the grant leaves no room/),
    ]);
  });
});

describe('an answer to what is wrong', () => {
  it('refuses a quote with nothing to check against, and names the fields', async () => {
    const agent = await Agent.arrive(service);
    const nothing = { request: undefined, criteria: [], rubric: undefined };
    const refused = await agent.quote(nothing);
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/request',
      '/criteria',
      '/rubric',
    ]);
    for (const enough of [{ request: 'Sum it up.' }, { criteria: ['Names a date'] }, { rubric: 'Names a date' }]) {
      expect((await agent.quote({ ...nothing, ...enough })).status).toBe(201);
    }
  });

  it('speaks plainly of each field', async () => {
    const agent = await Agent.arrive(service);
    const { body } = await agent.quote({
      evidence: [],
      correction_request: 'look again',
      max_price_microcents: 'five',
      work_kind: undefined,
      max_evidence_age_seconds: 0,
    });
    const told = Object.fromEntries(
      body.errors.map((error: { pointer: string; detail: string }) => [error.pointer, error.detail]),
    );
    expect(told).toEqual({
      '/evidence': 'It must hold at least 1 item.',
      '/correction_request': 'It must be an object.',
      '/max_price_microcents': 'It must be a number.',
      '/max_evidence_age_seconds': 'It must be at least 1.',
    });
    const observed = await agent.quote({ evidence: [{ source: 'a', text: 'b', observed_at: 'yesterday' }] });
    expect(observed.body.errors[0].detail).toMatch(/^It must be an instant of ISO 8601/);
    const missing = await agent.post('/api/x402/v1/wallets/challenge', {});
    expect(missing.body.errors[0]).toMatchObject({ pointer: '/address', detail: 'It is required.' });
  });

  it('tells what else is wrong ahead of a missing key, and then where to put one', async () => {
    const agent = await Agent.arrive(service);
    const wrong = await agent.quote({ idempotency_key: undefined, evidence: [] });
    expect(wrong.body.errors[0].pointer).toBe('/evidence');
    const keyless = await agent.quote({ idempotency_key: undefined });
    expect(keyless.body).toMatchObject({ code: 'idempotency_key_required', errors: [{ pointer: '/idempotency_key' }] });
    expect(keyless.body.detail).toContain('send it as idempotency_key');
  });
});

describe('over MCP', () => {
  it('asks for exactly one key where a tool takes either', async () => {
    const agent = await Agent.arrive(service);
    const client = await connectMcp('2026-07-28', address, agent.token);
    for (const args of [{}, { quote_key: 'q', job_key: 'j' }]) {
      const { isError, body } = await client.call('svc.purchase_status', args);
      expect([isError, body.code, body.detail]).toEqual([
        true,
        'validation_failed',
        'Give exactly one of quote_key and job_key.',
      ]);
    }
    await client.close();
    const stranger = await connectMcp('2026-07-28', address);
    await expect(stranger.call('svc.purchase_status', {})).rejects.toThrow('No valid credential');
    await stranger.close();
  });

  it('names its tools in every text as the client lists them', async () => {
    const agent = await Agent.arrive(service);
    const client = await connectMcp('2026-07-28', `${address}&names=snake`, agent.token);
    const quote = await client.call('svc_check_work', {
      ...exampleRequest,
      max_price_microcents: Number(price),
      idempotency_key: randomUUID(),
    });
    const job = await client.call('svc_authorize_purchase', {
      quote_key: quote.body.quote_key,
      terms_version: terms.termsVersion,
    });
    const refused = await client.call('svc_get_report', { job_key: job.body.job_key });
    for (const { body, texts } of [quote, job, refused]) {
      expect(body.next_actions[0].mcp_tool).toMatch(/^svc_/);
      expect(texts.join(' ')).not.toMatch(/svc\.(?!work_check|agent_buyer)/);
    }
    for (const { description } of await client.list()) expect(description).not.toMatch(/svc\./);
    await client.close();
  });
});

describe('a rail that is down', () => {
  it('pays from credit while the rail is down', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'supported', times: 'always' });
    service.advanceClock(60);
    try {
      await agent.job(jobKey);
      await expect.poll(async () => actionOf(await agent.job(jobKey), 'pay')?.bodies).toBeUndefined();
      const pay = actionOf(await agent.job(jobKey), 'pay');
      expect((await agent.post(pathOf(pay), pay.body)).body.payment_state).toBe('collected');
    } finally {
      await clearFaults(service.sandbox.controlUrl);
      service.advanceClock(-60);
    }
  });
});
