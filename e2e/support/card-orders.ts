import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { hearRails, watchRails } from '../../server/purchases/rounds/watch.ts';
import type { Agent } from './agent.ts';
import { buyingByCard, click, fillIn, payByCard, stripeOf } from './card.ts';
import type { Service } from './service.ts';

/** The provider's events of a payment whose dispute is opened and won, in order. */
const history = [
  'checkout.session.completed',
  'payment_intent.succeeded',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
] as const;

/** Every order of those events, as indexes into them. */
export const allOrders: readonly (readonly number[])[] = orders([...history.keys()]);

function orders(things: readonly number[]): number[][] {
  if (things.length < 2) return [[...things]];
  return things.flatMap((first, at) => orders(things.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

/** Simultaneous purchases, each of another account. */
const lanes = 6;
const manyMicrocents = 100_000_000_000_000;

/**
 * How purchases end whose events arrive in these orders, each twice, and how often each end came. The worker handles
 * events all the while. An empty order means that all events are lost and found by catching up.
 */
export async function endsOf(service: Service, all: readonly (readonly number[])[]): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  const queue = all.values();
  const buyers: Agent[] = [];
  for (let lane = 0; lane < Math.min(lanes, all.length); lane += 1) buyers.push(await richBuyer(service));
  let isOver = false;
  const hearing = (async () => {
    while (!isOver) {
      await hearRails(service.runtime);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    await Promise.all(
      buyers.map(async (agent) => {
        for (const order of queue) {
          const end = await endOf(service, agent, order);
          ends[end] = (ends[end] ?? 0) + 1;
        }
      }),
    );
  } finally {
    isOver = true;
    await hearing;
  }
  return ends;
}

async function richBuyer(service: Service): Promise<Agent> {
  const { agent, member } = await buyingByCard(service);
  const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
  await member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: manyMicrocents });
  return agent;
}

/** One purchase, whose provider finishes everything before sending the first event. */
async function endOf(service: Service, agent: Agent, order: readonly number[]): Promise<string> {
  const jobKey = await agent.authorizedJob();
  const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
  await fillIn((await click(agent, paymentKey)).body.url);
  const { sessionId, intentId } = await objectsOf(service, paymentKey);
  const stripe = stripeOf(service);
  const dispute = await stripe.openDispute({ payment_intent: intentId });
  await stripe.closeDispute(dispute.id, 'won');
  const objects = [sessionId, intentId, dispute.id, dispute.id, dispute.id, dispute.id];
  for (const place of order) {
    const id = `evt_${paymentKey}_${place}`;
    for (let copy = 0; copy < 2; copy += 1) await announce(service, id, history[place] ?? '', objects[place] ?? '');
  }
  if (order.length === 0) await caughtUp(service);
  await handled(service, paymentKey);
  const job = (await agent.job(jobKey)).body;
  const { holds } = (await agent.get('/api/agent/v1/me')).body;
  return `${job.state} ${job.payment_state} ${holds.join(' ')}`.trim();
}

/** The session and intent of a payment, read from the provider. */
async function objectsOf(service: Service, paymentKey: string): Promise<{ sessionId: string; intentId: string }> {
  const { rows } = await service.database.pool.query('select session_id from card_payments where payment_key = $1', [
    paymentKey,
  ]);
  const sessionId: string = rows[0].session_id;
  const { url, secretKey } = service.sandbox.stripe;
  const answer = await fetch(`${url}/v1/checkout/sessions/${sessionId}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  return { sessionId, intentId: ((await answer.json()) as { payment_intent: string }).payment_intent };
}

/** Sends an event as the provider does. */
async function announce(service: Service, id: string, type: string, objectId: string): Promise<void> {
  const t = Math.floor(Date.now() / 1_000);
  const payload = JSON.stringify({
    id,
    object: 'event',
    type,
    livemode: false,
    created: t,
    data: { object: { id: objectId } },
  });
  const v1 = createHmac('sha256', service.sandbox.stripe.webhookSecret).update(`${t}.${payload}`).digest('hex');
  const { status } = await fetch(`${service.baseUrl}/api/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': `t=${t},v1=${v1}` },
    body: payload,
  });
  expect(status).toBe(200);
}

/** Moves time to where missed events are looked up. */
async function caughtUp(service: Service): Promise<void> {
  service.advanceClock(31);
  await watchRails(service.runtime);
}

/** Waits until every event of a payment has been handled. */
async function handled(service: Service, paymentKey: string): Promise<void> {
  const unhandled = async () => {
    const { rows } = await service.database.pool.query(
      `select from card_events where handled_at is null and (event_id like $1 or event_id not like 'evt_pay_%')`,
      [`evt_${paymentKey}%`],
    );
    return rows.length;
  };
  while ((await unhandled()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
