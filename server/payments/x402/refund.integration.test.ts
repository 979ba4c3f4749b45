import { afterEach, describe, expect, it } from 'vitest';
import { Agent, facilitatorFailures } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { microcents } from '../../kernel/money.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { accepted, credited } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { waiveCharge } from '../../purchases/review/waive.ts';
import { reconcile } from '../../purchases/rounds/reconcile.ts';
import { requestRefund } from '../refund.ts';
import { x402Rail } from './rail.ts';
import { openStablecoins, type Stablecoins } from './stablecoins.ts';

const service = await startService();
const { runtime, sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const price = microcents(500_000_000);

async function deliveredJob(agent: Agent, network = 'eip155:84532'): Promise<string> {
  const jobKey = await agent.authorizedJob();
  await agent.pay(jobKey, { network, signature: await agent.signPayment(jobKey, network) });
  await service.execute(jobKey);
  return jobKey;
}

/** A job whose charge the service waived: its collection is owed back. */
async function waivedJob(agent: Agent, network?: string): Promise<string> {
  const jobKey = await deliveredJob(agent, network);
  await transact(runtime.db, (tx) =>
    waiveCharge(
      tx,
      runtime,
      { transition: 'waive', jobKey, actor: 'operator', now: runtime.clock() },
      { review_state: 'not_open' },
    ),
  );
  return jobKey;
}

const moneyOf = async (agent: Agent, jobKey: string) => {
  const [job, receipt] = await Promise.all([agent.job(jobKey), agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)]);
  return { payment: job.body.payment_state, remedy: receipt.body.remedy, collection: receipt.body.collection };
};
/** What this agent got back on the chain. */
const given = (agent: Agent, chain = 84532) =>
  control.transfers(chain, { from: sandbox.payTo, to: agent.wallet.address });

/** Runs the worker's rounds until nothing is due. */
async function settleDown(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    service.advanceClock(70);
    await service.sweep();
  }
  service.advanceClock(-3 * 70);
}

afterEach(async () => {
  await control.clearFacilitatorFaults();
  await control.clearChainFaults(84532);
});

describe('what was collected', () => {
  /** Tries work on a delivered job, then takes it back: the books must stay as they were. */
  async function tried(work: (tx: Tx, jobKey: string) => Promise<void>): Promise<unknown> {
    const jobKey = await deliveredJob(await Agent.arrive(service));
    const outcome = transact(runtime.db, async (tx) => {
      await work(tx, jobKey);
      await tx.one({ name: 'books', text: 'select count(*) from ledger_transfers', values: [] });
      throw new Error('taken back');
    });
    return outcome.catch((error) => error.message);
  }
  const owe = (tx: Tx, jobKey: string) =>
    requestRefund(tx, runtime.rails, { jobKey, reason: 'second_dispute', now: runtime.clock() });

  it('can be owed back once', async () => {
    expect(await tried(async (tx, jobKey) => expect(await owe(tx, jobKey)).toBe('refund_pending'))).toBe('taken back');
    const twice = await tried(async (tx, jobKey) => {
      await owe(tx, jobKey);
      await owe(tx, jobKey);
    });
    expect(twice).toMatch(/ledger_transfers_\w+_pkey/);
  });

  it.each([
    ['credited', credited],
    ['earned', accepted],
  ])('is not %s as well, whatever the code does: the database refuses', async (_, movement) => {
    const both = await tried(async (tx, jobKey) => {
      await owe(tx, jobKey);
      const principalKey = 'whoever';
      post(tx, { ...movement, key: jobKey, jobKey, principalKey, amount: price, at: runtime.clock() });
    });
    expect(both).toContain('gives more of liability:held');
  });
});

