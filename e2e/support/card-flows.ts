import { expect } from 'vitest';
import { perform } from '../../server/door/perform.ts';
import { operatorContext } from '../../server/transports/context.ts';
import type { Agent } from './agent.ts';
import {
  buyingByCard,
  cards,
  chargeBeside,
  click,
  fillIn,
  heard,
  nextDeclinedLater,
  paidOnPage,
  payByCard,
  stripeOf,
} from './card.ts';
import type { Service } from './service.ts';

export type Buying = Awaited<ReturnType<typeof buyingByCard>>;
export interface Stage {
  readonly service: Service;
  /** Has a good saved card. */
  readonly buyer: Buying;
  /** Has a saved card that its bank refuses. */
  readonly refused: Buying;
}

/** A way that money moves: its calls, its steps, and its required final state. */
export interface Flow {
  /** All calls it makes in any case; calls that only a fault causes belong elsewhere. */
  readonly calls: readonly string[];
  /** Objects this young are not compared yet. */
  readonly aheadSeconds?: number;
  /** `arm` makes the trial's next call fail. Resolves to its state; undefined while it is still moving. */
  begin(stage: Stage, arm: () => Promise<void>, call: string): Promise<() => Promise<unknown>>;
  readonly end: unknown;
}

const triesMax = 8;
/** What a client does that was told to retry. */
async function untilAnswered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer = await ask();
  for (let tries = 1; tries < triesMax && answer.status !== 200; tries += 1) answer = await ask();
  expect(answer.status).toBe(200);
  return answer;
}

/** The state of a job's payment, with the cents charged and refunded. */
const moneyOf =
  ({ service }: Stage, agent: Agent, jobKey: string) =>
  async () => {
    const { rows } = await service.database.pool.query<{ payment_key: string }>(
      'select payment_key from payments where job_key = $1',
      [jobKey],
    );
    const keys = rows.map(({ payment_key }) => payment_key);
    const charges = (await stripeOf(service).books()).charges.filter(
      ({ metadata, status }) => status === 'succeeded' && keys.includes(metadata.payment_key ?? ''),
    );
    return {
      payment: (await agent.job(jobKey)).body.payment_state,
      charged: charges.map(({ amount }) => amount),
      back: charges.map(({ amount_refunded }) => amount_refunded),
    };
  };

const collected = { payment: 'collected', charged: [500], back: [0] };

/** A job with an open payment page, and the page's address. */
export async function openPage({ agent, member }: Buying, arm = async () => {}) {
  const jobKey = await agent.authorizedJob();
  const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
  await arm();
  const { body } = await untilAnswered(() => click(member, paymentKey));
  return { jobKey, paymentKey, url: String(body.url) };
}

async function paidJob({ buyer: { agent } }: Stage): Promise<string> {
  const jobKey = await agent.authorizedJob();
  expect((await payByCard(agent, jobKey, 'card_saved')).status).toBe(200);
  return jobKey;
}

/** The state of a job after its dispute: what the bank keeps, and what blocks the buyer. */
const endOf = (stage: Stage, agent: Agent, jobKey: string, disputeKey: string) => async () => {
  const { rows } = await stage.service.database.pool.query(
    'select outcome, withdrawn_microcents::int as taken from card_disputes where dispute_id = $1',
    [disputeKey],
  );
  const { holds } = (await agent.get('/api/agent/v1/me')).body;
  return { ...(await moneyOf(stage, agent, jobKey)()), disputes: rows, holds };
};
const won = { ...collected, disputes: [{ outcome: 'won', taken: 0 }], holds: [] };

/** The bank disputes the newest charge. */
async function contest({ service }: Stage): Promise<string> {
  const stripe = stripeOf(service);
  const charge = (await stripe.books()).charges.at(-1);
  return (await stripe.openDispute({ payment_intent: String(charge?.payment_intent) })).id;
}

/** No event arrives: only the books show what happens. Compares them next, as far as objects are old enough. */
async function onlyInTheBooks({ service }: Stage): Promise<void> {
  await stripeOf(service).webhookFault({ mode: 'lose', times: 'always' });
  await stripeOf(service).fault({ mode: 'error_500', on: 'events.list', times: 'always' });
  await compareNext(service);
}

const youngSeconds = 130;
const compareNext = (service: Service) =>
  service.database.pool.query(`
    update card_searches set searched_at = now() - interval '1 hour', searched_to = now() + interval '3 days -30 seconds',
      balance_microcents = null, ledger_microcents = null
    where list = 'books'`);

