import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';

const service = await startService();
const { sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const [chain, network] = [84532, 'eip155:84532'] as const;
const hand = await chainHand(sandbox.controlUrl, chain);
const payTo = sandbox.payTo as `0x${string}`;
const owner = privateKeyToAccount(sandbox.payToKey as `0x${string}`);
const stranger = `0x${'7'.repeat(40)}` as const;

async function money(...words: string[]): Promise<string> {
  const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
  const env = { ...process.env, DATABASE_URL: service.database.url };
  return (await promisify(execFile)(process.execPath, [command, ...words], { env })).stdout;
}

afterEach(async () => {
  await control.clearChainFaults(chain);
});

// First, before the chain is searched.
describe('the books of a chain', () => {
  it('begin with what was there before, once', async () => {
    await hand.mint(payTo, 7_000_000n);
    await control.chainFault(chain, { mode: 'mine', blocks: 50 });
    await service.sweep();
    await service.sweep();
    expect(await money()).toMatch(
      new RegExp(`\\n${network}: 7.00 USD on the chain, 7.00 USD in the books\\n  they agree, at block \\d+ of \\d+`),
    );
    const { rows } = await service.database.pool.query(`select * from ledger_transfers where event = 'opening'`);
    expect(rows).toMatchObject([{ credit_account: 'equity:opening', amount_microcents: '700000000' }]);
  });

  it('show what leaves without a word, until an operator says that it was taken out', async () => {
    const taken = await hand.sign(owner, stranger, 2_000_000n);
    const transaction = await hand.call(hand.transferCall(taken));
    await service.sweep();
    expect(await money()).toMatch(
      new RegExp(`no refund explains: 1\\n  \\S+  2.00 USD  ${network}  to ${stranger}  in ${transaction} 1\\n`),
    );
    expect(await money('withdrawal', network, transaction)).toBe('2.00 USD was taken out.\n');
    const told = await money();
    expect(told).toContain('no refund explains: 0');
    expect(told).toContain('5.00 USD on the chain, 5.00 USD in the books');
    await expect(money('withdrawal', network, transaction)).rejects.toThrow('waits to be explained');
    const { rows: acts } = await service.database.pool.query(
      'select action, role, amount_microcents::int as amount from operator_acts where subject = $1',
      [`transfer:${network}:${transaction}`],
    );
    expect(acts).toEqual([{ action: 'record_withdrawal', role: 'command', amount: 200_000_000 }]);
  });

  it('say by how much they differ, when they do', async () => {
    await service.database.pool.query('update searched_chains set balance_microcents = balance_microcents - 1');
    expect(await money()).toContain('THEY DIFFER BY -0.00000001 USD');
    await service.sweep();
    expect(await money()).toContain('they agree');
  });

  it('wait for a node that lags, and say how far they are', async () => {
    const agent = await Agent.arrive(service);
    await control.chainFault(chain, { mode: 'mine', blocks: 6 });
    await service.sweep();
    await control.chainFault(chain, { mode: 'lag', blocks: 5 });
    const jobKey = await agent.paidJob();
    expect((await agent.job(jobKey)).body.payment_state).toBe('unknown');
    await service.sweep();
    await control.clearChainFaults(chain);
    for (let round = 1; round <= 2; round += 1) {
      service.advanceClock(31);
      await service.sweep();
    }
    service.advanceClock(-62);
    expect((await money()).match(/they agree/g)).toHaveLength(2);
    expect(await money()).toContain('10.00 USD on the chain, 10.00 USD in the books');
  });

  it('lose nothing to a node that shows no logs: they wait until it does', async () => {
    const agent = await Agent.arrive(service);
    await agent.paidJob();
    await service.sweep();
    await control.chainFault(chain, { mode: 'blind' });
    await service.sweep();
    const { rows } = await service.database.pool.query('select from chain_transfers where removed_at is not null');
    expect(rows).toEqual([]);
    await control.clearChainFaults(chain);
    await service.sweep();
    expect((await money()).match(/they agree/g)).toHaveLength(2);
  });

  it('follow a reorganisation that takes money away that nobody had matched, and bring it back when it comes back', async () => {
    const before = await money();
    const { snapshot_id } = await control.chainFault(chain, { mode: 'snapshot' });
    const gift = await hand.sign(privateKeyToAccount(`0x${'1'.repeat(64)}`), payTo, 0n);
    await hand.call(hand.transferCall(gift));
    await hand.mint(payTo, 3_000_000n);
    await service.sweep();
    expect(await money()).toContain('match no payment: 1');
    await control.chainFault(chain, { mode: 'revert', snapshot_id: snapshot_id ?? '0x' });
    await control.chainFault(chain, { mode: 'mine', blocks: 5 });
    await service.sweep();
    await service.sweep();
    const after = await money();
    expect(after).toContain('match no payment: 0');
    expect(after.match(/they agree/g)).toHaveLength(2);
    expect(after.split(' on the chain')[0]).toBe(before.split(' on the chain')[0]);
  });
});
