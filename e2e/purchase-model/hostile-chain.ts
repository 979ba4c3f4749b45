import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { returnArrival } from '../../server/payments/x402/by-hand.ts';
import { readUnsettled } from '../../server/purchases/rounds/unsettled.ts';
import { price } from '../../server/service/terms.ts';
import { Agent, type Answer } from '../support/agent.ts';
import { chainHand, type Signed, signedIn } from '../support/chain-hand.ts';
import type { World } from './world.ts';

const chains = [84532, 421614] as const;
type ChainIndex = 0 | 1;
const unitPrice = price / 100n;
/** Whoever is not answered in so many rounds of the worker never is. */
const roundsMax = 12;
/** A payment that is lost for good is looked for in so many. */
const roundsToReverse = 4;
const nobody = `0x${'0'.repeat(40)}`;
/** Purchases of one run: fewer than a daily limit. */
const jobsMax = 6;
/** Answers that a buyer can be given on a chain like this: nothing breaks. */
const answers = [200, 201, 402, 403, 404, 409, 503];

/** A payment that somebody has signed for a job of its own. */
interface SignedPayment {
  buyer: Agent;
  jobKey: string;
  network: ChainIndex;
  header: string;
  transfer: Signed;
}

/** The chains as they can be, with two buyers on them: either may be a thief, and neither must lose or win by it. */
export class HostileChain {
  readonly world: World;
  readonly control;
  readonly hands;
  readonly buyers: Agent[];
  readonly payments: SignedPayment[] = [];
  restore: (() => Promise<void>) | null = null;

  private constructor(world: World, buyers: Agent[], hands: Awaited<ReturnType<typeof chainHand>>[]) {
    this.world = world;
    this.buyers = buyers;
    this.hands = hands;
    this.control = controlClient(world.service.sandbox.controlUrl);
  }

  static async open(world: World): Promise<HostileChain> {
    const { service } = world;
    const buyers = [await Agent.arrive(service), await Agent.arrive(service)];
    const hands = await Promise.all(chains.map((chain) => chainHand(service.sandbox.controlUrl, chain)));
    return new HostileChain(world, buyers, hands);
  }

  buyer(index: number): Agent {
    return this.buyers[index % this.buyers.length] ?? expect.unreachable();
  }
  payment(index: number): SignedPayment | undefined {
    return this.payments.at(-1 - (index % Math.max(this.payments.length, 1)));
  }
  hand(network: ChainIndex) {
    return this.hands[network] ?? expect.unreachable();
  }
  get payTo(): `0x${string}` {
    return this.world.service.sandbox.payTo as `0x${string}`;
  }
  /** Good for as long as a payment is, by the time of the chains. */
  validBefore(): bigint {
    return BigInt(Math.floor(this.world.now() / 1000) + 110);
  }

  /** A job of this buyer, and what it signs to pay for it; undefined when it may not buy. */
  async sign(buyer: Agent, network: ChainIndex): Promise<SignedPayment | undefined> {
    if (this.payments.length >= jobsMax) return undefined;
    const { body: quote } = await buyer.quote();
    const { status, body: job } = await buyer.authorize(quote.quote_key);
    if (status !== 201) return undefined;
    const signed = await this.world.sign(job.job_key, network, buyer).catch(() => undefined);
    if (!signed) return undefined;
    const payment = { buyer, jobKey: job.job_key, network, header: signed.header, transfer: signedIn(signed.header) };
    this.payments.push(payment);
    return payment;
  }

  async present(buyer: Agent, jobKey: string, header: string): Promise<Answer> {
    const answer = await buyer.post(
      `/api/agent/v1/jobs/${jobKey}/payments`,
      { rail: 'x402', idempotency_key: randomUUID() },
      { 'payment-signature': header },
    );
    expect(answers, answer.text).toContain(answer.status);
    return answer;
  }

  /** What the chain refuses was too late, or somebody was faster. */
  async tryOnChain(work: () => Promise<unknown>): Promise<void> {
    await work().catch(() => {});
  }

  async rounds(count: number, seconds = 31): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.world.pass(seconds);
      await this.world.service.sweep();
    }
  }
}

/** Something that happens on a hostile chain. What it leads to is not foretold: what must hold then is checked at the end. */
export type Hostility = { name: string; run: (chain: HostileChain) => Promise<unknown> };
const hostility = (name: string, run: Hostility['run']): Hostility =>
  ({ name, run, toString: () => name }) as Hostility;

const buys = (who: number, network: ChainIndex) =>
  hostility(`buys(${who}, ${network})`, async (chain) => {
    const payment = await chain.sign(chain.buyer(who), network);
    if (payment) await chain.present(payment.buyer, payment.jobKey, payment.header);
  });
const signs = (who: number, network: ChainIndex) =>
  hostility(`signs(${who}, ${network})`, (chain) => chain.sign(chain.buyer(who), network));
