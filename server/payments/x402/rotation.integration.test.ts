import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { everyRound } from '../../../e2e/support/rounds.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { transact } from '../../kernel/transaction.ts';
import { openRuntime } from '../../open-runtime.ts';
import { waiveCharge } from '../../purchases/review/waive.ts';
import type { Runtime } from '../../runtime.ts';
import { readAddresses, readChainBooks } from './unsettled.ts';

/** The address that is paid, and its key, are replaced: the procedures of docs/operating.md, step by step. */
const chain = 84532;
const network = `eip155:${chain}`;
const service = await startService({ X402_NETWORKS: network }, { alone: true });
const { sandbox } = service;
const { pool } = service.database;
const control = controlClient(sandbox.controlUrl);
const hand = await chainHand(sandbox.controlUrl, chain);
const former = privateKeyToAccount(sandbox.payToKey);
const newKey = generatePrivateKey();
const next = privateKeyToAccount(newKey);
const addressOf = ({ address }: { address: string }) => address.toLowerCase();

/** The service as started anew with these addresses. */
const opened: Runtime[] = [];
async function started(payTo: string, keys: string): Promise<Runtime> {
  const runtime = await openRuntime({ ...service.environment, X402_PAY_TO: payTo, X402_REFUND_KEY: keys }, 'web');
  opened.push(runtime);
  return { ...runtime, clock: service.runtime.clock };
}
afterAll(async () => {
  for (const runtime of opened) await runtime.close();
});

let rotated: Runtime;
let door: Awaited<ReturnType<typeof service.startDoor>>;
const both = { X402_PAY_TO: `${next.address},${former.address}`, X402_REFUND_KEY: `${newKey},${sandbox.payToKey}` };

async function delivered(agent: Agent): Promise<string> {
  const job = await agent.paidJob();
  await service.execute(job);
  return job;
}

const waive = (job: string) =>
  transact(service.runtime.db, (tx) =>
    waiveCharge(
      tx,
      service.runtime,
      { transition: 'waive', jobKey: job, actor: 'operator', now: service.runtime.clock() },
      { review_state: 'not_open' },
    ),
  );
const paymentOf = async (agent: Agent, job: string) => (await agent.job(job)).body.payment_state;
const toldMoney = async () => {
  const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [command], {
    env: { ...process.env, ...service.environment },
  });
  return stdout;
};
const move = async (from: typeof former, to: Hex, value: bigint) =>
  hand.call(hand.transferCall(await hand.sign(from, to, value)));
async function booksAgree(): Promise<void> {
  const [books, ...more] = await readChainBooks(service.runtime.db);
  expect(more).toEqual([]);
  expect(books?.balance_microcents).not.toBeNull();
  expect(books?.balance_microcents).toBe(books?.ledger_microcents);
}

const agent = await Agent.arrive(service);
let owed = '';
let kept = '';

beforeAll(async () => {
  kept = await delivered(agent);
  owed = await delivered(agent);
  await service.sweep();
  rotated = await started(both.X402_PAY_TO, both.X402_REFUND_KEY);
  door = await service.startDoor(both);
});

