import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault, settlementsOf } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';

const service = await startService();
const { controlUrl } = service.sandbox;
const arrive = () => Agent.arrive(service);
const transactionsOf = async (agent: Agent) =>
  (await settlementsOf(controlUrl, agent.wallet.address)).flatMap((settlement) => settlement.transactions);

const cancelPayment = (agent: Agent, jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`);

/** How long a job waits for its payment, in seconds. */
const payWindow = 86_400;

/** What the agent reads that many seconds later, before any sweep. */
async function later<T>(agent: Agent, wait: number, look: () => Promise<T>): Promise<T> {
  service.advanceClock(wait);
  await agent.signIn();
  try {
    return await look();
  } finally {
    service.advanceClock(-wait);
  }
}

afterEach(() => clearFaults(controlUrl));

describe('paying over x402', () => {
  it.each(['eip155:84532', 'eip155:421614'])(
    'collects on %s, and the receipt names the transaction',
    async (network) => {
      const agent = await arrive();
      const jobKey = await agent.authorizedJob();
      const paid = await agent.pay(jobKey, { network, signature: await agent.signPayment(jobKey, network) });
      expect(paid.status).toBe(200);
      const receipt = await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`);
      const [transaction] = await transactionsOf(agent);
      expect(receipt.body.collection.reference).toBe(`${network}:${transaction}`);
    },
  );

  it('asks for the price on both chains while unpaid, and opens no attempt by that', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const unpaid = await agent.pay(jobKey);
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers.get('cache-control')).toBe('no-store');
    expect(
      unpaid.body.accepts.map((offer: { network: string; amount: string }) => [offer.network, offer.amount]),
    ).toEqual([
      ['eip155:84532', '5000000'],
      ['eip155:421614', '5000000'],
    ]);
    expect((await agent.job(jobKey)).body.payment_state).toBe('none');
  });

  it('collects once when one signature is presented 100 times at once', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 100 }, () => agent.pay(jobKey, { key, signature })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 409]));
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(answer.body.code).toBe('payment_unknown');
      expect(answer.headers.get('retry-after')).toBeTruthy();
    }
    expect(await transactionsOf(agent)).toHaveLength(1);
    const [a, b] = await Promise.all([agent.pay(jobKey, { key, signature }), agent.pay(jobKey, { key, signature })]);
    expect([a.status, a.text]).toEqual([200, b.text]);
    expect(a.headers.get('payment-response')).toBe(b.headers.get('payment-response'));
  });

  it('pays one job when one signature is presented for two at once', async () => {
    const agent = await arrive();
    const jobs = await Promise.all([agent.authorizedJob(), agent.authorizedJob()]);
    const signature = await agent.signPayment(jobs[0]);
    const answers = await Promise.all(
      jobs.flatMap((job) => Array.from({ length: 10 }, () => agent.pay(job, { signature }))),
    );
    expect(answers.some((answer) => answer.body.code === 'payment_already_used')).toBe(true);
    const states = await Promise.all(jobs.map(async (job) => (await agent.job(job)).body.payment_state));
    expect(states.toSorted()).toEqual(['collected', 'none']);
    expect(await transactionsOf(agent)).toHaveLength(1);
  });

  it('answers 402 with the reason when the payer has no money, and the job can still be paid', async () => {
    const poor = new Agent(service.baseUrl, `0x${'17'.repeat(32)}`);
    await poor.signIn();
    const jobKey = await poor.authorizedJob();
    const refused = await poor.pay(jobKey, { signature: await poor.signPayment(jobKey) });
    expect(refused.status).toBe(402);
    expect(refused.body.error).toContain('insufficient');
    expect((await poor.job(jobKey)).body).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
  });

  it('refuses a header that is no payment, and a rail or chain that is not there', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    expect((await agent.pay(jobKey, { signature: 'nonsense' })).status).toBe(402);
    expect((await agent.pay(jobKey, { network: 'eip155:1' })).body).toMatchObject({ code: 'validation_failed' });
    const card = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, { rail: 'card', idempotency_key: 'k' });
    expect([card.status, card.body.reasons[0]]).toEqual([503, 'card_disabled']);
  });
});

