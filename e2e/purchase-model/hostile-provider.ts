// Longer than 300 lines: everything a card provider and its payers can do to one run, in order.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { readUnsettled } from '../../server/purchases/rounds/unsettled.ts';
import { daySeconds, defaultGrant } from '../../server/service/terms.ts';
import { Agent, type Answer } from '../support/agent.ts';
import { cards, click, fillIn, payByCard, stripeOf } from '../support/card.ts';
import { cardDifferences } from '../support/card-books.ts';
import { Member } from '../support/member.ts';
import type { CardHappening } from './card-happenings.ts';
import type { World } from './world.ts';

/** Purchases per run: below a daily limit. */
const jobsMax = 6;
/** Worker rounds after which an answer must have come. */
const roundsMax = 12;
const minuteSeconds = 61;
/** Answers a buyer may get whatever the provider does: none is a server fault. */
const answers = [200, 201, 202, 402, 403, 404, 409, 422, 503];

/** The kinds of events around card purchases: each must have happened in every sample. */
export const cardKinds = [
  'a link asked for',
  'a payment on the page',
  'a declined card',
  'a card kept by a tick',
  '3-D Secure passed',
  '3-D Secure failed',
  'a kept card charged',
  'a kept card declined',
  'a holder asked for',
  'a provider that fails',
  'a provider that is down',
  'a webhook lost',
  'a webhook withheld',
  'a webhook twice',
  'webhooks reordered',
  'a wallet beside a card',
  'a payment called back',
  'a cancel beside a card',
  'all at once',
  'a refund',
  'a refund pending',
  'a pending refund failed',
  'a refund come back',
  'money that came late',
  'a dispute',
  'a dispute won',
  'a dispute lost',
  'a dispute beside a pending refund',
  'a lost dispute won after all',
  'a review disputed under a dispute',
] as const;
export type CardKind = (typeof cardKinds)[number];
export type CardTally = Map<CardKind, number>;

/** An agent with a wallet, and a member of its account, who may save cards. */
export interface CardBuyer {
  agent: Agent;
  member: Member;
}

export interface CardJob {
  buyer: CardBuyer;
  jobKey: string;
  /** Every card attempt named in an answer. */
  paymentKeys: string[];
}

/** A hostile card provider, with two buyers who pay by card or wallet and cancel payments. */
export class HostileProvider {
  readonly world: World;
  readonly stripe;
  readonly buyers: CardBuyer[];
  readonly jobs: CardJob[] = [];
  readonly tally: CardTally;

  private constructor(world: World, buyers: CardBuyer[], tally: CardTally) {
    this.world = world;
    this.buyers = buyers;
    this.tally = tally;
    this.stripe = stripeOf(world.service);
  }

  static async open(world: World, tally: CardTally): Promise<HostileProvider> {
    const arrive = async (): Promise<CardBuyer> => {
      const agent = await Agent.arrive(world.service);
      const member = await Member.of(world.service, agent);
      const { status } = await member.post(`/api/agent/v1/agents/${agent.wallet.address.toLowerCase()}/grant`, {
        payment_methods: [...defaultGrant.payment_methods],
      });
      expect(status).toBe(200);
      return { agent, member };
    };
    return new HostileProvider(world, [await arrive(), await arrive()], tally);
  }

