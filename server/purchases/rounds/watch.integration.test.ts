import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { createWalletClient, encodeFunctionData, http, multicall3Abi, parseAbi } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { sellerAccount } from '../../../sandbox/chain/accounts.ts';
import { MULTICALL3_ADDRESS } from '../../../sandbox/chain/networks.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { liftBlocks } from '../../identity/blocked.ts';
import { transact } from '../../kernel/transaction.ts';
import { waiveCharge } from '../review/waive.ts';
import { watchRails } from './watch.ts';

const service = await startService();
const { sandbox } = service;
const { pool } = service.database;
const control = controlClient(sandbox.controlUrl);
const chain = 84532;
const network = 'eip155:84532';

const receiptOf = async (agent: Agent, jobKey: string) =>
  (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;
const paidBy = (agent: Agent) => control.transfers(chain, { from: agent.wallet.address, to: sandbox.payTo });
const eventsOf = async (agent: Agent, jobKey: string) =>
  (await agent.job(jobKey)).body.timeline.map(({ event }: { event: string }) => event);

const payerOf = (agent: Agent) => agent.wallet.address.toLowerCase();

/** What an operator is told. */
async function money(): Promise<string> {
  const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
  const env = { ...process.env, DATABASE_URL: service.database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [command], { env });
  return stdout;
}

/** Removes the block of the agent's payment from a chain, with all blocks after it. */
async function loseBlockOf(agent: Agent, on = chain): Promise<void> {
  const [paid] = await control.transfers(on, { from: agent.wallet.address, to: sandbox.payTo });
  const { block_number: newest } =
    (await control.chains()).find(({ chain_id }) => chain_id === on) ?? expect.unreachable();
  await control.chainFault(on, { mode: 'reorg', depth: newest - (paid?.block_number ?? newest) + 1 });
}

/** The worker's look-ups in the minutes after a collection. */
async function minutesLater(minutes = 1): Promise<void> {
  for (let minute = 1; minute <= minutes; minute += 1) {
    service.advanceClock(61);
    await service.sweep();
    await service.sweep();
  }
  service.advanceClock(-61 * minutes);
}

/** More blocks than any reorganisation removes: those before them are final. */
const untilFinal = (on = chain) => control.chainFault(on, { mode: 'mine', blocks: 30 });

afterEach(async () => {
  await control.clearFacilitatorFaults();
  await control.clearChainFaults(chain);
});

describe('a transfer that no payment knows of', () => {
  const mint = parseAbi(['function mint(address to, uint256 value)']);
  const tokenAddress = async () =>
    (await control.chains()).find(({ chain_id }) => chain_id === chain)?.asset ?? expect.unreachable();

  it('is written down once, and returns nothing by itself', async () => {
    const client = createWalletClient({ account: sellerAccount(), transport: http(sandbox.rpcUrls[chain]) });
    const transaction = await client.writeContract({
      chain: null,
      address: await tokenAddress(),
      abi: mint,
      functionName: 'mint',
      args: [sandbox.payTo, 1_230_000n],
    });
    await service.sweep();
    await service.sweep();
    const { rows } = await pool.query('select * from chain_transfers');
    const nobody = `0x${'0'.repeat(40)}`;
    expect(rows).toMatchObject([
      { network, transaction, sender: nobody, amount_microcents: '123000000', nonce: null, use: 'unmatched' },
    ]);
    expect(await control.transfers(chain, { from: sandbox.payTo })).toEqual([]);
    expect(await money()).toMatch(
      new RegExp(`\nTransfers .* no payment: 1\\n  \\S+  1.23 USD  ${network}  from ${nobody}  in ${transaction} 0\\n`),
    );
  });

  it('is found also when its node showed no logs for longer than one search goes back', {
    timeout: 120_000,
  }, async () => {
    const client = createWalletClient({ account: sellerAccount(), transport: http(sandbox.rpcUrls[chain]) });
    const address = await tokenAddress();
    // A search that misses what it has seen waits; this one misses everything it looks back at.
    await control.chainFault(chain, { mode: 'mine', blocks: 40 });
    await service.sweep();
    await control.chainFault(chain, { mode: 'blind' });
    const args = [sandbox.payTo, 4_560_000n] as const;
    const transaction = await client.writeContract({ chain: null, address, abi: mint, functionName: 'mint', args });
    await minutesLater(2);
    await control.chainFault(chain, { mode: 'mine', blocks: 40 });
    await minutesLater(2);
    const told = await money();
    expect(told).toContain('THEY DIFFER BY 4.56 USD');
    expect(told).toMatch(new RegExp(`do not agree on: 1\\n {2}\\S+ {2}${network} balance {2}usdc {2}ours: `));
    await control.clearChainFaults(chain);
    await minutesLater(2);
    const { rows } = await pool.query('select use from chain_transfers where transaction = $1', [transaction]);
    expect(rows).toEqual([{ use: 'unmatched' }]);
    expect((await money()).match(/they agree/g)).toHaveLength(2);
    expect(await money()).toContain('do not agree on: 0');
  });

  it('is written down also when it comes in one transaction with a payment', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey, network);
    const { authorization, signature: signed } = decodePaymentSignatureHeader(signature).payload as {
      authorization: Record<'from' | 'to' | 'nonce', `0x${string}`> &
        Record<'value' | 'validAfter' | 'validBefore', string>;
      signature: `0x${string}`;
    };
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const transfer = encodeFunctionData({
      abi: parseAbi([
        'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
      ]),
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signed],
    });
    const gift = encodeFunctionData({ abi: mint, args: [sandbox.payTo, 4_560_000n] });
    const target = await tokenAddress();
    const client = createWalletClient({ account: sellerAccount(), transport: http(sandbox.rpcUrls[chain]) });
    const transaction = await client.writeContract({
      chain: null,
      address: MULTICALL3_ADDRESS,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [[transfer, gift].map((callData) => ({ target, allowFailure: false, callData }))],
    });
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
    await service.sweep();
    const { rows } = await pool.query(
      'select amount_microcents, use from chain_transfers where transaction = $1 order by position',
      [transaction],
    );
    expect(rows).toEqual([
      { amount_microcents: '500000000', use: 'payment' },
      { amount_microcents: '456000000', use: 'unmatched' },
    ]);
    expect(await money()).toContain('4.56 USD');
  });

  it('still pays when its signature is presented afterwards', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey, network);
    await service.carryOut(signature);
    await service.sweep();
    const { rows } = await pool.query('select nonce from chain_transfers where sender = $1', [
      agent.wallet.address.toLowerCase(),
    ]);
    expect(rows).toMatchObject([{ nonce: (await paidBy(agent))[0]?.nonce }]);
    expect(await money()).toContain(`from ${payerOf(agent)}`);
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
    expect(await money()).not.toContain(`from ${payerOf(agent)}`);
  });
});

