import fc from 'fast-check';
import { type ChainIndex, chains, type HostileChain, returnUnmatched } from './hostile-chain.ts';

/** An event on a hostile chain. Its effects are not predicted: the invariants are checked at the end. */
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
/** Somebody else executes the signed transfer, together with another signed one and empty transfers. */
const carriesOut = (index: number) =>
  hostility(`carriesOut(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    const hand = chain.hand(payment.network);
    const { wallet } = payment.buyer;
    const empty = await hand.sign(wallet, wallet.address, 0n, { validBefore: chain.validBefore() });
    await chain.tryOnChain('several authorizations in one transaction', () =>
      hand.together([empty, payment.transfer].map(hand.transferCall)),
    );
  });
/** One transfer of money and, under the nonces of other jobs, empty transfers; then all are presented. */
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
    await chain.tryOnChain('several authorizations in one transaction', () =>
      hand.together([...empty, real.transfer].map(hand.transferCall)),
    );
    for (const payment of [real, ...others]) {
      if (payment) await chain.present(payment.buyer, payment.jobKey, payment.header);
    }
  });
const presents = (index: number) =>
  hostility(`presents(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (payment) await chain.present(payment.buyer, payment.jobKey, payment.header);
  });
/** The other buyer presents a transfer seen on the chain, for its own job. */
const steals = (index: number) =>
  hostility(`steals(${index})`, async (chain) => {
    const payment = chain.payment(index);
    const thief = chain.buyers.find((one) => one !== payment?.buyer);
    const own = thief && payment && (await chain.sign(thief, payment.network));
    if (!own) return;
    await chain.present(thief, own.jobKey, payment.header);
    chain.happened('a stolen signature');
  });
const cancels = (index: number) =>
  hostility(`cancels(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    await chain.tryOnChain('a cancellation', () =>
      chain.hand(payment.network).cancel(payment.buyer.wallet, payment.transfer.nonce),
    );
  });
/** Another amount under the nonce of a payment. */
const sendsDust = (index: number) =>
  hostility(`sendsDust(${index})`, async (chain) => {
    const payment = chain.payment(index);
    if (!payment) return;
    const hand = chain.hand(payment.network);
    const more = { nonce: payment.transfer.nonce, validBefore: chain.validBefore() };
    const dust = await hand.sign(payment.buyer.wallet, chain.payTo, 1n, more);
    await chain.tryOnChain('dust under the nonce of a payment', () => hand.call(hand.transferCall(dust)));
  });
const disturbs = (network: ChainIndex) =>
  hostility(`disturbs(${network})`, async (chain) => {
    const hand = chain.hand(network);
    await hand.nothingFrom(chain.buyer(0).wallet.address, chain.payTo);
    await hand.nothingFrom(chain.payTo, chain.buyer(0).wallet.address);
    chain.happened('a transfer of nothing');
    await hand.mint(chain.payTo, 7n);
    // A person sends money without a reference: it is returned by hand.
    const { wallet } = chain.buyer(1);
    const gift = await hand.sign(wallet, chain.payTo, 3n, { validBefore: chain.validBefore() });
    await chain.tryOnChain("a stranger's transfer", () => hand.call(hand.transferCall(gift)));
  });
const reorganises = (network: ChainIndex, depth: number) =>
  hostility(`reorganises(${network}, ${depth})`, (chain) =>
    chain.tryOnChain('a reorganisation', () => chain.control.chainFault(chains[network], { mode: 'reorg', depth })),
  );
const troubles = (network: ChainIndex, mode: 'blind' | 'lag' | 'well') =>
  hostility(`troubles(${network}, ${mode})`, async (chain) => {
    if (mode === 'well') return chain.control.clearChainFaults(chains[network]);
    chain.happened(mode === 'lag' ? 'a lagging node' : 'a blind node');
    return chain.control.chainFault(chains[network], mode === 'lag' ? { mode, blocks: 3 } : { mode });
  });
const settles = (mode: 'well' | 'refuse' | 'drop_after_settle' | 'drop_before_settle') =>
  hostility(`settles(${mode})`, async (chain) => {
    if (mode !== 'well') chain.happened('a facilitator that fails');
    await chain.world.provider(mode);
  });
const backsUp = hostility('backsUp', async (chain) => {
  if (!chain.restore) chain.restore = await chain.world.service.backup();
});
const restores = hostility('restores', async (chain) => {
  if (!chain.restore) return;
  await chain.restore();
  chain.restore = null;
  chain.happened('a restore');
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

const mines = (network: ChainIndex) =>
  hostility(`mines(${network})`, (chain) => chain.control.chainFault(chains[network], { mode: 'mine', blocks: 30 }));
/**
 * For long enough, a node shows its own chain, on which the newest payment expired unused: it is reversed. Then the
 * chain shows it after all.
 */
const liesAndTellsTheTruth = (network: ChainIndex) =>
  hostility(`liesAndTellsTheTruth(${network})`, async (chain) => {
    const { control, world } = chain;
    const on = chains[network];
    await control.chainFault(on, { mode: 'mine', blocks: 12 });
    const before = await control.chainFault(on, { mode: 'snapshot' });
    const payment = await chain.sign(chain.buyer(0), network);
    if (!payment) return;
    await chain.present(payment.buyer, payment.jobKey, payment.header);
    await control.chainFault(on, { mode: 'revert', snapshot_id: before.snapshot_id ?? '0x' });
    const fork = await control.chainFault(on, { mode: 'snapshot' });
    await world.provider('refuse');
    await chain.rounds(1, 200);
    await control.chainFault(on, { mode: 'mine', blocks: 30 });
    await chain.rounds(4);
    await control.chainFault(on, { mode: 'revert', snapshot_id: fork.snapshot_id ?? '0x' });
    await world.provider('well');
    const hand = chain.hand(network);
    await hand.call(hand.transferCall(payment.transfer)).catch(() => {});
    await control.chainFault(on, { mode: 'mine', blocks: 30 });
    await chain.rounds(2);
  });

/** Sequences too rare for chance: each run starts with one of them, on a healthy chain. */
const scenes: Hostility[][] = [
  [buys(0, 0), reorganises(0, 2), worksOn, worksOn],
  [buys(0, 0), settles('refuse'), reorganises(0, 2), passes, mines(0), worksOn, worksOn],
  [liesAndTellsTheTruth(0)],
  [backsUp, buys(0, 0), disputesTwice(0), worksOn, restores, presents(0)],
  [multiplies(0, 0), worksOn],
  [buys(0, 0), troubles(0, 'blind'), worksOn, troubles(0, 'well')],
  [troubles(0, 'lag'), buys(0, 0), worksOn, troubles(0, 'well')],
  [signs(0, 0), carriesOut(0), steals(0), presents(1)],
  [signs(0, 0), cancels(0), presents(0)],
  [signs(0, 0), sendsDust(0), presents(0), disturbs(0), worksOn, returns],
  [settles('drop_before_settle'), buys(0, 0), passes, mines(0), worksOn, carriesOut(0), worksOn],
  [settles('drop_after_settle'), buys(0, 0), cancelsJob(0), worksOn],
];

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

const byChance = fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
  minLength: 8,
  maxLength: 24,
  size: 'max',
});

/** The events of one run on a hostile chain: one such sequence, then random events. */
export const hostilities: fc.Arbitrary<Hostility[]> = fc
  .tuple(fc.constantFrom(...scenes), byChance)
  .map((parts) => parts.flat());