  buyer(index: number): CardBuyer {
    return this.buyers[index % this.buyers.length] ?? expect.unreachable();
  }
  job(index: number): CardJob | undefined {
    return this.jobs.at(-1 - (index % Math.max(this.jobs.length, 1)));
  }
  happened(kind: CardKind): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
  }
  /** If the provider refuses, it came too late or somebody was faster. */
  async attempt(kind: CardKind, work: () => Promise<unknown>): Promise<void> {
    await work().then(
      () => this.happened(kind),
      () => {},
    );
  }
  /** A buyer's answer, which must be one of those allowed. */
  async answered(asked: Promise<Answer>): Promise<Answer> {
    const answer = await asked;
    expect(answers, answer.text).toContain(answer.status);
    return answer;
  }

  async begin(buyer: CardBuyer): Promise<CardJob | undefined> {
    if (this.jobs.length >= jobsMax) return undefined;
    const { body: quote } = await this.answered(buyer.agent.quote());
    const { status, body } = await this.answered(buyer.agent.authorize(quote.quote_key));
    if (status !== 201) return undefined;
    const job = { buyer, jobKey: body.job_key, paymentKeys: [] };
    this.jobs.push(job);
    return job;
  }

  /** Asks for a payment link, or for a charge to a saved card. */
  async pay(job: CardJob, method: 'card_checkout' | 'card_saved', key: string = randomUUID()): Promise<Answer> {
    const answer = await this.answered(payByCard(job.buyer.agent, job.jobKey, method, key));
    const { payment_key: paymentKey } = answer.body;
    if (answer.status === 202 && !job.paymentKeys.includes(paymentKey)) job.paymentKeys.push(paymentKey);
    return answer;
  }

  /**
   * The payer opens the page of the newest attempt and fills it in; a member may `tick` to save the card. Returns where
   * it leads.
   */
  async payOnPage(job: CardJob, card: string, { tick = false } = {}): Promise<{ status: number; location: string }> {
    const paymentKey = job.paymentKeys.at(-1);
    if (!paymentKey) return { status: 404, location: '' };
    const by = tick ? job.buyer.member : job.buyer.agent;
    const page = await this.answered(click(by, paymentKey));
    return page.status === 200 ? fillIn(page.body.url, card, { save: tick }) : { status: page.status, location: '' };
  }

  async payOverX402(job: CardJob): Promise<Answer | undefined> {
    const { agent } = job.buyer;
    const signed = await this.world.sign(job.jobKey, 0, agent).catch(() => undefined);
    return signed ? this.answered(agent.pay(job.jobKey, { signature: signed.header })) : undefined;
  }

  post(job: CardJob, path: string, body: object = {}): Promise<Answer> {
    return this.answered(job.buyer.agent.post(`/api/agent/v1/jobs/${job.jobKey}/${path}`, body));
  }

  /** The provider's successful payment intent of a job. */
  async charged(job: CardJob): Promise<string | undefined> {
    const { rows } = await this.world.service.database.pool.query<{ intent_id: string }>(
      'select intent_id from card_charges join payments using (payment_key) where job_key = $1 order by seen_at desc',
      [job.jobKey],
    );
    return rows[0]?.intent_id;
  }

  async rounds(count: number, seconds = 31): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.world.pass(seconds);
      // Sessions expire.
      if (seconds > minuteSeconds) for (const { agent } of this.buyers) await agent.signIn();
      await this.world.service.sweep();
    }
  }
}

/**
 * Runs the events, then ends all faults and checks the invariants: the provider's books match ours, each job has at
 * most one collection, and a payer's money is kept only for a report, on its way to one, or because the payer's bank
 * refused its return.
 */
export async function surviveCards(
  world: World,
  happenings: readonly CardHappening[],
  tally: CardTally,
): Promise<void> {
  const provider = await HostileProvider.open(world, tally);
  for (const { run } of happenings) await run(provider);
  await settle(provider);
  await check(provider);
  await countInBooks(provider);
}

async function settle(provider: HostileProvider): Promise<void> {
  const { stripe, world } = provider;
  await stripe.clearFaults();
  await stripe.send();
  await stripe.untilDelivered();
  // Unpaid pages expire, refunds arrive, and banks decide.
  await provider.rounds(1, daySeconds + 60);
  for (const { id, status } of (await stripe.books()).refunds) {
    if (status === 'pending') await stripe.settle(id, 'succeeded');
  }
  for (const [place, { id, status }] of (await stripe.books()).disputes.entries()) {
    if (status === 'needs_response') await stripe.closeDispute(id, place % 2 === 0 ? 'won' : 'lost');
  }
  for (let round = 1; round <= roundsMax; round += 1) {
    await stripe.untilDelivered();
    await provider.rounds(1, 61);
    const { unknown, payments, refunds, differences } = await readUnsettled(
      world.service.runtime.db,
      new Date(world.now()),
    );
    const pending = refunds.rows.filter(({ state }) => state === 'refund_pending');
    if (round > 1 && [unknown.rows, payments.rows, pending, differences.rows].every((rows) => rows.length === 0))
      return;
  }
}

/** How much of the price is kept, by the state of the job's payment. */
const kept: Readonly<Record<string, number>> = {
  none: 0,
  collected: 1,
  refunded: 0,
  refund_failed: 1,
  credited: 1,
  reversed: 0,
};

