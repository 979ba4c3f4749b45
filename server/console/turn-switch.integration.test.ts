import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent, type Answer, clearFaults, facilitatorFault } from '../../e2e/support/agent.ts';
import { newAgent, register } from '../../e2e/support/customer.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { operatorContext, pageContext } from '../transports/context.ts';

const service = await startService();
const { pool } = service.database;
const names = ['service', 'registrations', 'card', 'x402'] as const;
type Name = (typeof names)[number];

const turn = (name: Name, state: 'on' | 'off', reason = 'a trial') =>
  perform('turn_switch', operatorContext(service.runtime), { name, state, reason });

afterEach(async () => {
  for (const name of names) await turn(name, 'on');
  await clearFaults(service.sandbox.controlUrl);
});

const refusalOf = ({ status, body }: Answer) => [status, body.code, body.reasons, body.retryable];
const read = async (agent: Agent, quoteKey: string) => {
  const { body } = await agent.get(`/api/agent/v1/purchases/${quoteKey}`);
  return [body.state, body.next_actions.map(({ action }: { action: string }) => action)];
};
const actionsOf = async (agent: Agent, jobKey: string) =>
  (await agent.job(jobKey)).body.next_actions.map(({ action }: { action: string }) => action);
const contractOf = async (agent: Agent) => (await agent.get('/api/agent/v1/services/svc_work_check')).body.availability;

