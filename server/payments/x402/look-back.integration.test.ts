import { afterAll, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { type QuietChain, quietChain } from '../../../e2e/support/quiet-chain.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';

const chain = 84532;
let node: QuietChain | undefined;
const service = await startService(async ({ rpcUrls }) => {
  node = await quietChain(rpcUrls[chain]);
  return { X402_NETWORKS: `eip155:${chain}`, X402_RPC_URLS: `${chain}=${node.url}` };
});
const { sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const hand = await chainHand(sandbox.controlUrl, chain);
afterAll(() => node?.close());

it('what a node knows neither the block nor the log of is not taken for removed', async () => {
  await (await Agent.arrive(service)).paidJob();
  await service.sweep();
  node?.forget(true);
  for (let round = 1; round <= 3; round += 1) await service.sweep();
  node?.forget(false);
  const { rows } = await service.database.pool.query('select use from chain_transfers where moves > 0');
  expect(rows).toEqual([]);
  await service.sweep();
});

it('what a node hid is found by the balance, 100,000 blocks later', async () => {
  const booked = async () =>
    (await service.database.pool.query(`select amount_microcents from chain_transfers where use = 'unmatched'`)).rows;
  const minutesLater = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      service.advanceClock(61);
      await service.sweep();
    }
  };
  await control.chainFault(chain, { mode: 'mine', blocks: 40 });
  await service.sweep();
  await control.chainFault(chain, { mode: 'blind' });
  await hand.mint(sandbox.payTo as `0x${string}`, 3_210_000n);
  node?.pass(100_000n);
  await minutesLater(2);
  expect(await booked()).toEqual([]);
  await control.clearChainFaults(chain);
  await minutesLater(3);
  expect(await booked()).toEqual([{ amount_microcents: '321000000' }]);
});
