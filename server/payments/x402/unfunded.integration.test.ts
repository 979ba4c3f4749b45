import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { Agent, settlementsOf } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { startService } from '../../../e2e/support/service.ts';
import { transact } from '../../kernel/transaction.ts';
import { recordWithdrawalIn } from './by-hand.ts';

const service = await startService();
const { runtime, sandbox } = service;
const network = 'eip155:84532';
const hand = await chainHand(sandbox.controlUrl, 84532);

it('payments that one balance cannot all back are not sent again while the chain would refuse them', async () => {
  const agent = await Agent.arrive(service);
  const balance = await hand.balanceOf(agent.wallet.address);
  const away = await hand.sign(agent.wallet, `0x${'8'.repeat(40)}`, balance - 5_000_000n);
  await hand.call(hand.transferCall(away));
  const jobs = await Promise.all(Array.from({ length: 4 }, () => agent.authorizedJob()));
  const signatures = await Promise.all(jobs.map((jobKey) => agent.signPayment(jobKey, network)));
  await Promise.all(jobs.map((jobKey, at) => agent.pay(jobKey, { signature: signatures[at] ?? '' })));
  const callsNow = async () =>
    (await settlementsOf(sandbox.controlUrl, agent.wallet.address)).reduce(
      (sum, { settle_calls }) => sum + settle_calls,
      0,
    );
  const before = await callsNow();
  for (let round = 0; round < 8; round += 1) {
    service.advanceClock(6);
    await service.sweep();
  }
  service.advanceClock(-48);
  expect(await callsNow()).toBe(before);
});

it('a withdrawal that two operators record at once is an act of one', async () => {
  const payTo = sandbox.payTo as `0x${string}`;
  await hand.mint(payTo, 20_000_000n);
  await service.sweep();
  const ours = privateKeyToAccount(sandbox.payToKey);
  const transaction = await hand.call(hand.transferCall(await hand.sign(ours, `0x${'9'.repeat(40)}`, 7_000_000n)));
  await service.sweep();
  const [begun, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const record = (before: () => Promise<void>) =>
    transact(runtime.db, async (tx) => {
      const taken = await recordWithdrawalIn(tx, { network, transaction }, runtime.clock());
      await before();
      return taken;
    }).catch((error) => error.code);
  const first = record(() => {
    begun.resolve();
    return may.promise;
  });
  await begun.promise;
  const second = record(async () => {});
  may.resolve();
  expect(await Promise.all([first, second])).toEqual([700_000_000n, 'not_found']);
});