/** Somebody else carries out what was signed, with another that was signed beside it and transfers of nothing. */
const carriesOut = (index: number) =>
  hostility(`carriesOut(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    const hand = chain.hand(payment.network);
    const { wallet } = payment.buyer;
    const empty = await hand.sign(wallet, wallet.address, 0n, { validBefore: chain.validBefore() });
    await chain.tryOnChain(() => hand.together([empty, payment.transfer].map(hand.transferCall)));
  });
/** One transfer of money and, under the nonces of other jobs, transfers of nothing; then all are presented. */
const multiplies = (who: number, network: ChainIndex) =>
  hostility(`multiplies(${who}, ${network})`, async (chain) => {
    const [real, ...others] = [
      await chain.sign(chain.buyer(who), network),
      await chain.sign(chain.buyer(who), network),
    ];
    if (!real) return;
    const hand = chain.hand(network);
    const { wallet } = real.buyer;
    const empty = await Promise.all(
      others.map((other) => {
        const nonce = other?.transfer.nonce;
        return hand.sign(wallet, wallet.address, 0n, { validBefore: chain.validBefore(), ...(nonce ? { nonce } : {}) });
      }),
    );
    await chain.tryOnChain(() => hand.together([...empty, real.transfer].map(hand.transferCall)));
    for (const payment of [real, ...others]) {
      if (payment) await chain.present(payment.buyer, payment.jobKey, payment.header);
    }
  });
const presents = (index: number) =>
  hostility(`presents(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (payment) await chain.present(payment.buyer, payment.jobKey, payment.header);
  });
/** The other buyer presents what it has read off the chain, for a job of its own. */
const steals = (index: number) =>
  hostility(`steals(${index})`, async (chain) => {
    const payment = chain.payment(index);
    const thief = chain.buyers.find((one) => one !== payment?.buyer);
    const own = thief && payment && (await chain.sign(thief, payment.network));
    if (own) await chain.present(thief, own.jobKey, payment.header);
  });
const cancels = (index: number) =>
  hostility(`cancels(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    await chain.tryOnChain(() => chain.hand(payment.network).cancel(payment.buyer.wallet, payment.transfer.nonce));
  });
/** Another amount under the nonce of a payment. */
const sendsDust = (index: number) =>
  hostility(`sendsDust(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    const hand = chain.hand(payment.network);
    const more = { nonce: payment.transfer.nonce, validBefore: chain.validBefore() };
    const dust = await hand.sign(payment.buyer.wallet, chain.payTo, 1n, more);
    await chain.tryOnChain(() => hand.call(hand.transferCall(dust)));
  });
const disturbs = (network: ChainIndex) =>
  hostility(`disturbs(${network})`, async (chain) => {
    const hand = chain.hand(network);
    await hand.nothingFrom(chain.buyer(0).wallet.address, chain.payTo);
    await hand.nothingFrom(chain.payTo, chain.buyer(0).wallet.address);
    await hand.mint(chain.payTo, 7n);
  });
const reorganises = (network: ChainIndex, depth: number) =>
  hostility(`reorganises(${network}, ${depth})`, (chain) =>
    chain.tryOnChain(() => chain.control.chainFault(chains[network], { mode: 'reorg', depth })),
  );
const troubles = (network: ChainIndex, mode: 'blind' | 'lag' | 'well') =>
  hostility(`troubles(${network}, ${mode})`, (chain) =>
    mode === 'well'
      ? chain.control.clearChainFaults(chains[network])
      : chain.control.chainFault(chains[network], mode === 'lag' ? { mode, blocks: 3 } : { mode }),
  );
const settles = (mode: 'well' | 'refuse' | 'drop_after_settle' | 'drop_before_settle') =>
  hostility(`settles(${mode})`, (chain) => chain.world.provider(mode));
const backsUp = hostility('backsUp', async (chain) => {
  if (!chain.restore) chain.restore = await chain.world.service.backup();
});
const restores = hostility('restores', async (chain) => {
  await chain.restore?.();
  chain.restore = null;
});
const disputesTwice = (index: number) =>
  hostility(`disputesTwice(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    for (let report = 1; report <= 2; report += 1) {
      await chain.world.service.execute(payment.jobKey).catch(() => {});
      const { report_digest } = (await payment.buyer.job(payment.jobKey)).body;
      if (!report_digest) return;
      const body = { decision: 'dispute', reason: 'other', report_digest };
      await payment.buyer.post(`/api/agent/v1/jobs/${payment.jobKey}/review`, body);
    }
  });
const cancelsJob = (index: number) =>
  hostility(`cancelsJob(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (payment) await payment.buyer.post(`/api/agent/v1/jobs/${payment.jobKey}/cancel`);
  });
const worksOn = hostility('worksOn', (chain) => chain.rounds(2));
const passes = hostility('passes', (chain) => chain.rounds(1, 170));
const returns = hostility('returns', returnUnmatched);

/** What was minted came from nobody, and cannot go back. */
const isSomebodys = ({ other }: { other: string }): boolean => other !== nobody;

/** An operator gives back what is listed, except what nobody sent. */
async function returnUnmatched({ world }: HostileChain): Promise<void> {
  const { db } = world.service.runtime;
  const { arrivals } = await readUnsettled(db, new Date());
  for (const { network, transaction, position } of arrivals.rows.filter(isSomebodys)) {
    const name = { network, transaction, position } as Parameters<typeof returnArrival>[1];
    await returnArrival(db, name, new Date(world.now())).catch(() => {});
  }
}

