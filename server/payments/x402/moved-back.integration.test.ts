import { expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand, signedIn } from '../../../e2e/support/chain-hand.ts';
import { startService } from '../../../e2e/support/service.ts';
import { sellerAccount } from '../../../sandbox/chain/accounts.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { transact } from '../../kernel/transaction.ts';
import { waiveCharge } from '../../purchases/review/waive.ts';

const service = await startService();
const { sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const chain = 84532;
const network = 'eip155:84532';
const hand = await chainHand(sandbox.controlUrl, chain);

const paidBy = (agent: Agent) => control.transfers(chain, { from: agent.wallet.address, to: sandbox.payTo });
const givenTo = (agent: Agent) =>
  control.transfers(chain, { from: sandbox.payTo as `0x${string}`, to: agent.wallet.address });

/** A reorganisation removes the block of the agent's payment, and all after it. */
async function lose(agent: Agent): Promise<void> {
  const [paid] = await paidBy(agent);
  const { block_number: newest } =
    (await control.chains()).find(({ chain_id }) => chain_id === chain) ?? expect.unreachable();
  await control.chainFault(chain, { mode: 'reorg', depth: newest - (paid?.block_number ?? newest) + 1 });
}

it('a payment follows its transfer from one transaction to another and back, and is given back once', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.authorizedJob();
  const signature = await agent.signPayment(jobKey, network);
  const data = hand.transferCall(signedIn(signature));
  // The same bytes twice: the second time it is the same transaction.
  const first = await sellerAccount().signTransaction({
    chainId: chain,
    nonce: await hand.node.getTransactionCount({ address: sellerAccount().address }),
    to: hand.asset,
    data,
    gas: 2_000_000n,
    gasPrice: 10n ** 10n,
  });
  const referenceNow = async () => {
    const { collection } = (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;
    return collection.reference;
  };
  const follows = async (paymentState = 'collected') => {
    service.advanceClock(61);
    await service.sweep();
    await service.sweep();
    service.advanceClock(-61);
    const [paid, ...more] = await paidBy(agent);
    expect(more).toEqual([]);
    expect(await referenceNow()).toBe(`${network}:${paid?.transaction}`);
    expect((await agent.job(jobKey)).body.payment_state).toBe(paymentState);
    return paid?.transaction;
  };
  await hand.node.sendRawTransaction({ serializedTransaction: first });
  expect((await agent.pay(jobKey, { signature })).status).toBe(200);
  const before = await follows();
  await lose(agent);
  await hand.call(data);
  expect(await follows()).not.toBe(before);
  // A refund that is owed while the second holds it follows too.
  await service.execute(jobKey);
  const waiver = { transition: 'waive', jobKey, actor: 'operator', now: service.runtime.clock() } as const;
  await transact(service.runtime.db, (tx) => waiveCharge(tx, service.runtime, waiver, { review_state: 'not_open' }));
  await lose(agent);
  await hand.node.sendRawTransaction({ serializedTransaction: first });
  expect(await follows('refund_pending')).toBe(before);
  const { rows } = await service.database.pool.query(
    `select transaction = $1 as is_first, use, is_superseded, removed_at is null as stands from chain_transfers
     where sender = $2 order by is_first desc`,
    [before, agent.wallet.address.toLowerCase()],
  );
  expect(rows).toEqual([
    { is_first: true, use: 'payment', is_superseded: false, stands: true },
    { is_first: false, use: 'payment', is_superseded: true, stands: false },
  ]);
  await control.chainFault(chain, { mode: 'mine', blocks: 2 });
  service.advanceClock(122);
  await service.sweep();
  await service.sweep();
  expect(await givenTo(agent)).toMatchObject([{ amount: '5000000' }]);
  expect((await agent.job(jobKey)).body.payment_state).toBe('refunded');
  expect(await service.broken()).toEqual([]);
});
