import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { transact } from '../../kernel/transaction.ts';
import { waiveCharge } from '../../purchases/review/waive.ts';
import { watchRails } from '../../purchases/rounds/watch.ts';
import { returnArrival } from './by-hand.ts';
import type { TransferName } from './transfers.ts';
import { readTransfersWaiting } from './unsettled.ts';

const service = await startService();
const { runtime, sandbox } = service;
const { pool } = service.database;
const control = controlClient(sandbox.controlUrl);
const chain = 84532;
const network = 'eip155:84532';
const hand = await chainHand(sandbox.controlUrl, chain);
const payTo = sandbox.payTo as `0x${string}`;

const given = (agent: Agent) => control.transfers(chain, { from: payTo, to: agent.wallet.address });
const paid = (agent: Agent) => control.transfers(chain, { from: agent.wallet.address, to: payTo });
const remedyOf = async (agent: Agent, jobKey: string) =>
  (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body.remedy;

/** A reorganisation removes this block and all after it. */
async function lose(block: number | undefined): Promise<void> {
  const { block_number: newest } =
    (await control.chains()).find(({ chain_id }) => chain_id === chain) ?? expect.unreachable();
  await control.chainFault(chain, { mode: 'reorg', depth: newest - (block ?? expect.unreachable()) + 1 });
}

/** The worker's rounds, far enough apart that all is due. */
async function rounds(count = 3): Promise<void> {
  for (let round = 1; round <= count; round += 1) {
    service.advanceClock(61);
    await service.sweep();
  }
  service.advanceClock(-61 * count);
}

/** A job whose charge was waived and refunded. */
async function refundedJob(agent: Agent): Promise<string> {
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  const waiver = { transition: 'waive', jobKey, actor: 'operator', now: runtime.clock() } as const;
  await transact(runtime.db, (tx) => waiveCharge(tx, runtime, waiver, { review_state: 'not_open' }));
  await control.chainFault(chain, { mode: 'mine', blocks: 1 });
  await service.sweep();
  expect((await agent.job(jobKey)).body.payment_state).toBe('refunded');
  return jobKey;
}

describe('a refund that a reorganisation removes', () => {
  it.each(['alone', 'with its payment'])('%s is sent again, once, and the receipt names where it is', async (which) => {
    const agent = await Agent.arrive(service);
    const jobKey = await refundedJob(agent);
    const [before] = await given(agent);
    const [payment] = await paid(agent);
    await lose(which === 'alone' ? before?.block_number : payment?.block_number);
    expect(await given(agent)).toEqual([]);
    await rounds();
    const after = await given(agent);
    expect(after).toMatchObject([{ amount: '5000000', nonce: before?.nonce }]);
    expect(await paid(agent)).toHaveLength(1);
    expect((await agent.job(jobKey)).body.payment_state).toBe('refunded');
    expect(await remedyOf(agent, jobKey)).toMatchObject({
      state: 'refunded',
      reference: `${network}:${after[0]?.transaction}`,
    });
  });

  /** The stranger's newest arrival goes back by hand. */
  async function returnGiftOf(stranger: Agent): Promise<void> {
    const { rows } = await pool.query<TransferName>(
      'select network, transaction, position from chain_transfers where sender = $1 and removed_at is null',
      [stranger.wallet.address.toLowerCase()],
    );
    await returnArrival(runtime.db, rows[0] ?? expect.unreachable(), runtime.clock());
  }

  it.each(['lives', 'dies before it is written down'])(
    'with an arrival is owed to nobody; if that comes again it goes back by hand, once, where the worker %s',
    async (fate) => {
      const stranger = await Agent.arrive(service);
      const gift = await hand.sign(stranger.wallet, payTo, 3n);
      await hand.call(hand.transferCall(gift));
      await service.sweep();
      await returnGiftOf(stranger);
      await service.sweep();
      const [before] = await given(stranger);
      expect(before).toMatchObject({ amount: '3' });
      await lose((await paid(stranger))[0]?.block_number);
      await rounds();
      expect([await paid(stranger), await given(stranger)]).toEqual([[], []]);
      // The stranger has what it sent, and the books are the chain.
      expect(await service.broken()).toEqual([]);
      await hand.call(hand.transferCall(gift));
      await service.sweep();
      await returnGiftOf(stranger);
      if (fate !== 'lives') {
        const nonce = (before?.nonce ?? expect.unreachable()) as `0x${string}`;
        const back = await hand.sign(privateKeyToAccount(sandbox.payToKey), stranger.wallet.address, 3n, { nonce });
        await hand.call(hand.transferCall(back));
        await watchRails(runtime);
      }
      await rounds();
      expect(await given(stranger)).toMatchObject([{ amount: '3', nonce: before?.nonce }]);
      const { rows } = await pool.query(
        `select state from refunds join chain_transfers c on (c.network, c.transaction, c.position)
          = (refunds.network, arrival_transaction, arrival_position) where sender = $1 and removed_at is null`,
        [stranger.wallet.address.toLowerCase()],
      );
      expect(rows).toEqual([{ state: 'refunded' }]);
    },
  );

  it('follows its transfer from one transaction to another and back, and the receipt with it', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await refundedJob(agent);
    const [before] = await given(agent);
    const serializedTransaction = await hand.node.request<{ ReturnType: `0x${string}` }>({
      method: 'eth_getRawTransactionByHash' as never,
      params: [before?.transaction] as never,
    });
    const referenceAt = async () => {
      await rounds();
      const [now, ...more] = await given(agent);
      expect(more).toEqual([]);
      expect(await remedyOf(agent, jobKey)).toMatchObject({
        state: 'refunded',
        reference: `${network}:${now?.transaction}`,
      });
      return now?.transaction;
    };
    await lose(before?.block_number);
    expect(await referenceAt()).not.toBe(before?.transaction);
    const [second] = await given(agent);
    await lose(second?.block_number);
    await hand.node.sendRawTransaction({ serializedTransaction });
    expect(await referenceAt()).toBe(before?.transaction);
    expect(await service.broken()).toEqual([]);
  });

  // Last: the chain's time does not come back.
  it('with its payment, whose signature has run out, is owed to nobody', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await refundedJob(agent);
    const [payment] = await paid(agent);
    await lose(payment?.block_number);
    const seconds = 300;
    service.advanceClock(seconds);
    await control.chainFault(chain, { mode: 'advance_time', seconds });
    await control.chainFault(chain, { mode: 'mine', blocks: 30 });
    await rounds();
    service.advanceClock(1_801);
    await rounds();
    expect([await paid(agent), await given(agent)]).toEqual([[], []]);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'waived', payment_state: 'reversed' });
    const { refunds } = await readTransfersWaiting(runtime.db, runtime.clock());
    expect(refunds.rows.filter(({ job_key }) => job_key === jobKey)).toEqual([]);
    expect(await service.broken()).toEqual([]);
    service.advanceClock(-seconds - 1_801);
  });
});
