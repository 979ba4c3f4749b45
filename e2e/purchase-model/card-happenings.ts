import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { chargeBeside } from '../support/card.ts';
import { type HostileProvider, payerCards } from './hostile-provider.ts';

/**
 * An event around card purchases. Its effects are not predicted: the invariants are checked at the end.
 */
export type CardHappening = { name: string; run: (provider: HostileProvider) => Promise<unknown> };
const happening = (name: string, run: CardHappening['run']): CardHappening =>
  ({ name, run, toString: () => name }) as CardHappening;

type CardName = keyof typeof payerCards;

const begins = (who: number) => happening(`begins(${who})`, (provider) => provider.begin(provider.buyer(who)));

const asksForLink = (index: number) =>
  happening(`asksForLink(${index})`, async (provider) => {
    const job = provider.job(index);
    if (job && (await provider.pay(job, 'card_checkout')).status === 202) provider.happened('a link asked for');
  });

const paysOnPage = (index: number, card: CardName, tick: boolean) =>
  happening(`paysOnPage(${index}, ${card}, ${tick})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    const { status, location } = await provider.payOnPage(job, payerCards[card], { tick });
    if (status === 402) provider.happened('a declined card');
    if (status < 300 || status >= 400) return;
    if (location.includes('/authenticate/')) return passes3ds(provider, location, index % 2 === 0);
    provider.happened('a payment on the page');
    if (tick) provider.happened('a card kept by a tick');
  });

/** The cardholder authenticates, or fails to. */
async function passes3ds(provider: HostileProvider, location: string, isHolder: boolean): Promise<void> {
  const outcome = isHolder ? 'complete' : 'fail';
  await fetch(location, { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' });
  provider.happened(isHolder ? '3-D Secure passed' : '3-D Secure failed');
}

const chargesKept = (index: number) =>
  happening(`chargesKept(${index})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    const key = randomUUID();
    await provider.pay(job, 'card_saved', key);
    // The answer may be lost: send the same request once more.
    await provider.pay(job, 'card_saved', key);
  });

const paysOverX402 = (index: number) =>
  happening(`paysOverX402(${index})`, async (provider) => {
    const job = provider.job(index);
    const answer = job && (await provider.payOverX402(job));
    if (answer?.status === 200 && job && job.paymentKeys.length > 0) provider.happened('a wallet beside a card');
  });

const callsBack = (index: number) =>
  happening(`callsBack(${index})`, async (provider) => {
    const job = provider.job(index);
    if (job && (await provider.post(job, 'payments/cancel')).status === 200) provider.happened('a payment called back');
  });

const cancels = (index: number) =>
  happening(`cancels(${index})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    const { status } = await provider.post(job, 'cancel');
    if (status === 200 && job.paymentKeys.length > 0) provider.happened('a cancel beside a card');
  });

/** A saved card, a wallet, the page, and two cancellations. */
const allAtOnce = (index: number) =>
  happening(`allAtOnce(${index})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    await Promise.all([
      provider.pay(job, 'card_saved'),
      provider.payOverX402(job),
      provider.payOnPage(job, payerCards.good),
      provider.post(job, 'payments/cancel'),
      provider.post(job, 'cancel'),
    ]);
    provider.happened('all at once');
  });

const works = (index: number) =>
  happening(`works(${index})`, async (provider) => {
    const job = provider.job(index);
    if (job) await provider.world.service.execute(job.jobKey).catch(() => {});
  });

