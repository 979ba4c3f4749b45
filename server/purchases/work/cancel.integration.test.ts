import { describe, expect, it } from 'vitest';
import { Agent, settlementsOf } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';

const service = await startService();

describe('canceling', () => {
  it('against paying, 50 of each at once: one collection at most, and the loser is refused or made good', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    const cancel = () => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    const pay = () => agent.pay(jobKey, { signature });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? pay() : cancel())));
    for (const { status, body } of answers) {
      const outcome = status === 200 ? body.state : body.code;
      expect(['queued', 'running', 'canceled', 'action_not_allowed', 'payment_unknown']).toContain(outcome);
    }
    await service.sweep();
    const { body: job } = await agent.job(jobKey);
    const transactions = (await settlementsOf(service.sandbox.controlUrl, agent.wallet.address)).flatMap(
      (settlement) => settlement.transactions,
    );
    const { wallet_credit_microcents: credit, spend } = (await agent.get('/api/agent/v1/me')).body;
    expect([job.state, job.payment_state, transactions.length, credit]).toBeOneOf([
      ['queued', 'collected', 1, 0],
      ['canceled', 'credited', 1, 500_000_000],
      ['canceled', 'none', 0, 0],
    ]);
    expect(spend.today_microcents).toBe(job.state === 'queued' ? 500_000_000 : 0);
  });

  it('again answers with the same job', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const [first, second] = [1, 2].map(() => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`));
    expect((await first)?.text).toBe((await second)?.text);
  });
});