describe('a reorganisation', () => {
  it('that removes a payment has it carried out again', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const before = await receiptOf(agent, jobKey);
    await loseBlockOf(agent);
    expect(await paidBy(agent)).toHaveLength(0);
    await minutesLater();
    const [transfer] = await paidBy(agent);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
    expect((await receiptOf(agent, jobKey)).collection.reference).toBe(`${network}:${transfer?.transaction}`);
    if (before.collection.reference !== `${network}:${transfer?.transaction}`) {
      expect(await eventsOf(agent, jobKey)).toContain('moved_on_chain');
    }
  });

  it('that comes after the last scheduled look has it carried out again all the same, within a minute', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    service.advanceClock(1_801);
    await service.sweep();
    await loseBlockOf(agent);
    service.advanceClock(31);
    await service.sweep();
    await service.sweep();
    service.advanceClock(-1_832);
    expect(await paidBy(agent)).toHaveLength(1);
    // No worker made the report in time.
    expect((await agent.job(jobKey)).body.payment_state).toBe('credited');
  });

  it('changes nothing about a payment that the chain still holds', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await minutesLater();
    service.advanceClock(3_600);
    await service.sweep();
    const watched = async () =>
      (await pool.query('select watch_at, signature from x402_payments where job_key = $1', [jobKey])).rows;
    // Until it is final, its signature may be needed again.
    expect(await watched()).toEqual([{ watch_at: expect.any(Date), signature: expect.any(String) }]);
    await untilFinal();
    service.advanceClock(3_600);
    await service.sweep();
    service.advanceClock(-7_200);
    expect(await eventsOf(agent, jobKey)).not.toContain('moved_on_chain');
    expect(await watched()).toEqual([{ watch_at: null, signature: null }]);
  });
});