const reviews = (index: number, decision: 'accept' | 'dispute') =>
  happening(`reviews(${index}, ${decision})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    const { report_digest, payment_state } = (await job.buyer.agent.job(job.jobKey)).body;
    if (!report_digest) return;
    const body = { decision, report_digest, ...(decision === 'dispute' ? { reason: 'other' } : {}) };
    const { status, body: after } = await provider.post(job, 'review', body);
    const isWaived = status === 200 && after.state === 'waived' && payment_state === 'disputed';
    if (isWaived) provider.happened('a review disputed under a dispute');
  });

const modes = [
  'drop_before',
  'drop_after',
  'error_500',
  'error_500_after',
  'conflict_409',
  'limit_429',
  'truncate',
  'sever',
] as const;

const fails = (mode: (typeof modes)[number], skip: number) =>
  happening(`fails(${mode}, ${skip})`, async (provider) => {
    await provider.stripe.fault({ mode, skip, times: 1 });
    provider.happened('a provider that fails');
  });
const isDown = happening('isDown', async (provider) => {
  await provider.stripe.fault({ mode: 'drop_before', times: 'always' });
  provider.happened('a provider that is down');
});
const isWell = happening('isWell', (provider) => provider.stripe.clearFaults());

const webhookKinds = {
  lose: 'a webhook lost',
  withhold: 'a webhook withheld',
  duplicate: 'a webhook twice',
  reorder: 'webhooks reordered',
} as const;
const disturbsWebhooks = (mode: keyof typeof webhookKinds, times: number) =>
  happening(`disturbsWebhooks(${mode}, ${times})`, async (provider) => {
    await provider.stripe.webhookFault({ mode, times });
    provider.happened(webhookKinds[mode]);
  });
const sendsWithheld = happening('sendsWithheld', (provider) => provider.stripe.send());

const refundPends = happening('refundPends', async (provider) => {
  await provider.stripe.outcome({ of: 'refund', times: 1 });
});
/** The newest refund that its bank has not decided, or has accepted. */
const decidesRefund = (outcome: 'succeeded' | 'failed') =>
  happening(`decidesRefund(${outcome})`, async (provider) => {
    const refund = (await provider.stripe.books()).refunds.findLast(({ status }) => status === 'pending');
    if (!refund) return;
    provider.happened('a refund pending');
    const settled = () => provider.stripe.settle(refund.id, outcome);
    await (outcome === 'failed' ? provider.attempt('a pending refund failed', settled) : settled());
  });
const refundComesBack = (index: number) =>
  happening(`refundComesBack(${index})`, async (provider) => {
    const job = provider.job(index);
    const intent = job && (await provider.charged(job));
    const refund = (await provider.stripe.books()).refunds.find(
      ({ status, payment_intent }) => status === 'succeeded' && payment_intent === intent,
    );
    if (refund) await provider.attempt('a refund come back', () => provider.stripe.settle(refund.id, 'failed'));
  });

const disputes = (index: number) =>
  happening(`disputes(${index})`, async (provider) => {
    const job = provider.job(index);
    const intent = job && (await provider.charged(job));
    if (!intent) return;
    const isOnItsWay = (await provider.stripe.books()).refunds.some(
      ({ status, payment_intent }) => status === 'pending' && payment_intent === intent,
    );
    const kind = isOnItsWay ? 'a dispute beside a pending refund' : 'a dispute';
    await provider.attempt(kind, () => provider.stripe.openDispute({ payment_intent: intent }));
  });
const decidesDispute = (outcome: 'won' | 'lost') =>
  happening(`decidesDispute(${outcome})`, async (provider) => {
    const open = (await provider.stripe.books()).disputes.find(({ status }) => status === 'needs_response');
    if (open) await provider.attempt(`a dispute ${outcome}`, () => provider.stripe.closeDispute(open.id, outcome));
  });

const turnsDispute = happening('turnsDispute', async (provider) => {
  const lost = (await provider.stripe.books()).disputes.findLast(({ status }) => status === 'lost');
  if (lost) await provider.attempt('a lost dispute won after all', () => provider.stripe.closeDispute(lost.id, 'won'));
});

/** A payer pays on an open page while the payment is being canceled here. */
const paysTooLate = (index: number) =>
  happening(`paysTooLate(${index})`, async (provider) => {
    const job = provider.job(index);
    if (!job) return;
    await Promise.all([provider.payOnPage(job, payerCards.good), provider.post(job, 'payments/cancel')]);
  });

const arrivesLate = (index: number) =>
  happening(`arrivesLate(${index})`, async (provider) => {
    const paymentKey = provider.job(index)?.paymentKeys.at(-1);
    if (paymentKey) await chargeBeside(provider.world.service, paymentKey).catch(() => {});
  });

const hears = happening('hears', async (provider) => {
  await provider.stripe.untilDelivered();
  await provider.world.service.sweep();
});
const passes = (seconds: number) => happening(`passes(${seconds})`, (provider) => provider.rounds(1, seconds));
const clears = happening('clears', (provider) => provider.stripe.clearFaults());

/** Sequences too rare for chance: each run starts with one of them. */
const link = [begins(0), asksForLink(0)];
const paid = [...link, paysOnPage(0, 'good', false), hears];
const keeps = (card: CardName) => [...link, paysOnPage(0, card, true), hears, begins(0)];
const goingBack = [...paid, refundPends, cancels(0), hears];
const reviewedTwice = [works(0), reviews(0, 'dispute'), works(0)];
const scenes: CardHappening[][] = [
  [...paid, works(0), reviews(0, 'accept'), disputes(0), hears, decidesDispute('lost'), hears],
  [...[...goingBack, decidesRefund('failed'), hears], ...[...paid, cancels(0), hears, refundComesBack(0), hears]],
  [...keeps('good'), chargesKept(0), works(0), ...keeps('declinedLater'), chargesKept(0), hears],
  [
    ...[...keeps('asksHolder'), chargesKept(0), hears, paysOnPage(0, 'asksHolder', false), hears],
    ...[begins(1), begins(1), asksForLink(1), paysOnPage(1, 'asksHolder', false), hears],
  ],
  [
    ...[...link, paysOnPage(0, 'declined', false), paysOnPage(0, 'insufficient', false), paysOnPage(0, 'good', false)],
    ...[hears, ...link, paysOverX402(0), paysOnPage(0, 'good', false), hears],
  ],
  [...link, disturbsWebhooks('lose', 5), paysOnPage(0, 'good', false), paysOverX402(0), hears, arrivesLate(0), hears],
  [...link, callsBack(0), arrivesLate(0), hears, asksForLink(0), cancels(0), callsBack(0), cancels(0)],
  [...keeps('good'), isDown, chargesKept(0), callsBack(0), cancels(0), isWell, passes(31), hears],
  [...keeps('good'), begins(0), asksForLink(0), allAtOnce(0), hears, ...link, paysTooLate(0), hears, cancels(0)],
  [...paid, works(0), disputes(0), hears, begins(0), asksForLink(0), decidesDispute('won'), hears, asksForLink(0)],
  [...paid, ...reviewedTwice, disputes(0), hears, reviews(0, 'dispute'), hears, decidesDispute('lost'), hears],
  [...paid, ...reviewedTwice, disputes(0), hears, reviews(0, 'dispute'), hears, decidesDispute('won'), hears],
  [
    ...[...goingBack, disputes(0), hears, decidesRefund('succeeded'), decidesDispute('lost'), hears],
    ...[refundComesBack(0), hears, turnsDispute, hears],
  ],
  [...goingBack, disputes(0), decidesDispute('lost'), hears, decidesRefund('succeeded'), hears, turnsDispute, hears],
  [...goingBack, disputes(0), hears, decidesRefund('failed'), hears, decidesDispute('won'), hears],
  [
    ...[disturbsWebhooks('reorder', 4), ...paid, disturbsWebhooks('duplicate', 9), works(0), disputes(0), hears],
    ...[disturbsWebhooks('withhold', 9), ...paid, cancels(0), passes(31), sendsWithheld, hears],
  ],
];

const index = fc.nat({ max: 3 });
const who = fc.nat({ max: 1 });
const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const weighted: [number, fc.Arbitrary<CardHappening>][] = [
  [6, who.map(begins)],
  [8, index.map(asksForLink)],
  [
    8,
    fc
      .tuple(index, of<CardName>('good', 'good', 'good', 'declined', 'asksHolder', 'declinedLater'), fc.boolean())
      .map(([i, card, tick]) => paysOnPage(i, card, tick)),
  ],
  [6, index.map(chargesKept)],
  [4, index.map(paysOverX402)],
  [3, index.map(callsBack)],
  [2, index.map(cancels)],
  [2, index.map(allAtOnce)],
  [2, index.map(paysTooLate)],
  [1, index.map(arrivesLate)],
  [6, index.map(works)],
  [
    4,
    fc.tuple(index, of('accept' as const, 'dispute' as const, 'dispute' as const)).map(([i, what]) => reviews(i, what)),
  ],
  [6, fc.tuple(of(...modes), fc.nat({ max: 4 })).map(([mode, skip]) => fails(mode, skip))],
  [1, fc.constant(isDown)],
  [2, fc.constant(isWell)],
  [
    4,
    fc
      .tuple(
        of('lose' as const, 'withhold' as const, 'duplicate' as const, 'reorder' as const),
        fc.integer({ min: 1, max: 4 }),
      )
      .map(([mode, times]) => disturbsWebhooks(mode, times)),
  ],
  [1, fc.constant(sendsWithheld)],
  [2, fc.constant(refundPends)],
  [2, of('succeeded' as const, 'failed' as const).map(decidesRefund)],
  [2, index.map(refundComesBack)],
  [3, index.map(disputes)],
  [2, of('won' as const, 'lost' as const).map(decidesDispute)],
  [1, fc.constant(turnsDispute)],
  [8, fc.constant(hears)],
  [3, of(5, 31, 31, 2_400).map(passes)],
  [1, fc.constant(clears)],
];

const byChance = fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
  minLength: 6,
  maxLength: 20,
  size: 'max',
});

/** The events around a run's card purchases: one such sequence, then random events. */
export const cardHappenings: fc.Arbitrary<CardHappening[]> = fc
  .tuple(fc.constantFrom(...scenes), byChance)
  .map((parts) => parts.flat());
