import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { authenticate } from '../../identity/authenticate.ts';
import { endOfUtcDay } from '../../kernel/clock.ts';
import { newKey } from '../../kernel/id.ts';
import { transact } from '../../kernel/transaction.ts';
import type { Context } from '../../runtime.ts';
import { price, service as terms } from '../../service/terms.ts';
import { verbs } from '../../verbs.ts';

// Specification 4.8: the room under a grant's limits follows cash.

const service = await startService();
const { pool } = service.database;
const control = controlClient(service.sandbox.controlUrl);

type Limits = Partial<Record<'per_job' | 'daily' | 'total', bigint>>;
const keyOf = (agent: Agent) => agent.wallet.address.toLowerCase();

async function limit(agent: Agent, limits: Limits): Promise<void> {
  for (const [name, amount] of Object.entries(limits)) {
    await pool.query(`update grants set ${name}_limit_microcents = $1 where principal_key = $2`, [
      amount,
      keyOf(agent),
    ]);
  }
}

async function arrive(limits: Limits): Promise<Agent> {
  const agent = await Agent.arrive(service);
  await limit(agent, limits);
  return agent;
}

const authorizeNew = async (agent: Agent) => agent.authorize((await agent.quote()).body.quote_key);
const cancel = (agent: Agent, jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
const payFromCredit = (agent: Agent, jobKey: string) =>
  agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
    rail: 'x402',
    method: 'wallet_credit',
    idempotency_key: jobKey,
  });
const codeOf = ({ status, body }: Answer) => [status, body?.code];
const actionsOf = ({ body }: Answer) => body.next_actions.map(({ action }: { action: string }) => action);
const cashFrom = async (agent: Agent) => {
  const paid = await control.transfers(84532, { from: agent.wallet.address, to: service.sandbox.payTo });
  return paid.length;
};
const usedBy = async (agent: Agent) => {
  const { body } = await agent.get('/api/agent/v1/me');
  return body.spend.total_microcents;
};

/** A job whose charge was waived after its second dispute: a refund is owed. */
async function waivedJob(agent: Agent): Promise<string> {
  const jobKey = await agent.paidJob();
  for (let round = 0; round < 2; round += 1) {
    await service.execute(jobKey);
    const dispute = { decision: 'dispute', reason: 'report_incomplete' };
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, dispute)).status).toBe(200);
  }
  return jobKey;
}

describe('a daily limit of one price', () => {
  it('bounds the cash of a day, however often a job is paid, canceled and bought again', async () => {
    const agent = await arrive({ daily: price });
    const first = await agent.paidJob();
    expect((await cancel(agent, first)).body.payment_state).toBe('credited');
    const again = await authorizeNew(agent);
    expect([again.status, again.body.payable_by]).toEqual([201, ['wallet_credit']]);
    const { job_key: jobKey } = again.body;
    const unpaid = await agent.pay(jobKey);
    expect(codeOf(unpaid)).toEqual([403, 'grant_limit_exceeded']);
    expect(unpaid.body).toMatchObject({ limit: 'daily', limit_microcents: Number(price), remaining_microcents: 0 });
    expect((await payFromCredit(agent, jobKey)).body.payment_state).toBe('collected');
    expect((await cancel(agent, jobKey)).body.payment_state).toBe('credited');
    expect(await usedBy(agent)).toBe(Number(price));
    expect(await cashFrom(agent)).toBe(1);
  });

  it('leaves no room before money that goes back has arrived', async () => {
    const agent = await arrive({ daily: price });
    await waivedJob(agent);
    const { body: quote } = await agent.quote();
    expect(actionsOf(await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`))).toEqual([]);
    expect(codeOf(await agent.authorize(quote.quote_key))).toEqual([403, 'grant_limit_exceeded']);
    await service.sweep();
    await service.sweep();
    expect(await usedBy(agent)).toBe(0);
    expect(actionsOf(await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`))).toEqual(['authorize']);
    const { status, body } = await agent.authorize(quote.quote_key);
    expect([status, body.payable_by]).toEqual([201, ['x402', 'wallet_credit']]);
  });
});