describe('a payment that arrives after it was given up', () => {
  it('goes back by itself, once, beside the payment that bought the check', async () => {
    const [other, otherNetwork] = [421614, 'eip155:421614'];
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey, otherNetwork);
    await control.facilitatorFault({ mode: 'refuse' });
    expect((await agent.pay(jobKey, { signature })).body.code).toBe('payment_unknown');
    expect(await money()).toMatch(
      new RegExp(`outcome is open: 1\\n  .*  5.00 USD  ${otherNetwork}  pay_\\w+  ${jobKey}\\n`),
    );
    // The chain says that the signature has expired, then loses the blocks that said so.
    const { snapshot_id } = await control.chainFault(other, { mode: 'snapshot' });
    await control.chainFault(other, { mode: 'advance_time', seconds: 200 });
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).status).toBe(200);
    await control.chainFault(other, { mode: 'revert', snapshot_id: snapshot_id ?? expect.unreachable() });
    const paid = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, network) });
    expect(paid.status).toBe(200);
    await service.carryOut(signature);
    expect(await control.transfers(other, { from: agent.wallet.address })).toHaveLength(1);
    // The transfer is found, and owed back from then on.
    await control.facilitatorFault({ mode: 'refuse' });
    await watchRails(service.runtime);
    expect(await money()).toMatch(new RegExp(`not carried out: 1\\n.* to ${payerOf(agent)}  pending .*  ${jobKey}\\n`));
    await control.clearFacilitatorFaults();
    for (let round = 0; round < 3; round += 1) await service.sweep();
    expect(await control.transfers(other, { from: sandbox.payTo, to: agent.wallet.address })).toMatchObject([
      { amount: '5000000' },
    ]);
    expect(await eventsOf(agent, jobKey)).toEqual(expect.arrayContaining(['arrived_late', 'late_payment_refunded']));
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
  });
});