describe('an outcome that is not known', () => {
  it('is a state: no fresh 402, no cancel, and the chain decides', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    await facilitatorFault(controlUrl, { mode: 'drop_before_settle' });
    const lost = await agent.pay(jobKey, { signature });
    expect([lost.status, lost.body.code]).toEqual([409, 'payment_unknown']);
    expect((await agent.job(jobKey)).body).toMatchObject({ payment_state: 'unknown', next_actions: [] });
    expect((await agent.pay(jobKey)).body.code).toBe('payment_unknown');
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`)).body.code).toBe('payment_unknown');
    expect(await transactionsOf(agent)).toHaveLength(0);
    // The same signature may be sent again: it can move the money at most once.
    const repeated = await agent.pay(jobKey, { signature });
    expect([repeated.status, repeated.body.state]).toEqual([200, 'queued']);
    expect(await transactionsOf(agent)).toHaveLength(1);
  });

  it('is found by the sweep when the money moved and every answer was lost', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    await service.database.pool.query('alter table receipts rename to receipts_away');
    const failed = await agent.pay(jobKey, { signature });
    expect(failed.status).toBe(500);
    await service.database.pool.query('alter table receipts_away rename to receipts');
    expect(await transactionsOf(agent)).toHaveLength(1);
    service.advanceClock(10);
    await service.sweep();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    const repeated = await agent.pay(jobKey, { signature });
    expect(repeated.status).toBe(200);
    expect(await transactionsOf(agent)).toHaveLength(1);
    service.advanceClock(-10);
  });

  it('is settled on the spot when the facilitator breaks off after the transfer', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(controlUrl, { mode: 'drop_after_settle' });
    const paid = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    expect([paid.status, paid.body.payment_state]).toEqual([200, 'collected']);
  });

  it('does not believe a facilitator that claims a transfer which the chain does not know', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(controlUrl, { mode: 'lie' });
    const lied = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    expect([lied.status, lied.body.code]).toEqual([409, 'payment_unknown']);
    expect((await agent.job(jobKey)).body.state).toBe('awaiting_payment');
  });
});

describe('wallet credit', () => {
  /** An agent whose first job was canceled after payment: its price is credit now. */
  async function withCredit(): Promise<Agent> {
    const agent = await arrive();
    await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
    expect(await creditOf(agent)).toBe(500_000_000);
    return agent;
  }
  const creditOf = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents;
  const spend = (agent: Agent, jobKey: string, key: string = randomUUID()) =>
    agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: key,
    });

  it('pays for a job like money does, and moves none', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    const paid = await spend(agent, jobKey);
    expect([paid.status, paid.body.state, paid.body.payment_state]).toEqual([200, 'queued', 'collected']);
    expect(await creditOf(agent)).toBe(0);
    const receipt = await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`);
    expect(receipt.body.collection).toMatchObject({ method: 'wallet_credit', amount_microcents: 500_000_000 });
    expect(await transactionsOf(agent)).toHaveLength(1);
    await service.execute(jobKey);
    const accepted = await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
    expect([accepted.status, accepted.body.charge_state]).toEqual([200, 'final']);
  });

  it('becomes credit again when the job is canceled, and is spent by its principal only', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    await spend(agent, jobKey);
    const canceled = await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    expect(canceled.body.payment_state).toBe('credited');
    expect(await creditOf(agent)).toBe(500_000_000);
    const stranger = await arrive();
    const refused = await spend(stranger, await stranger.authorizedJob());
    expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
    expect(refused.body.detail).toContain('0.00 USD');
  });

  it('pays one of ten jobs that want it at once', async () => {
    const agent = await withCredit();
    const jobs = await Promise.all(Array.from({ length: 10 }, () => agent.authorizedJob()));
    const answers = await Promise.all(jobs.map((job) => spend(agent, job)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(await creditOf(agent)).toBe(0);
  });

  it('is spent once when the request is repeated 20 times at once, and answers each with the same bytes', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    const answers = await Promise.all(Array.from({ length: 20 }, () => spend(agent, jobKey, 'one-key')));
    const paid = answers.filter(({ status }) => status === 200);
    expect(new Set(paid.map(({ text }) => text)).size).toBe(1);
    expect((await spend(agent, jobKey, 'one-key')).text).toBe(paid[0]?.text);
    const again = await spend(agent, jobKey);
    expect([again.status, again.body.code]).toEqual([409, 'action_not_allowed']);
  });

  it('does not pay beside a signed payment that is open', async () => {
    const agent = await withCredit();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(controlUrl, { mode: 'drop_before_settle' });
    const signature = await agent.signPayment(jobKey);
    await agent.pay(jobKey, { signature });
    expect((await spend(agent, jobKey)).body.code).toBe('payment_unknown');
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
    expect(await creditOf(agent)).toBe(500_000_000);
  });
});

describe('canceling a payment', () => {
  it('is refused where none is open', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const refused = await cancelPayment(agent, jobKey);
    expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
    expect((await cancelPayment(agent, await agent.paidJob())).body.code).toBe('action_not_allowed');
  });

  it('is refused while the chain can still carry the payment out', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(controlUrl, { mode: 'drop_before_settle' });
    const signature = await agent.signPayment(jobKey);
    await agent.pay(jobKey, { signature });
    const refused = await cancelPayment(agent, jobKey);
    expect([refused.status, refused.body.code]).toEqual([409, 'payment_unknown']);
    expect(refused.headers.get('retry-after')).toBeTruthy();
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
  });

  it('finds a payment that arrived unnoticed, and says so', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    await service.database.pool.query('alter table receipts rename to receipts_away');
    await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    await service.database.pool.query('alter table receipts_away rename to receipts');
    const refused = await cancelPayment(agent, jobKey);
    expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
  });
});

