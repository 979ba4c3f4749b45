import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { SANDBOX_WEBHOOK_SECRET } from '../../sandbox/stripe/keys.ts';
import type { Agent, Answer } from '../support/agent.ts';
import { chargesOf, click, fillIn, payByCard } from '../support/card.ts';
import { type Act, type AppPoint, boughtOnce, count, keyed } from './app-points.ts';
import { connected, signedIn } from './identity-points.ts';
import { inState, type Stage } from './stage.ts';
import { type JobErrand, paymentPoints, refundPoints, type WorkerPoint } from './worker-points.ts';

const paymentsOf = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}/payments`;
const stripeOf = ({ stack }: Stage) => controlClient(stack.sandboxUrl).stripe;

/** The job's only card payment. */
async function paymentKeyOf(stage: Stage, jobKey: string): Promise<string> {
  const { rows } = await stage.database.query<{ payment_key: string }>(
    "select payment_key from payments where job_key = $1 and rail = 'card'",
    [jobKey],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.payment_key ?? '';
}

/** The card was charged once for the job, and this much was refunded. */
async function chargedOnce(stage: Stage, jobKey: string, back = 0): Promise<void> {
  expect(await chargesOf(stage.stack.sandboxUrl, await paymentKeyOf(stage, jobKey))).toEqual([{ amount: 500, back }]);
}

/** An agent whose customer saved a card while paying for a first job. */
async function cardHolder(stage: Stage): Promise<Agent> {
  const { agent, email } = await connected(stage);
  const member = await signedIn(stage, email);
  const { payment_key: paymentKey } = (await payByCard(agent, await agent.authorizedJob())).body;
  const page = await member.post(`/api/agent/v1/payments/${paymentKey}/checkout`);
  await fillIn(((await page.json()) as { url: string }).url, undefined, { save: true });
  const { account_key } = (await agent.get('/api/agent/v1/me')).body;
  await stage.eventually(async () => (await count(stage, 'saved_cards where account_key = $1', account_key)) === 1);
  return agent;
}

/** A cardholder for many trials, each with its own job. Limits allow ten jobs a day. */
function holders(): (stage: Stage) => Promise<Agent> {
  let current: Promise<Agent> | null = null;
  let uses = 0;
  return (stage) => {
    if (!current || uses === 8) [current, uses] = [cardHolder(stage), 0];
    uses += 1;
    return current;
  };
}
const aHolder = holders();

/** Charges the account's saved card. */
const charging: Act = {
  arrive: aHolder,
  request: async (agent) => keyed(paymentsOf(await agent.authorizedJob()), { rail: 'card', method: 'card_saved' }),
  async ended(agent, stage, answer) {
    await boughtOnce(agent, stage, answer);
    await chargedOnce(stage, answer.body.job_key);
  },
};

/** Asks for a payment link and pays there. */
const linking: Act = {
  arrive: aHolder,
  request: async (agent) => keyed(paymentsOf(await agent.authorizedJob()), { rail: 'card', method: 'card_checkout' }),
  async ended(agent, stage, { body }, { path }) {
    const [, jobKey = ''] = /jobs\/(\w+)\/payments/.exec(path) ?? [];
    expect(await paymentKeyOf(stage, jobKey)).toBe(body.payment_key);
    await payOnPage(stage, agent, jobKey, (await click(agent, body.payment_key)).body.url);
  },
};

/** The payer opens the page of a link and pays. */
const clicking: Act = {
  arrive: aHolder,
  async request(agent) {
    const { body } = await payByCard(agent, await agent.authorizedJob());
    return { path: `/api/agent/v1/payments/${body.payment_key}/checkout`, body: {}, headers: {} };
  },
  async ended(agent, stage, { body }, { path }) {
    const [, paymentKey = ''] = /payments\/(\w+)\/checkout/.exec(path) ?? [];
    const { rows } = await stage.database.query('select job_key from payments where payment_key = $1', [paymentKey]);
    const sessions = (await stripeOf(stage).books()).sessions.filter((one) => one.client_reference_id === paymentKey);
    expect(sessions).toHaveLength(1);
    await payOnPage(stage, agent, rows[0].job_key, body.url);
  },
};

async function payOnPage(stage: Stage, agent: Agent, jobKey: string, url: string): Promise<void> {
  expect((await fillIn(url)).status).toBeLessThan(400);
  await boughtOnce(agent, stage, { body: { job_key: jobKey } } as Answer);
  await chargedOnce(stage, jobKey);
}

/** The provider sends an event with a valid signature. */
const hearing: Act = {
  async request() {
    const created = Math.floor(Date.now() / 1_000);
    const body = {
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'payment_intent.succeeded',
      livemode: false,
      created,
      data: { object: { id: 'pi_of_nobody' } },
    };
    const v1 = createHmac('sha256', SANDBOX_WEBHOOK_SECRET)
      .update(`${created}.${JSON.stringify(body)}`)
      .digest('hex');
    return { path: '/api/webhooks/stripe', body, headers: { 'stripe-signature': `t=${created},v1=${v1}` } };
  },
  async ended(_agent, stage, answer, { body }) {
    expect(answer.status).toBe(200);
    expect(await count(stage, 'card_events where event_id = $1', String(body.id))).toBe(1);
  },
};

export const cardPoints: AppPoint[] = [
  { point: 'the link is committed, unsent', act: linking, stopAt: { after: /insert into card_payments/ } },
  { point: 'the page is made, and not noted', act: clicking, stopAt: { before: /set session_id = coalesce/ } },
  { point: 'the charge is made, and not noted', act: charging, stopAt: { before: /set intent_id = coalesce/ } },
  { point: 'the card is charged', act: charging, stopAt: { before: /insert into card_charges/ } },
  { point: 'an event is stored, unsent', act: hearing, stopAt: { after: /insert into card_events/ } },
];

/** Points for the long trials only. */
export const furtherCardPoints: AppPoint[] = [
  { point: 'the link is asked for', act: linking, stopAt: { before: /insert into card_payments/ } },
  { point: 'the page is asked for', act: clicking, stopAt: { after: /set session_asked_at/ } },
  { point: 'the page is noted, unsent', act: clicking, stopAt: { after: /set session_id = coalesce/ } },
  { point: 'the charge is intended', act: charging, stopAt: { after: /insert into card_payments/ } },
  { point: 'the charge is noted, and not confirmed', act: charging, stopAt: { after: /set intent_id = coalesce/ } },
  { point: 'the charge is written', act: charging, stopAt: { beforeCommitOf: /insert into ledger_transfers/ } },
  { point: 'the charge is committed, unsent', act: charging, stopAt: { after: /insert into ledger_transfers/ } },
  { point: 'an event is not stored', act: hearing, stopAt: { before: /insert into card_events/ } },
];

/** Points on the way to the end of a charge that no request waits for. */
export const chargePoints: WorkerPoint[] = [
  ...paymentPoints,
  { point: 'a charge was found', stopAt: { before: /insert into card_charges/ } },
];

/** Points between an event and its effect. */
export const eventPoints: WorkerPoint[] = [
  { point: 'an event is taken up', stopAt: { after: /update card_events set next_try_at/ }, inFull: true },
  { point: 'the charge of an event was found', stopAt: { before: /insert into card_charges/ }, inFull: true },
  { point: 'an event was looked into', stopAt: { before: /update card_events set handled_at/ } },
  { point: 'an event is marked', stopAt: { after: /update card_events set handled_at/ }, inFull: true },
];

/** Points on the way to the end of a card refund. */
export const cardRefundPoints: WorkerPoint[] = [
  ...refundPoints,
  { point: 'a refund is at the provider', stopAt: { before: /update refunds set provider_refund_id/ } },
];

/** Points between a dispute and its effect. */
export const disputePoints: WorkerPoint[] = [
  { point: 'a dispute is written', stopAt: { beforeCommitOf: /insert into card_disputes/ } },
  { point: 'a dispute is committed', stopAt: { after: /insert into card_disputes/ } },
  { point: 'its job is told', stopAt: { beforeCommitOf: /update card_disputes d set told_at/ } },
  { point: 'its job was told', stopAt: { after: /update card_disputes d set told_at/ } },
];

/** Errands for jobs that one cardholder authorized and has to pay. */
async function cardErrands(
  stage: Stage,
  number: number,
  errand: (agent: Agent, jobKey: string) => Promise<Omit<JobErrand, 'agent' | 'jobKey'>>,
): Promise<JobErrand[]> {
  const agent = await cardHolder(stage);
  const errands: JobErrand[] = [];
  for (let index = 0; index < number; index += 1) {
    const jobKey = await agent.authorizedJob();
    errands.push({ agent, jobKey, ...(await errand(agent, jobKey)) });
  }
  return errands;
}

/** Saved cards to charge: the provider broke off before charging them. */
export const unknownCharges = (stage: Stage, number: number): Promise<JobErrand[]> =>
  cardErrands(stage, number, async (agent, jobKey) => ({
    async begin() {
      await stripeOf(stage).fault({ mode: 'error_500', on: 'payment_intents.confirm', times: 1 });
      expect((await payByCard(agent, jobKey, 'card_saved')).body.code).toBe('payment_unknown');
    },
    async ended() {
      await inState(stage, agent, jobKey, { payment_state: 'collected' });
      await chargedOnce(stage, jobKey);
    },
  }));

/** Payment pages on which somebody pays. */
export const paidPages = (stage: Stage, number: number): Promise<JobErrand[]> =>
  cardErrands(stage, number, async (agent, jobKey) => {
    const { url } = (await click(agent, (await payByCard(agent, jobKey)).body.payment_key)).body;
    return {
      begin: () => fillIn(url),
      async ended() {
        await inState(stage, agent, jobKey, { payment_state: 'collected' });
        await chargedOnce(stage, jobKey);
      },
    };
  });

/** Charges to refund: their jobs are canceled while no worker runs. */
export const cardRefunds = (stage: Stage, number: number): Promise<JobErrand[]> =>
  cardErrands(stage, number, async (agent, jobKey) => ({
    async begin() {
      expect((await payByCard(agent, jobKey, 'card_saved')).status).toBe(200);
      const canceled = await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
      expect(canceled.status, canceled.text).toBe(200);
    },
    async ended() {
      await inState(stage, agent, jobKey, { state: 'canceled', payment_state: 'refunded' });
      await chargedOnce(stage, jobKey, 500);
    },
  }));

/** Payments to be disputed. */
export const contested = (stage: Stage, number: number): Promise<JobErrand[]> =>
  cardErrands(stage, number, async (agent, jobKey) => {
    await payByCard(agent, jobKey, 'card_saved');
    const paymentKey = await paymentKeyOf(stage, jobKey);
    return {
      async begin() {
        const { charges } = await stripeOf(stage).books();
        const charge = charges.find(({ metadata }) => metadata.payment_key === paymentKey);
        await stripeOf(stage).openDispute({ payment_intent: String(charge?.payment_intent) });
      },
      async ended() {
        await inState(stage, agent, jobKey, { payment_state: 'disputed' });
        expect(await count(stage, 'purchase_blocks where payment_key = $1 and lifted_at is null', paymentKey)).toBe(1);
      },
    };
  });