// Last, because a chain whose time has moved rejects what was signed by the real clock.
describe('a payment that the chain has lost for good', () => {
  it('is reversed, wherever its job stands, and the books lose it where it had gone', async () => {
    const deliver = async (agent: Agent, jobKey: string) => {
      await service.execute(jobKey);
      return agent;
    };
    const review = (agent: Agent, jobKey: string, body: object) =>
      agent.post(`/api/agent/v1/jobs/${jobKey}/review`, body);
    const lives: Record<string, (agent: Agent, jobKey: string) => Promise<unknown>> = {
      queued: async () => {},
      delivered: deliver,
      rechecking: async (agent, jobKey) =>
        review(await deliver(agent, jobKey), jobKey, { decision: 'dispute', reason: 'other' }),
      accepted: async (agent, jobKey) => review(await deliver(agent, jobKey), jobKey, { decision: 'accept' }),
      canceled: (agent, jobKey) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`),
      refunding: async (agent, jobKey) => {
        await deliver(agent, jobKey);
        await transact(service.runtime.db, (tx) =>
          waiveCharge(
            tx,
            service.runtime,
            { transition: 'waive', jobKey, actor: 'operator', now: service.runtime.clock() },
            { review_state: 'not_open' },
          ),
        );
      },
    };
    const jobs = [];
    for (const [life, live] of Object.entries(lives)) jobs.push({ life, live, agent: await Agent.arrive(service) });
    // Payments of earlier blocks stay.
    await control.chainFault(chain, { mode: 'mine', blocks: 12 });
    const purchases = [];
    for (const job of jobs) purchases.push({ ...job, jobKey: await job.agent.paidJob() });
    for (const { live, agent, jobKey } of purchases) await live(agent, jobKey);
    await loseBlockOf(purchases[0]?.agent ?? expect.unreachable());
    for (const { agent } of purchases) expect(await paidBy(agent)).toEqual([]);
    await control.chainFault(chain, { mode: 'advance_time', seconds: 200 });
    await control.facilitatorFault({ mode: 'refuse', times: 'always' });
    // The newest block says that they can never come back. Final blocks do not say so yet.
    await minutesLater(4);
    expect((await purchases[0]?.agent.job(purchases[0].jobKey))?.body.payment_state).toBe('collected');
    await untilFinal();
    await minutesLater(9);
    const seen: Record<string, unknown> = {};
    for (const { life, agent, jobKey } of purchases) {
      const { state, payment_state, charge_state } = (await agent.job(jobKey)).body;
      const { remedy, collection } = await receiptOf(agent, jobKey);
      expect([payment_state, collection.state, remedy.kind]).toEqual(['reversed', 'reversed', 'reversal']);
      seen[life] = [state, charge_state];
    }
    expect(seen).toEqual({
      queued: ['failed', 'none'],
      delivered: ['waived', 'waived'],
      rechecking: ['waived', 'waived'],
      accepted: ['accepted', 'final'],
      canceled: ['canceled', 'none'],
      refunding: ['waived', 'waived'],
    });
    const { rows } = await pool.query(`select debit_account, count(*)::int from ledger_transfers
      where event = 'reversed' group by 1 order by 1`);
    expect(rows).toEqual([
      { debit_account: 'expense:reversals', count: 1 },
      { debit_account: 'liability:held', count: 3 },
      { debit_account: 'liability:refunds', count: 1 },
      { debit_account: 'liability:wallet_credit', count: 1 },
    ]);
  });

  it('is there after all when its node had lied: what the reversal did is undone, and nothing else', async () => {
    const on = 421614;
    const [cut, kept] = [await Agent.arrive(service), await Agent.arrive(service)];
    const [cutJob, keptJob] = [await cut.authorizedJob(), await kept.authorizedJob()];
    await control.chainFault(on, { mode: 'mine', blocks: 12 });
    const { snapshot_id } = await control.chainFault(on, { mode: 'snapshot' });
    const headers = [await cut.signPayment(cutJob, 'eip155:421614'), await kept.signPayment(keptJob, 'eip155:421614')];
    await cut.pay(cutJob, { signature: headers[0] ?? '' });
    await kept.pay(keptJob, { signature: headers[1] ?? '' });
    await service.execute(keptJob);
    await kept.post(`/api/agent/v1/jobs/${keptJob}/review`, { decision: 'accept' });
    // The node shows a fork, on which they have expired: deeper than finality.
    await control.chainFault(on, { mode: 'revert', snapshot_id: snapshot_id ?? expect.unreachable() });
    const { snapshot_id: fork } = await control.chainFault(on, { mode: 'snapshot' });
    await control.chainFault(on, { mode: 'advance_time', seconds: 200 });
    await untilFinal(on);
    await control.facilitatorFault({ mode: 'refuse', times: 'always' });
    await minutesLater(9);
    for (const [agent, jobKey] of [
      [cut, cutJob],
      [kept, keptJob],
    ] as const) {
      expect((await agent.job(jobKey)).body.payment_state).toBe('reversed');
      expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual(['payment_reversed']);
    }
    // The chain itself holds them.
    await control.chainFault(on, { mode: 'revert', snapshot_id: fork ?? expect.unreachable() });
    await control.clearFacilitatorFaults();
    for (const header of headers) await service.carryOut(header);
    await untilFinal(on);
    await minutesLater(2);
    expect((await cut.job(cutJob)).body).toMatchObject({ state: 'failed', payment_state: 'credited' });
    expect((await kept.job(keptJob)).body).toMatchObject({ state: 'accepted', payment_state: 'collected' });
    expect((await cut.get('/api/agent/v1/me')).body).toMatchObject({
      holds: [],
      wallet_credit_microcents: 500_000_000,
      spend: { today_microcents: 500_000_000 },
    });
    expect((await kept.get('/api/agent/v1/me')).body.holds).toEqual([]);
    expect((await receiptOf(kept, keptJob)).collection.state).toBe('collected');
    expect((await receiptOf(cut, cutJob)).remedy).toMatchObject({ kind: 'wallet_credit', state: 'credited' });
    expect(await eventsOf(kept, keptJob)).toEqual(expect.arrayContaining(['reversed', 'reversal_healed']));
  });

  it('keeps its account from buying anything new until an operator has settled it', async () => {
    const agent = await Agent.arrive(service);
    const [lost, authorized] = [await agent.authorizedJob(), await agent.authorizedJob()];
    const other = await Agent.arrive(service);
    await control.chainFault(421614, { mode: 'mine', blocks: 3 });
    await agent.pay(lost, { signature: await agent.signPayment(lost, 'eip155:421614') });
    await loseBlockOf(agent, 421614);
    await control.chainFault(421614, { mode: 'advance_time', seconds: 200 });
    await untilFinal(421614);
    await minutesLater(4);
    expect((await agent.job(lost)).body.payment_state).toBe('reversed');
    const { body: quote } = await agent.quote();
    expect(quote.next_actions).toEqual([]);
    expect((await agent.authorize(quote.quote_key)).body.code).toBe('purchases_blocked');
    expect((await agent.pay(authorized)).body.code).toBe('purchases_blocked');
    const { body } = await agent.get('/api/agent/v1/me');
    expect(body.holds).toEqual(['payment_reversed']);
    expect(await money()).toMatch(new RegExp(`  payment_reversed  ${body.account_key}  5.00 USD  ${lost}\\n`));
    expect((await receiptOf(agent, lost)).collection.state).toBe('reversed');
    expect((await other.pay(await other.authorizedJob())).status).toBe(402);
    const by = { actor: 'operator', because: 'settled by mail', now: new Date() };
    expect(await liftBlocks(service.runtime.db, body.account_key, by)).toBe(1);
    expect(await liftBlocks(service.runtime.db, body.account_key, by)).toBe(0);
    expect((await agent.authorize(quote.quote_key)).status).toBe(201);
    expect(await money()).not.toContain(body.account_key);
  });
});