describe('a buyer who comes back late', () => {
  it('is told that its signature has paid, and never asked for another', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    await agent.pay(jobKey, { signature });
    service.advanceClock(300);
    const late = await agent.pay(jobKey, { signature });
    service.advanceClock(-300);
    expect([late.status, late.body.payment_state]).toEqual([200, 'collected']);
  });
});

describe('a job that nobody paid for in time', () => {
  it('cannot be paid any more, by money or by credit, and says so', async () => {
    const agent = await arrive();
    await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    await later(agent, payWindow, async () => {
      expect((await agent.job(jobKey)).body).toMatchObject({
        state: 'canceled',
        payment_state: 'none',
        progress: { stage: 'canceled' },
        next_actions: [],
      });
      expect((await agent.get('/api/agent/v1/jobs')).body.jobs[0]).toMatchObject({
        state: 'canceled',
        next_actions: [],
      });
      const path = `/api/agent/v1/jobs/${jobKey}`;
      const payWithCredit = agent.post(`${path}/payments`, {
        rail: 'x402',
        method: 'wallet_credit',
        idempotency_key: randomUUID(),
      });
      for (const refused of [await agent.pay(jobKey), await agent.pay(jobKey, { signature }), await payWithCredit]) {
        expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
        expect(refused.body.detail).toContain('Ask for a new quote');
      }
      expect((await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents).toBe(500_000_000);
      const report = await agent.get(`${path}/report`);
      expect([report.body.code, report.headers.get('retry-after')]).toEqual(['action_not_allowed', null]);
      expect((await agent.post(`${path}/cancel`)).body.state).toBe('canceled');
      expect((await agent.send('DELETE', `${path}/content`)).status).toBe(200);
      await service.sweep();
      expect((await agent.job(jobKey)).body).toMatchObject({ state: 'canceled', next_actions: [] });
    });
    expect(await transactionsOf(agent)).toHaveLength(1);
  });

  it('is payable until its very last second', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const unpaid = await later(agent, payWindow - 60, () => agent.pay(jobKey));
    expect(unpaid.status).toBe(402);
  });

  it('was paid all the same when its signature did that before', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    await agent.pay(jobKey, { signature });
    const repeated = await later(agent, payWindow, () => agent.pay(jobKey, { signature }));
    expect([repeated.status, repeated.body.payment_state]).toEqual([200, 'collected']);
  });
});

// Last, because a chain whose time has moved rejects what was signed by the real clock.
describe('a signature that has run out', () => {
  /** A job with an open payment that was not carried out. */
  async function openPayment(network: string): Promise<[Agent, string]> {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    await facilitatorFault(controlUrl, { mode: 'refuse' });
    const refused = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, network) });
    expect([refused.status, refused.body.code]).toEqual([409, 'payment_unknown']);
    return [agent, jobKey];
  }
  const runOut = (network: string) =>
    controlClient(controlUrl).chainFault(network, { mode: 'advance_time', seconds: 200 });

  it('is found by the reconciler, and the job can be paid anew', async () => {
    const [agent, jobKey] = await openPayment('eip155:84532');
    await runOut('eip155:84532');
    await service.sweep();
    const actions = (await agent.job(jobKey)).body.next_actions.map((next: { action: string }) => next.action);
    expect(actions).toEqual(['pay', 'cancel']);
    const paid = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, 'eip155:421614') });
    expect(paid.status).toBe(200);
  });

  it('is canceled at once, and once, when its agent asks for that, and the job with it when its time to pay has passed', async () => {
    const [agent, jobKey] = await openPayment('eip155:421614');
    const [lateAgent, lateJobKey] = await openPayment('eip155:421614');
    expect((await agent.job(jobKey)).body.next_actions).toEqual([]);
    await runOut('eip155:421614');
    expect(await later(agent, 200, async () => (await agent.job(jobKey)).body.next_actions)).toMatchObject([
      { action: 'cancel_payment', mcp_tool: 'svc.cancel_payment' },
    ]);
    const answers = await Promise.all([1, 2, 3].map(() => cancelPayment(agent, jobKey)));
    const [canceled, ...refused] = answers.toSorted((one, other) => one.status - other.status);
    expect([canceled?.status, canceled?.body.state, canceled?.body.payment_state]).toEqual([
      200,
      'awaiting_payment',
      'none',
    ]);
    expect(refused.map(({ body }) => body.code)).toEqual(['action_not_allowed', 'action_not_allowed']);

    await later(lateAgent, payWindow, async () => {
      expect((await lateAgent.job(lateJobKey)).body).toMatchObject({
        state: 'awaiting_payment',
        payment_state: 'unknown',
      });
      expect((await cancelPayment(lateAgent, lateJobKey)).body).toMatchObject({
        state: 'canceled',
        payment_state: 'none',
        next_actions: [],
      });
    });
  });
});