describe('a refund over x402', () => {
  it.each([84532, 421614])('goes back on chain %i to the address that paid, and the receipt says so', async (chain) => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent, `eip155:${chain}`);
    expect(await moneyOf(agent, jobKey)).toMatchObject({
      payment: 'refund_pending',
      remedy: { kind: 'refund', state: 'refund_pending', amount_microcents: 500_000_000 },
    });
    await service.sweep();
    expect(await moneyOf(agent, jobKey)).toMatchObject({
      payment: 'refunded',
      remedy: {
        kind: 'refund',
        state: 'refunded',
        reason: 'The service waived the charge.',
        reference: expect.stringMatching(/^eip155:\d+:0x[0-9a-f]{64}$/),
      },
      collection: { state: 'refunded' },
    });
    expect(await given(agent, chain)).toMatchObject([{ amount: '5000000' }]);
    const { body } = await agent.get('/api/agent/v1/me');
    expect([body.wallet_credit_microcents, body.spend.today_microcents]).toEqual([0, 0]);
  });

  it('happens once, however many workers carry it out at once', async () => {
    const agents = await Promise.all([1, 2, 3].map(() => Agent.arrive(service)));
    for (const agent of agents) await waivedJob(agent);
    await Promise.all(Array.from({ length: 10 }, () => reconcile(runtime)));
    await settleDown();
    for (const agent of agents) expect(await given(agent)).toHaveLength(1);
  });

  it.each(facilitatorFailures)('happens once when the facilitator does this: %s', async (mode) => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent);
    await control.facilitatorFault({ mode, times: 2 });
    await settleDown();
    expect((await moneyOf(agent, jobKey)).payment).toBe('refunded');
    expect(await given(agent)).toHaveLength(1);
  });

  it('is found on the chain, not sent again, when the worker died before it wrote the fact down', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent);
    await service.database.pool.query('alter table receipts rename to receipts_away');
    await service.sweep();
    await service.database.pool.query('alter table receipts_away rename to receipts');
    expect(await given(agent)).toHaveLength(1);
    expect((await agent.job(jobKey)).body.payment_state).toBe('refund_pending');
    await settleDown();
    expect((await moneyOf(agent, jobKey)).payment).toBe('refunded');
    const [settlement] = await control.settlements({
      payer: sandbox.payTo,
      nonce: (await given(agent))[0]?.nonce ?? '',
    });
    expect(settlement?.settle_calls).toBe(1);
  });

  it('waits while the chain does not answer, and holds up nothing else', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent);
    const other = await Agent.arrive(service);
    const otherJob = await waivedJob(other, 'eip155:421614');
    await control.chainFault(84532, { mode: 'error' });
    await service.sweep();
    expect((await moneyOf(agent, jobKey)).payment).toBe('refund_pending');
    expect((await moneyOf(other, otherJob)).payment).toBe('refunded');
    // However long that takes, it uses up no try.
    const { rows } = await service.database.pool.query('select tries from refunds where job_key = $1', [jobKey]);
    expect(rows).toEqual([{ tries: 0 }]);
    await control.clearChainFaults(84532);
    await settleDown();
    expect((await moneyOf(agent, jobKey)).payment).toBe('refunded');
  });

  it('waits for an operator where there is no key for the address that was paid', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent);
    const coins = openStablecoins(runtime.configuration.x402 ?? expect.unreachable());
    const refundingFrom = (refundsFrom: Stablecoins['refundsFrom']) =>
      reconcile({ ...runtime, rails: new Map([['x402', x402Rail({ ...coins, refundsFrom })]]) });
    await refundingFrom([]);
    await refundingFrom(['0x0000000000000000000000000000000000000001']);
    expect((await moneyOf(agent, jobKey)).payment).toBe('refund_pending');
    await service.sweep();
    expect((await moneyOf(agent, jobKey)).payment).toBe('refunded');
  });

  it('is a failure that an operator finds when it could not be carried out for a day', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await waivedJob(agent);
    await service.database.pool.query(
      `update refunds set tries = 2880, valid_before = now() - interval '10 min', next_try_at = now() where job_key = $1`,
      [jobKey],
    );
    await service.sweep();
    expect(await moneyOf(agent, jobKey)).toMatchObject({
      payment: 'refund_failed',
      remedy: { kind: 'refund', state: 'refund_failed' },
    });
    expect(await given(agent)).toHaveLength(0);
  });
});