describe.each([
  ['service', ['service_disabled', 'no_payment_rail_available'], ['service_disabled', 'no_payment_rail_available']],
  ['x402', ['rail_disabled', 'no_payment_rail_available'], ['no_payment_rail_available', 'rail_disabled']],
] as const)('with the switch %s off', (name, reasons, quoteReasons) => {
  it('nothing new is sold, and it says why; what was quoted can be bought once it is on again', async () => {
    const agent = await Agent.arrive(service);
    const { body: quote } = await agent.quote();
    const waiting = await agent.authorizedJob();
    const signature = await agent.signPayment(waiting);
    await turn(name, 'off');
    expect(refusalOf(await agent.quote())).toEqual([503, 'service_unavailable', quoteReasons, false]);
    expect(await read(agent, quote.quote_key)).toEqual(['rejected', []]);
    const { body: list } = await agent.get('/api/agent/v1/purchases');
    expect(list.purchases.map(({ state }: { state: string }) => state)).toEqual(['authorized', 'rejected']);
    const authorized = await agent.authorize(quote.quote_key);
    expect(refusalOf(authorized)).toEqual([503, 'service_unavailable', reasons, false]);
    expect(authorized.headers.has('retry-after')).toBe(false);
    expect(await actionsOf(agent, waiting)).toEqual(['cancel']);
    for (const attempt of [await agent.pay(waiting), await agent.pay(waiting, { signature })]) {
      expect(refusalOf(attempt)).toEqual([503, 'service_unavailable', reasons, false]);
    }
    await turn(name, 'on');
    expect(await read(agent, quote.quote_key)).toEqual(['open', ['authorize']]);
    expect((await agent.authorize(quote.quote_key)).status).toBe(201);
    expect((await agent.pay(waiting, { signature })).status).toBe(200);
  });

  it('credit is not spent, and a job that was authorized is answered again', async () => {
    const agent = await Agent.arrive(service);
    await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
    const { body: quote } = await agent.quote();
    const { body: job } = await agent.authorize(quote.quote_key);
    await turn(name, 'off');
    const again = await agent.authorize(quote.quote_key);
    expect([again.status, again.body.job_key]).toEqual([200, job.job_key]);
    const spent = await agent.post(`/api/agent/v1/jobs/${job.job_key}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: 'spend',
    });
    expect(refusalOf(spent)).toEqual([503, 'service_unavailable', reasons, false]);
  });

  it('open payments, jobs, reviews and refunds go on', async () => {
    const agent = await Agent.arrive(service);
    const [paid, open] = [await agent.paidJob(), await agent.authorizedJob()];
    const signature = await agent.signPayment(open);
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'drop_before_settle' });
    expect((await agent.pay(open, { signature })).body.code).toBe('payment_unknown');
    await clearFaults(service.sandbox.controlUrl);
    await turn(name, 'off');
    expect((await agent.pay(open, { signature })).status).toBe(200);
    for (let round = 0; round < 2; round += 1) {
      await service.execute(paid);
      const dispute = { decision: 'dispute', reason: 'report_incomplete' };
      expect((await agent.post(`/api/agent/v1/jobs/${paid}/review`, dispute)).status).toBe(200);
    }
    await service.sweep();
    await service.sweep();
    expect((await agent.job(paid)).body.payment_state).toBe('refunded');
  });
});

describe('what is switched off', () => {
  it('is told at once where the service is discovered', async () => {
    const agent = await Agent.arrive(service);
    expect(await contractOf(agent)).toMatchObject({ state: 'available', reasons: [] });
    await turn('service', 'off');
    expect(await contractOf(agent)).toMatchObject({
      state: 'unavailable',
      reasons: ['service_disabled', 'no_payment_rail_available'],
    });
    await turn('service', 'on');
    await turn('x402', 'off');
    expect(await contractOf(agent)).toMatchObject({
      state: 'unavailable',
      purchasable_rails: [],
      reasons: ['no_payment_rail_available'],
      rails: { x402: { state: 'unavailable', reasons: ['rail_disabled'] } },
    });
    await turn('x402', 'on');
    await turn('card', 'off');
    expect((await contractOf(agent)).rails.card.reasons).toContain('card_disabled');
    expect((await contractOf(agent)).state).toBe('available');
  });

  it('takes in nobody new, while members still sign in and wallets still buy', async () => {
    await turn('registrations', 'off');
    const agent = await Agent.arrive(service);
    expect((await contractOf(agent)).registrations).toEqual({ state: 'closed', reasons: ['registrations_closed'] });
    const refused = await register(newAgent(service), 'somebody@example.com');
    expect([refused.status, refused.body.code]).toEqual([503, 'registrations_closed']);
    const link = await agent.post('/api/agent/v1/members/sign-in-link', { email: 'somebody@example.com' });
    expect(link.status).toBe(202);
    expect((await agent.pay(await agent.authorizedJob())).status).toBe(402);
  });
});

describe('a switch', () => {
  it('is turned by an operator with a reason, by command, and every turn is kept', async () => {
    const agent = await Agent.arrive(service);
    const command = path.resolve(import.meta.dirname, '../../commands/switch.ts');
    const { configuration } = service.runtime;
    const env = {
      ...process.env,
      DATABASE_URL: service.database.url,
      BASE_URL: service.baseUrl,
      ENVIRONMENT: 'test',
      SECRET_KEY: service.environment.SECRET_KEY,
      NEXTAUTH_SECRET: configuration.sessionSecret,
      RECEIPT_KEYS_FILE: service.environment.RECEIPT_KEYS_FILE,
    };
    const turned = (...words: string[]) => promisify(execFile)(process.execPath, [command, ...words], { env });
    await expect(turned('service', 'perhaps', 'so')).rejects.toThrow(/state: /);
    expect((await turned('service', 'off', 'the', 'assessor', 'errs')).stdout).toBe('service is off.\n');
    expect((await agent.quote()).body.reasons).toEqual(['service_disabled', 'no_payment_rail_available']);
    const { rows } = await pool.query(
      'select name, state, reason, actor from switch_changes order by sequence desc limit 1',
    );
    expect(rows).toEqual([{ name: 'service', state: 'off', reason: 'the assessor errs', actor: 'operator' }]);
    await expect(pool.query('delete from switch_changes')).rejects.toThrow('only grows');
  });

  it('is one of four, on or off, and never turned without a reason', async () => {
    const context = operatorContext(service.runtime);
    for (const [input, pointer] of [
      [{ name: 'mail', state: 'off', reason: 'so' }, '/name'],
      [{ name: 'service', state: 'perhaps', reason: 'so' }, '/state'],
      [{ name: 'service', state: 'off', reason: '  ' }, '/reason'],
    ] as const) {
      await expect(perform('turn_switch', context, input)).rejects.toMatchObject({
        code: 'validation_failed',
        extras: { errors: [{ pointer }] },
      });
    }
  });

  it('is no operation of customers: no address, no tool, and no credential opens it', async () => {
    const agent = await Agent.arrive(service);
    for (const address of ['/console/switches/service', '/api/agent/v1/console/switches/service']) {
      expect((await agent.post(address, { state: 'off', reason: 'mine' })).status).toBe(404);
    }
    const context = pageContext(service.runtime, null);
    const asAgent = { ...context, presented: { bearer: agent.token, memberSession: null } };
    for (const ctx of [context, asAgent]) {
      await expect(
        perform('turn_switch', ctx, { name: 'service', state: 'off', reason: 'mine' }),
      ).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect((await contractOf(agent)).state).toBe('available');
  });
});