const index = fc.nat({ max: 3 });
const who = fc.nat({ max: 1 });
const network = fc.constantFrom<ChainIndex>(0, 0, 0, 1);
const weighted: [number, fc.Arbitrary<Hostility>][] = [
  [9, fc.tuple(who, network).map(([one, on]) => buys(one, on))],
  [2, fc.tuple(who, network).map(([one, on]) => signs(one, on))],
  [2, fc.tuple(who, network).map(([one, on]) => multiplies(one, on))],
  [2, index.map(carriesOut)],
  [3, index.map(presents)],
  [2, index.map(steals)],
  [2, index.map(cancels)],
  [2, index.map(sendsDust)],
  [1, network.map(disturbs)],
  [4, fc.tuple(network, fc.integer({ min: 1, max: 8 })).map(([on, depth]) => reorganises(on, depth))],
  [
    2,
    fc
      .tuple(network, fc.constantFrom('blind' as const, 'lag' as const, 'well' as const))
      .map(([on, mode]) => troubles(on, mode)),
  ],
  [
    2,
    fc
      .constantFrom('well', 'well', 'refuse', 'drop_after_settle', 'drop_before_settle')
      .map((mode) => settles(mode as 'well')),
  ],
  [3, fc.constant(backsUp)],
  [2, fc.constant(restores)],
  [5, index.map(disputesTwice)],
  [1, index.map(cancelsJob)],
  [4, fc.constant(worksOn)],
  [2, fc.constant(passes)],
  [1, fc.constant(returns)],
];

/** What happens on a hostile chain in one run. */
export const hostilities = fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
  minLength: 6,
  maxLength: 16,
  size: 'max',
});

/**
 * Lets all of it happen, then all be well again, and checks what must hold whatever happened: nobody got more than it sent,
 * the books are the chain, and every payer has a report or a job that is on its way to one, its money, or credit.
 */
export async function survive(world: World, happenings: Hostility[]): Promise<void> {
  const chain = await HostileChain.open(world);
  for (const { run } of happenings) await run(chain);
  await settleChains(chain);
  await checkMoney(chain);
}

async function settleChains(chain: HostileChain): Promise<void> {
  const { control, world } = chain;
  await world.provider('well');
  for (const [network, id] of chains.entries()) {
    await control.clearChainFaults(id);
    // A reorganisation also takes back the time that was moved on.
    const { timestamp } = await chain.hand(network as ChainIndex).node.getBlock();
    const behind = Math.floor(world.now() / 1000) - Number(timestamp);
    if (behind > 0) await control.chainFault(id, { mode: 'advance_time', seconds: behind });
  }
  // What was signed before runs out, and what is there then becomes final.
  await chain.rounds(1, 200);
  for (const id of chains) await control.chainFault(id, { mode: 'mine', blocks: 30 });
  for (let round = 1; round <= roundsMax; round += 1) {
    await chain.rounds(1, 61);
    await returnUnmatched(chain);
    const { arrivals, unknown, payments, refunds } = await readUnsettled(world.service.runtime.db, new Date());
    const open = [...unknown.rows, ...payments.rows, ...refunds.rows, ...arrivals.rows.filter(isSomebodys)];
    if (round >= roundsToReverse && open.length === 0) return;
  }
}

async function checkMoney({ world, buyers, control, payTo }: HostileChain): Promise<void> {
  const { runtime, database } = world.service;
  const {
    chains: books,
    arrivals,
    departures,
    unknown,
    payments,
    refunds,
  } = await readUnsettled(runtime.db, new Date());
  for (const { network: on, balance_microcents, ledger_microcents } of books) {
    expect([on, balance_microcents]).toEqual([on, ledger_microcents]);
  }
  expect(arrivals.rows.filter(isSomebodys)).toEqual([]);
  expect([departures.rows, unknown.rows, payments.rows, refunds.rows]).toEqual([[], [], [], []]);
  for (const { wallet } of buyers) {
    const payer = wallet.address.toLowerCase();
    let kept = 0n;
    for (const id of chains) {
      const sum = async (filter: { from: string; to: string }) =>
        (await control.transfers(id, filter)).reduce((total, { amount }) => total + BigInt(amount), 0n);
      kept += (await sum({ from: payer, to: payTo })) - (await sum({ from: payTo, to: payer }));
    }
    const { rows } = await database.pool.query<{ state: string; payment_state: string }>(
      `select jobs.state, payment_state from chain_transfers join payments using (payment_key) join jobs using (job_key)
       where sender = $1 and removed_at is null`,
      [payer],
    );
    // What is kept of its money is for jobs that go on, were delivered, or became credit.
    const unrefunded = rows.filter(({ payment_state }) => payment_state !== 'refunded');
    expect(kept).toBe(BigInt(unrefunded.length) * unitPrice);
    for (const { payment_state } of unrefunded) expect(['collected', 'credited']).toContain(payment_state);
  }
}
