import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { buyingByCard, cards, click, fillIn, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { hearRails } from '../../purchases/rounds/watch.ts';

const service = await startService(withCard, { checked: false });
const stripe = stripeOf(service);
beforeAll(() => stripe.webhookFault({ mode: 'withhold', times: 'always' }));

/** Every order of so many things. */
function orders<T>(things: readonly T[]): T[][] {
  if (things.length < 2) return [[...things]];
  return things.flatMap((first, at) => orders(things.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

const secret = service.sandbox.stripe.webhookSecret;
const lanes = 8;

/** Waits until every event of a payment has been looked into. One that came too early waits, which is not waited for here. */
async function handled(paymentKey: string): Promise<void> {
  for (;;) {
    const { rowCount } = await service.database.pool.query(
      `update card_events set next_try_at = now() - interval '1 minute'
      where handled_at is null and event_id like $1 returning event_id`,
      [`evt_${paymentKey}%`],
    );
    if (rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The payment intent of a session, asked of the provider. */
async function _intentOf(sessionId: string): Promise<string> {
  const { url, secretKey } = service.sandbox.stripe;
  const answer = await fetch(`${url}/v1/checkout/sessions/${sessionId}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  return ((await answer.json()) as { payment_intent: string }).payment_intent;
}

/** Sends an event as the provider does. */
async function announce(event: { id: string }) {
  const payload = JSON.stringify(event);
  const t = Math.floor(Date.now() / 1_000);
  const v1 = createHmac('sha256', secret).update(`${t}.${payload}`).digest('hex');
  const answer = await fetch(`${service.baseUrl}/api/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': `t=${t},v1=${v1}` },
    body: payload,
  });
  expect(answer.status).toBe(200);
}

describe('the order in which a provider announces', () => {
  it('does not matter: all 720 of six events, each twice, end the same', async () => {
    const all = orders([0, 1, 2, 3, 4, 5]);
    expect(all.length).toBe(720);
    const ends = new Map<string, number>();
    const queue = all.values();
    // Several purchases at once, each of another account: their events come in between each other's.
    const buyers: Awaited<ReturnType<typeof buyingByCard>>[] = [];
    for (let lane = 0; lane < lanes; lane += 1) buyers.push(await buyingByCard(service));
    let isOver = false;
    // The worker hears all the while.
    const hearing = (async () => {
      while (!isOver) await hearRails(service.runtime);
    })();
    await Promise.all(
      buyers.map(async ({ agent, member }) => {
        const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
        await member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: 100_000_000_000_000 });
        for (const order of queue) {
          const end = await endOf(agent, order);
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }
      }),
    );
    isOver = true;
    await hearing;
    expect([...ends]).toEqual([['queued collected ', 720]]);
    expect(await service.broken()).toEqual([]);
  }, 600_000);

  /** How a purchase ends whose dispute was opened and won, and whose events come in this order, each twice. */
  async function endOf(agent: Awaited<ReturnType<typeof buyingByCard>>['agent'], order: number[]): Promise<string> {
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const { url } = (await click(agent, body.payment_key)).body;
    await fillIn(url, cards.good);
    const intent = (await stripe.books()).payment_intents.find(
      ({ metadata }) => metadata.payment_key === body.payment_key,
    );
    const session = (await stripe.books()).sessions.find(({ client_reference_id: id }) => id === body.payment_key);
    const dispute = await stripe.openDispute({ payment_intent: intent?.id ?? '' });
    await stripe.closeDispute(dispute.id, 'won');
    const about = [
      ['checkout.session.completed', session],
      ['payment_intent.succeeded', intent],
      ['charge.dispute.created', dispute],
      ['charge.dispute.funds_withdrawn', dispute],
      ['charge.dispute.closed', dispute],
      ['charge.dispute.funds_reinstated', dispute],
    ] as const;
    const events = about.map(([type, object], index) => ({
      id: `evt_${body.payment_key}_${index}`,
      object: 'event',
      type,
      livemode: false,
      created: Math.floor(Date.now() / 1_000),
      data: { object: { id: object?.id } },
    }));
    for (const index of order) {
      const event = events[index];
      if (!event) continue;
      await announce(event);
      await announce(event);
    }
    await handled(body.payment_key);
    const job = (await agent.job(jobKey)).body;
    const { holds } = (await agent.get('/api/agent/v1/me')).body;
    return `${job.state} ${job.payment_state} ${holds.join(' ')}`;
  }
});