describe('a job that credit pays for', () => {
  it('gives back the room that it took when it was authorized', async () => {
    const agent = await arrive({ daily: 2n * price });
    await cancel(agent, await agent.paidJob());
    const jobKey = await agent.authorizedJob();
    expect(await usedBy(agent)).toBe(2 * Number(price));
    expect((await payFromCredit(agent, jobKey)).status).toBe(200);
    expect(await usedBy(agent)).toBe(Number(price));
  });

  it('needs credit that covers the price to be authorized without room, and lists only what works', async () => {
    const agent = await arrive({ daily: price });
    const first = await agent.paidJob();
    expect(codeOf(await authorizeNew(agent))).toEqual([403, 'grant_limit_exceeded']);
    await cancel(agent, first);
    const [one, two] = [(await authorizeNew(agent)).body, (await authorizeNew(agent)).body];
    expect([actionsOf({ body: one } as Answer), actionsOf({ body: two } as Answer)]).toEqual([
      ['pay', 'cancel'],
      ['pay', 'cancel'],
    ]);
    // The body in the answer works as it is.
    const listed = one.next_actions.find(({ action }: { action: string }) => action === 'pay');
    expect((await agent.post(new URL(listed.href).pathname, listed.body)).body.payment_state).toBe('collected');
    expect(actionsOf(await agent.job(two.job_key))).toEqual(['cancel']);
    expect(codeOf(await payFromCredit(agent, two.job_key))).toEqual([409, 'action_not_allowed']);
    expect((await cancel(agent, two.job_key)).body.payment_state).toBe('none');
    expect(await usedBy(agent)).toBe(Number(price));
  });

  it('keeps the per-job limit', async () => {
    const agent = await arrive({});
    await cancel(agent, await agent.paidJob());
    const { body: quote } = await agent.quote();
    await limit(agent, { per_job: price - 1n, daily: price });
    expect(actionsOf(await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`))).toEqual([]);
    const refused = await agent.authorize(quote.quote_key);
    expect([...codeOf(refused), refused.body.limit]).toEqual([403, 'grant_limit_exceeded', 'per_job']);
  });

  it('comes back as credit when its charge is waived, and takes no room', async () => {
    const agent = await arrive({ daily: price });
    await cancel(agent, await agent.paidJob());
    const { job_key: jobKey } = (await authorizeNew(agent)).body;
    await payFromCredit(agent, jobKey);
    for (let round = 0; round < 2; round += 1) {
      await service.execute(jobKey);
      const dispute = { decision: 'dispute', reason: 'report_incomplete' };
      await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, dispute);
    }
    expect((await agent.job(jobKey)).body.payment_state).toBe('credited');
    expect(await usedBy(agent)).toBe(Number(price));
    expect(await cashFrom(agent)).toBe(1);
  });

  it('takes no cash in the database either', async () => {
    const agent = await arrive({ daily: price });
    const paid = await agent.paidJob();
    await cancel(agent, paid);
    const { job_key: jobKey } = (await authorizeNew(agent)).body;
    const cash = `insert into payments select (jsonb_populate_record(p, jsonb_build_object(
      'payment_key', 'pay_x', 'job_key', $1::text, 'nonce', '0x1'))).*
      from payments p where job_key = $2`;
    await expect(pool.query(cash, [jobKey, paid])).rejects.toThrow('may take no cash');
  });
});

describe('the last of a total limit', () => {
  it('goes to one of two authorizations on either side of midnight', async () => {
    const { runtime } = service;
    const midnight = endOfUtcDay(runtime.clock());
    const untilMidnight = (midnight.getTime() - runtime.clock().getTime()) / 1000;
    service.advanceClock(untilMidnight - 60);
    const agent = await arrive({ total: price });
    const context: Context = {
      runtime,
      now: runtime.clock(),
      requestId: newKey('req'),
      baseUrl: service.baseUrl,
      presented: { bearer: agent.token, memberSession: null },
      origin: '127.0.0.1',
      idempotencyKey: null,
      payment: null,
      isVersion1: false,
      signIn: null,
      wait: null,
    };
    const { caller } = await authenticate(context);
    if (caller.kind !== 'wallet') expect.unreachable();
    const [before, since] = [(await agent.quote()).body.quote_key, (await agent.quote()).body.quote_key];
    service.advanceClock(60 - untilMidnight);
    const gate = Promise.withResolvers<void>();
    /** Authorizes at an instant, reports that, and commits once the gate opens. */
    const authorize = (quote_key: string, now: Date, done: () => void) =>
      transact(runtime.db, async (tx) => {
        const input = { quote_key, terms_version: terms.termsVersion };
        const reply = await verbs.authorize({ ctx: { ...context, now }, caller, input, tx });
        done();
        await gate.promise;
        return reply;
      }).then(
        () => 'authorized',
        (error) => error.code,
      );
    const authorized = Promise.withResolvers<void>();
    const first = authorize(before, new Date(midnight.getTime() - 1_000), authorized.resolve);
    await authorized.promise;
    const second = authorize(since, new Date(midnight.getTime() + 1_000), () => {});
    await setTimeout(500);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual(['authorized', 'grant_limit_exceeded']);
  });
});
