import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Agent } from './agent.ts';
import { buyingByCard, cards, click, fillIn, payByCard, stripeOf } from './card.ts';
import type { Service } from './service.ts';

/** What can go wrong with a call to the card provider, once. */
export const callFaults = [
  'drop_before',
  'drop_after',
  'hold_before',
  'hold_after',
  'slow',
  'error_500',
  'error_500_after',
  'conflict_409',
  'limit_429',
  'truncate',
  'sever',
] as const;
/** What can go wrong with what it announces meanwhile. */
export const newsFaults = ['none', 'duplicate', 'delay', 'withhold', 'lose', 'reorder'] as const;

export interface FaultTrial {
  flow: keyof typeof flows;
  call: string;
  fault: (typeof callFaults)[number];
  news: (typeof newsFaults)[number];
}

type Buying = Awaited<ReturnType<typeof buyingByCard>>;
interface Stage {
  readonly service: Service;
  /** Keeps a good card. */
  readonly buyer: Buying;
  /** Keeps a card that its bank refuses. */
  readonly refused: Buying;
}

/** A way that money goes: the calls it makes, what is done, and how it must stand in the end. */
interface Flow {
  readonly calls: readonly string[];
  /** `arm` lets the next call of the trial go wrong. Resolves to how it stands; undefined as long as it is on its way. */
  begin(stage: Stage, arm: () => Promise<void>, call: string): Promise<() => Promise<unknown>>;
  readonly end: unknown;
}

const triesMax = 8;
/** What somebody does who was told to try again. */
async function untilAnswered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer = await ask();
  for (let tries = 1; tries < triesMax && answer.status !== 200; tries += 1) answer = await ask();
  expect(answer.status).toBe(200);
  return answer;
}

/** How a job's payment stands, with what its card was charged and given back, in cents. */
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

/** A job whose page is open for its payer, and the page's address. */
async function openPage({ agent, member }: Buying, arm = async () => {}) {
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

const flows = {
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
    calls: ['payment_intents.confirm', 'payment_intents.cancel'],
    async begin(stage, arm) {
      const { agent } = stage.refused;
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
      // A customer is made once for an account.
      const buying = call === 'customers.create' ? await buyingByCard(stage.service) : stage.buyer;
      const { jobKey, url } = await openPage(buying, arm);
      await fillIn(url);
      return moneyOf(stage, buying.agent, jobKey);
    },
    end: collected,
  },
  'a page that nobody hears of is paid on': {
    calls: ['events.list'],
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
    calls: ['checkout.sessions.expire'],
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
    calls: ['refunds.list', 'refunds.create'],
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
      const stripe = stripeOf(stage.service);
      const charge = (await stripe.books()).charges.at(-1);
      await arm();
      const opened = await stripe.openDispute({ payment_intent: String(charge?.payment_intent) });
      await stage.service.sweep();
      await stripe.closeDispute(opened.id, 'won');
      const money = moneyOf(stage, agent, jobKey);
      return async () => {
        const { rows } = await stage.service.database.pool.query(
          'select outcome, withdrawn_microcents::int as taken from card_disputes where dispute_id = $1',
          [opened.id],
        );
        const { holds } = (await agent.get('/api/agent/v1/me')).body;
        return { ...(await money()), disputes: rows, holds };
      };
    },
    end: { ...collected, disputes: [{ outcome: 'won', taken: 0 }], holds: [] },
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

/** Each call of each flow. */
export const faultPoints: { flow: FaultTrial['flow']; call: string }[] = Object.entries(flows).flatMap(
  ([flow, { calls }]) => calls.map((call) => ({ flow: flow as FaultTrial['flow'], call })),
);

const manyMicrocents = 100_000_000_000_000;

async function keeping(service: Service, card: string): Promise<Buying> {
  const buying = await buyingByCard(service);
  const { member } = buying;
  const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
  await member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: manyMicrocents });
  await fillIn((await openPage(buying)).url, card, { save: true });
  await stripeOf(service).untilDelivered();
  await service.sweep();
  return buying;
}

/** Two accounts that keep a card, for all trials of a service. */
export async function faultStage(service: Service): Promise<Stage> {
  return { service, buyer: await keeping(service, cards.good), refused: await keeping(service, cards.declinedLater) };
}

const stepSeconds = 10;
const convergedSeconds = 60;

/**
 * One flow with one call that goes wrong, and with what is announced meanwhile. Within a minute of our clock it stands as
 * it must, and goes on to do so when all that was kept back has come.
 */
export async function tryFault(stage: Stage, { flow, call, fault, news }: FaultTrial): Promise<void> {
  const { service } = stage;
  const stripe = stripeOf(service);
  const { begin, end }: Flow = flows[flow];
  // Time goes back between the trials.
  await service.database.pool.query(
    `update card_searches set searched_at = now() - interval '1 hour' where list = 'events'`,
  );
  const arm = async () => {
    if (news !== 'none') await stripe.webhookFault({ mode: news, times: 'always', ms: 300 });
    // Its client asks once more, under the same key, when a connection is closed.
    await stripe.fault({ mode: fault, on: call, times: fault.startsWith('drop') ? 2 : 1, ms: 300 });
  };
  const releasing = setInterval(() => stripe.release().catch(() => {}), 200);
  let seconds = 0;
  try {
    const standing = await begin(stage, arm, call);
    for (; seconds <= convergedSeconds && !same(await standing(), end); seconds += stepSeconds) {
      await sleep(20);
      service.advanceClock(stepSeconds);
      await service.sweep();
    }
    const what = `${flow}: ${call} ${fault}, news ${news}`;
    expect(await standing(), `${what}, after ${seconds} s`).toEqual(end);
    expect(await struck(stage), `${what} came to nothing`).toBe(true);
    await stripe.clearFaults();
    await stripe.send();
    await stripe.untilDelivered();
    await service.sweep();
    expect(await standing(), `${what}, once all was heard`).toEqual(end);
  } finally {
    clearInterval(releasing);
    service.advanceClock(-seconds);
    await stripe.clearFaults();
  }
}

/** Whether the fault has come to its call; one that is asked now and then is waited for. */
async function struck({ service }: Stage): Promise<boolean> {
  const left = async () => (await stripeOf(service).state()).faults.length;
  let seconds = 0;
  for (; seconds <= convergedSeconds && (await left()) > 0; seconds += stepSeconds) {
    service.advanceClock(stepSeconds);
    await service.sweep();
  }
  service.advanceClock(-seconds);
  return (await left()) === 0;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