describe('a new address beside the former', () => {
  it('is paid from the next quote on, while both are searched and the books agree', async () => {
    await everyRound(rotated);
    await booksAgree();
    const buyer = await Agent.arrive({ ...service, baseUrl: door.baseUrl });
    const job = await buyer.paidJob();
    await service.execute(job);
    expect(await control.transfers(chain, { from: buyer.wallet.address, to: next.address })).toHaveLength(1);
    await everyRound(rotated);
    await booksAgree();
    expect((await readAddresses(service.runtime.db)).map(addressOf).toSorted()).toEqual(
      [next, former].map(addressOf).toSorted(),
    );
    expect(await toldMoney()).toContain('they agree');
  });

  it('gives back from the address that was paid, with its key', async () => {
    await waive(owed);
    await everyRound(rotated);
    expect(await paymentOf(agent, owed)).toBe('refunded');
    const back = await control.transfers(chain, { from: former.address, to: agent.wallet.address });
    expect(back).toHaveLength(1);
  });

  it('refuses who would pay from an address of ours', async () => {
    const buyer = await Agent.arrive({ ...service, baseUrl: door.baseUrl });
    const job = await buyer.authorizedJob();
    const thief = Object.assign(Object.create(Object.getPrototypeOf(buyer)), buyer, { wallet: former });
    const { status, body } = await buyer.pay(job, { network, signature: await thief.signPayment(job, network) });
    expect([status, JSON.stringify(body)]).toEqual([402, expect.stringContaining('an address that we receive')]);
  });

  it('takes what the former held without a word in the books, which says that the former is empty', async () => {
    const held = await hand.balanceOf(former.address);
    expect(held).toBeGreaterThan(0n);
    await move(former, next.address, held);
    await everyRound(rotated);
    await booksAgree();
    const { rows } = await pool.query(`select use from chain_transfers where use in ('outgoing', 'unmatched')`);
    expect(rows).toEqual([]);
    // What waits for its review may still go back from there.
    expect(await toldMoney()).not.toContain('empty');
    await agent.post(`/api/agent/v1/jobs/${kept}/review`, { decision: 'accept' });
    expect(await toldMoney()).toMatch(new RegExp(`${former.address} holds 0.00 USD .*; empty, so X402_PAY_TO`, 'i'));
  });

  it('stands alone once the former is taken off', async () => {
    const alone = await started(next.address, newKey);
    await pool.query(`update searched_chains set searched_at = searched_at - interval '1 hour'`);
    await everyRound(alone);
    expect((await readAddresses(service.runtime.db)).map(addressOf)).toEqual([addressOf(next)]);
    await booksAgree();
  });
});

describe('a block that was searched long ago', () => {
  it('is no agreement: neither for operators nor in the figures', async () => {
    await pool.query(`update searched_chains set searched_at = now() - interval '10 minutes'`);
    const [books] = await readChainBooks(service.runtime.db);
    expect(books?.balance_microcents).toBeNull();
    const told = await toldMoney();
    expect(told).toContain('NOT COMPARED');
    expect(told).not.toContain('they agree');
    await everyRound(rotated);
    await booksAgree();
  });

  it('shows how far the search lags when the chain goes on without it', async () => {
    await control.chainFault(chain, { mode: 'blind' });
    await pool.query('update searched_chains set searched_to = searched_to - 1');
    await control.chainFault(chain, { mode: 'mine', blocks: 50 });
    await everyRound(rotated);
    await control.clearChainFaults(chain);
    const [{ lag }] = (await pool.query('select max(head - searched_to)::int as lag from searched_chains')).rows;
    await everyRound(rotated);
    await booksAgree();
    expect(lag).toBeGreaterThan(40);
  });
});

describe('a refund key that leaked', () => {
  it('loses what the thief took before anybody moved the rest, and nothing else', async () => {
    // Somebody was paid at the leaking address, and is owed that back.
    const buyer = await Agent.arrive({ ...service, baseUrl: door.baseUrl });
    const first = await buyer.paidJob();
    const second = await buyer.paidJob();
    for (const job of [first, second]) await service.execute(job);
    const spareKey = generatePrivateKey();
    const spare = privateKeyToAccount(spareKey);
    const stolen = await move(next, `0x${'d'.repeat(40)}`, 5_000_000n);
    // 1: the rail is off, the rest moves to a new address, and all is started with both.
    await everyRound(rotated);
    await booksAgree();
    const after = await started(`${spare.address},${next.address}`, `${spareKey},${newKey}`);
    await everyRound(after);
    await move(next, spare.address, await hand.balanceOf(next.address));
    await everyRound(after);
    await booksAgree();
    // 2: the theft is told, until it is said what it was.
    expect(await toldMoney()).toContain(stolen);
    const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
    await promisify(execFile)(process.execPath, [command, 'withdrawal', network, stolen], {
      env: { ...process.env, ...service.environment },
    });
    // 3: what is owed from there waits, and is given back as soon as it is fed, to the payer alone.
    await waive(second);
    await everyRound(after);
    expect(await paymentOf(buyer, second)).toBe('refund_pending');
    await move(spare, next.address, 5_000_000n);
    service.advanceClock(70);
    await everyRound(after);
    service.advanceClock(-70);
    expect(await paymentOf(buyer, second)).toBe('refunded');
    await booksAgree();
    expect(await hand.balanceOf(next.address)).toBe(0n);
    expect(await toldMoney()).toContain('they agree');
  });
});
