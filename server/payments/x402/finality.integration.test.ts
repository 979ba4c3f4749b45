import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { transact } from '../../kernel/transaction.ts';
import { waiveCharge } from '../../purchases/review/waive.ts';
import { reconcile } from '../../purchases/rounds/reconcile.ts';
import type { Runtime } from '../../runtime.ts';
import { x402Rail } from './rail.ts';
import { openStablecoins } from './stablecoins.ts';

const service = await startService();
const { sandbox, runtime } = service;
const control = controlClient(sandbox.controlUrl);
const chain = 84532;
const given = (agent: Agent) => control.transfers(chain, { from: sandbox.payTo, to: agent.wallet.address });
const x402 = runtime.configuration.x402 ?? expect.unreachable();
const over = (configuration: typeof x402): Runtime => ({
  ...runtime,
  rails: new Map([['x402', x402Rail(openStablecoins(configuration))]]),
});

describe('a chain that may take its newest blocks back', () => {
  it('is given no money back before the payment is final, where money is real', async () => {
    const live = over({ ...x402, refundsWaitForFinality: true });
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    const waiver = { transition: 'waive', jobKey, actor: 'operator', now: runtime.clock() } as const;
    await transact(runtime.db, (tx) => waiveCharge(tx, runtime, waiver, { review_state: 'not_open' }));
    const rounds = async () => {
      for (let round = 1; round <= 3; round += 1) {
        service.advanceClock(31);
        await reconcile(live);
      }
      service.advanceClock(-93);
    };
    await rounds();
    expect(await given(agent)).toEqual([]);
    expect((await agent.job(jobKey)).body.payment_state).toBe('refund_pending');
    await control.chainFault(chain, { mode: 'mine', blocks: 30 });
    service.advanceClock(93);
    await rounds();
    service.advanceClock(-93);
    expect(await given(agent)).toHaveLength(1);
    expect((await agent.job(jobKey)).body.payment_state).toBe('refunded');
    await service.sweep();
  });

  it('has paid once as many blocks hold the transfer as that chain asks for, and no sooner', async () => {
    const door = over({ ...x402, confirmations: { ...x402.confirmations, 'eip155:84532': 3 } });
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    await control.facilitatorFault({ mode: 'drop_before_settle' });
    const signature = await agent.signPayment(jobKey);
    expect((await agent.pay(jobKey, { signature })).body.code).toBe('payment_unknown');
    await control.clearFacilitatorFaults();
    await service.carryOut(signature);
    const paymentState = async () => {
      service.advanceClock(31);
      await reconcile(door);
      service.advanceClock(-31);
      return (await agent.job(jobKey)).body.payment_state;
    };
    expect(await paymentState()).toBe('unknown');
    await control.chainFault(chain, { mode: 'mine', blocks: 2 });
    service.advanceClock(62);
    expect(await paymentState()).toBe('collected');
    service.advanceClock(-62);
  });
});

describe('what was paid out of credit', () => {
  it('comes back as credit, and never as cash', async () => {
    const agent = await Agent.arrive(service);
    await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
    const jobKey = await agent.authorizedJob();
    await agent.post(
      `/api/agent/v1/jobs/${jobKey}/payments`,
      { rail: 'x402', method: 'wallet_credit' },
      {
        'idempotency-key': 'credit',
      },
    );
    for (let report = 1; report <= 2; report += 1) {
      await service.execute(jobKey);
      const { report_digest } = (await agent.job(jobKey)).body;
      await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'dispute', reason: 'other', report_digest });
    }
    for (let round = 1; round <= 3; round += 1) await service.sweep();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'waived', payment_state: 'credited' });
    expect((await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents).toBe(500_000_000);
    expect(await given(agent)).toEqual([]);
  });
});