export const flows = {
  'a kept card is charged': {
    calls: ['payment_intents.create', 'payment_intents.confirm', 'payment_intents.retrieve'],
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const jobKey = await agent.authorizedJob();
      await arm();
      expect([200, 409]).toContain((await payByCard(agent, jobKey, 'card_saved')).status);
      return moneyOf(stage, agent, jobKey);
    },
    end: collected,
  },
  'a kept card is refused': {
    calls: ['payment_intents.create', 'payment_intents.confirm', 'payment_intents.retrieve', 'payment_intents.cancel'],
    async begin(stage, arm) {
      const { agent, member } = stage.refused;
      // One that was declined rests.
      await paidOnPage(stage.service, agent, { card: nextDeclinedLater(), member });
      const jobKey = await agent.authorizedJob();
      await arm();
      expect([422, 409]).toContain((await payByCard(agent, jobKey, 'card_saved')).status);
      return moneyOf(stage, agent, jobKey);
    },
    end: { payment: 'none', charged: [], back: [] },
  },
  'a page is paid on': {
    calls: ['customers.create', 'checkout.sessions.create', 'checkout.sessions.retrieve', 'payment_intents.retrieve'],
    async begin(stage, arm, call) {
      // Each account gets one customer.
      const buying = call === 'customers.create' ? await buyingByCard(stage.service) : stage.buyer;
      const { jobKey, url } = await openPage(buying, arm);
      await fillIn(url);
      return moneyOf(stage, buying.agent, jobKey);
    },
    end: collected,
  },
  'a page that nobody hears of is paid on': {
    calls: ['events.list', 'checkout.sessions.retrieve', 'payment_intents.retrieve'],
    async begin(stage, arm) {
      const { jobKey, url } = await openPage(stage.buyer);
      await stripeOf(stage.service).webhookFault({ mode: 'lose', times: 'always' });
      await arm();
      await fillIn(url);
      return moneyOf(stage, stage.buyer.agent, jobKey);
    },
    end: collected,
  },
  'a page is called back': {
    calls: ['checkout.sessions.expire', 'checkout.sessions.retrieve'],
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const { jobKey, url } = await openPage(stage.buyer);
      await arm();
      await untilAnswered(() => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`));
      expect((await fillIn(url)).status).toBe(410);
      return moneyOf(stage, agent, jobKey);
    },
    end: { payment: 'none', charged: [], back: [] },
  },
  'a charge is given back': {
    calls: ['refunds.list', 'refunds.create', 'refunds.retrieve'],
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const jobKey = await paidJob(stage);
      await arm();
      await untilAnswered(() => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`));
      return moneyOf(stage, agent, jobKey);
    },
    end: { payment: 'refunded', charged: [500], back: [500] },
  },
  'a dispute is opened and won': {
    calls: ['disputes.retrieve', 'refunds.list'],
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const jobKey = await paidJob(stage);
      await arm();
      const key = await contest(stage);
      await stage.service.sweep();
      await stripeOf(stage.service).closeDispute(key, 'won');
      return endOf(stage, agent, jobKey, key);
    },
    end: won,
  },
  'a dispute is answered': {
    calls: ['disputes.retrieve', 'disputes.update'],
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const { service } = stage;
      const jobKey = await paidJob(stage);
      const key = await contest(stage);
      await heard(service);
      await arm();
      const answer = () =>
        perform('answer_dispute', operatorContext(service.runtime), {
          dispute_key: key,
          statement: 'It was delivered.',
          reason: 'a trial',
        }).catch(() => ({ status: 500 }));
      await untilAnswered(answer);
      const stripe = stripeOf(service);
      const sent = (await stripe.books()).disputes.find(({ id }) => id === key);
      expect(sent?.evidence_details.submission_count).toBe(1);
      await stripe.closeDispute(key, 'won');
      return endOf(stage, agent, jobKey, key);
    },
    end: won,
  },
  'a charge that only the books show goes back': {
    calls: ['charges.list', 'payment_intents.retrieve', 'refunds.list', 'refunds.create'],
    aheadSeconds: youngSeconds,
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const { jobKey, paymentKey } = await openPage(stage.buyer);
      await untilAnswered(() => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`));
      await onlyInTheBooks(stage);
      await chargeBeside(stage.service, paymentKey);
      await arm();
      return moneyOf(stage, agent, jobKey);
    },
    end: { payment: 'none', charged: [500], back: [500] },
  },
  'a dispute that only the books show is won': {
    calls: ['disputes.list', 'refunds.list'],
    aheadSeconds: youngSeconds,
    async begin(stage, arm) {
      const { agent } = stage.buyer;
      const jobKey = await paidJob(stage);
      await onlyInTheBooks(stage);
      const key = await contest(stage);
      await stripeOf(stage.service).closeDispute(key, 'won');
      await arm();
      return endOf(stage, agent, jobKey, key);
    },
    end: won,
  },
  'what was paid out is in the books': {
    calls: ['balance_transactions.list', 'balance.retrieve'],
    async begin({ service }, arm) {
      await compareNext(service);
      const { id } = await stripeOf(service).moveBalance('payout', 1);
      await arm();
      return async () => {
        const { rows } = await service.database.pool.query(
          `select (select amount_microcents::int from ledger_transfers where event_key = $1) as booked,
            balance_microcents is not null as compared from card_searches where list = 'books'`,
          [`paid_out:${id}`],
        );
        return rows[0];
      };
    },
    end: { booked: 1_000_000, compared: true },
  },
  'a kept card is removed': {
    calls: ['payment_methods.detach'],
    async begin({ service }, arm) {
      const buying = await buyingByCard(service);
      const { url } = await openPage(buying);
      await fillIn(url, cards.good, { save: true });
      let listed: { card_key: string }[] = [];
      for (let tries = 0; tries < triesMax && listed.length === 0; tries += 1) {
        service.advanceClock(31);
        await service.sweep();
        await service.sweep();
        service.advanceClock(-31);
        listed = (await buying.member.get('/api/agent/v1/cards')).body.cards;
      }
      const stripe = stripeOf(service);
      const held = (await stripe.books()).payment_methods.findLast(({ customer }) => customer !== null);
      await arm();
      await buying.member.post(`/api/agent/v1/cards/${listed[0]?.card_key}/remove`);
      return async () =>
        (await stripe.books()).payment_methods.find(({ id }) => id === held?.id)?.customer === null
          ? 'forgotten'
          : 'held';
    },
    end: 'forgotten',
  },
} as const satisfies Record<string, Flow>;