async function check({ world, jobs, stripe }: HostileProvider): Promise<void> {
  const { service } = world;
  expect(await cardDifferences(service.database.pool, service.sandbox.controlUrl, { isSettled: true })).toEqual([]);
  const { differences } = await readUnsettled(service.runtime.db, new Date(world.now()));
  expect(differences.rows).toEqual([]);
  const { charges, disputes } = await stripe.books();
  const lost = disputes.filter(({ status }) => status === 'lost').map(({ charge }) => charge);
  for (const { jobKey, buyer } of jobs) {
    const { payment_state: payment, state } = (await buyer.agent.job(jobKey)).body;
    const { rows } = await service.database.pool.query<{ payment_key: string; method: string; state: string }>(
      'select payment_key, method, state from payments where job_key = $1',
      [jobKey],
    );
    const keys = rows.map(({ payment_key }) => payment_key);
    const cash = charges.filter(
      ({ id, status, metadata, amount, amount_refunded }) =>
        status === 'succeeded' &&
        keys.includes(metadata.payment_key ?? '') &&
        amount_refunded < amount &&
        !lost.includes(id),
    ).length;
    const lateKept = await unreturned(world, jobKey);
    const transfers = await transfersKept(world, jobKey);
    const isByCredit = rows.some((row) => row.state === 'collected' && row.method === 'wallet_credit');
    expect([jobKey, state, payment, cash + transfers - lateKept]).toEqual([
      jobKey,
      state,
      payment,
      isByCredit ? 0 : kept[payment],
    ]);
    expect(rows.filter((row) => row.state === 'collected').length).toBeLessThanOrEqual(1);
  }
}

/** Late charges of a job that the payer's bank refused to take back: only a person can resolve them. */
async function unreturned(world: World, jobKey: string): Promise<number> {
  const { rowCount } = await world.service.database.pool.query(
    `select 1 from refunds where job_key = $1 and reason = 'late_payment' and intent_id is not null
      and state = 'refund_failed' and dropped_at is null`,
    [jobKey],
  );
  return rowCount ?? 0;
}

/** Transfers for a job that were not returned. */
async function transfersKept(world: World, jobKey: string): Promise<number> {
  const { rows } = await world.service.database.pool.query<{ kept: number }>(
    `select count(*)::int as kept from chain_transfers c join payments p using (payment_key)
     where p.job_key = $1 and c.use in ('payment', 'late') and c.removed_at is null and not exists (
       select from refunds r where (r.network, r.arrival_transaction, r.arrival_position)
         = (c.network, c.transaction, c.position) and r.state = 'refunded')`,
    [jobKey],
  );
  return rows[0]?.kept ?? 0;
}

/** Kinds that only the books reveal, by what they record. */
async function countInBooks(provider: HostileProvider): Promise<void> {
  const { rows } = await provider.world.service.database.pool.query<{ kind: CardKind; times: number }>(
    `with own as (select unnest($1::text[]) as job_key)
     select 'a refund' as kind, count(*)::int as times from refunds join own using (job_key)
       where intent_id is not null and state = 'refunded' and reason <> 'late_payment'
     union all select 'money that came late', count(*)::int from card_charges
       join payments using (payment_key) join own using (job_key) where use = 'late'
     union all select 'a kept card declined', count(*)::int from card_payments
       join payments using (payment_key) join own using (job_key)
       where method = 'card_saved' and decline_code is not null and decline_code <> 'authentication_required'
     union all select 'a holder asked for', count(*)::int from card_payments
       join payments using (payment_key) join own using (job_key)
       where method = 'card_saved' and decline_code = 'authentication_required'
     union all select 'a kept card charged', count(*)::int from payments join own using (job_key)
       where method = 'card_saved' and state = 'collected'`,
    [provider.jobs.map(({ jobKey }) => jobKey)],
  );
  for (const { kind, times } of rows) for (let one = 0; one < times; one += 1) provider.happened(kind);
}

/** Test cards that a payer uses, by their behavior. */
export const payerCards = {
  good: cards.good,
  declined: cards.declined,
  insufficient: cards.insufficient,
  declinedLater: cards.declinedLater,
  asksHolder: cards.asksHolder,
} as const;
