import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  cards,
  click,
  fillIn,
  heard,
  listen,
  nextGood,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { liftBlocks } from '../../identity/blocked.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
beforeAll(() => listen(service));
const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);
const monthSeconds = 31 * 86_400;
const atOnce = 4;

type Buying = Awaited<ReturnType<typeof buyingByCard>>;

/** Where the page leads whoever opened it and pays with a card that asks its holder only if the seller wants that. */
async function ledTo({ agent }: Buying, opener: Pick<Agent, 'post'>): Promise<string> {
  const { payment_key: paymentKey } = (await payByCard(agent, await agent.authorizedJob())).body;
  const { location } = await fillIn((await click(opener, paymentKey)).body.url, cards.asksIfAsked);
  await heard(service);
  return location.includes('/authenticate/') ? 'bank' : 'done';
}

/** A member anew: a month later no sign-in is left. */
const signedIn = ({ agent, customer }: Buying) => Member.of(service, agent, customer.email);

const jobOf = async (paymentKey: string): Promise<string> =>
  (await service.database.pool.query('select job_key from payments where payment_key = $1', [paymentKey])).rows[0]
    .job_key;

async function accepted({ agent, member }: Buying, card = nextGood()): Promise<string> {
  const { jobKey } = await paidOnPage(service, agent, { member, card });
  await service.execute(jobKey);
  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
  return jobKey;
}

const rich = { daily_limit_microcents: 100_000_000_000, total_limit_microcents: 100_000_000_000 };

/** An agent whose account keeps a card, and has the means to pay with it often. */
async function keeping() {
  const buying = await buyingByCard(service);
  const { agent, member } = buying;
  const [{ agent_key: agentKey }] = (await member.get('/api/agent/v1/agents')).body.agents;
  await member.post(`/api/agent/v1/agents/${agentKey}/grant`, rich);
  const card = nextGood();
  await paidOnPage(service, agent, { card, member });
  return { ...buying, card };
}

/** How each of so many payments by the kept card ends, of which a few begin at once. */
async function charge(agent: Agent, count: number): Promise<string[]> {
  const jobs: string[] = [];
  while (jobs.length < Math.min(count, atOnce)) jobs.push(await agent.authorizedJob());
  const paid = await Promise.all(jobs.map((jobKey) => payByCard(agent, jobKey, 'card_saved')));
  const states = paid.map(({ body }) => body.payment_state ?? body.code);
  return count > atOnce ? [...states, ...(await charge(agent, count - atOnce))].sort() : states.sort();
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('a kept card', () => {
  it('is charged 25 times in a row, then not until its holder has paid with it on a page, in whatever account', async () => {
    const { agent, member, card } = await keeping();
    // What no bank saw does not count.
    await stripe.fault({ mode: 'error_400', on: 'payment_intents.create', times: 3 });
    expect(await charge(agent, 3)).toEqual(times(3, 'action_not_allowed'));
    expect(await charge(agent, 23)).toEqual(times(23, 'collected'));
    // Two charges are left.
    expect(await charge(agent, 4)).toEqual([...times(2, 'collected'), ...times(2, 'requires_payer')]);
    const unpaid = (await agent.job(await agent.authorizedJob())).body;
    expect(JSON.stringify(unpaid.next_actions)).not.toContain('card_saved');
    const other = await buyingByCard(service);
    await paidOnPage(service, other.agent, { member: other.member, card });
    expect(await charge(agent, 1)).toEqual(['collected']);
    expect(await charge(other.agent, 1)).toEqual(['collected']);
    await paidOnPage(service, agent, { member });
    expect(await charge(agent, 1)).toEqual(['collected']);
  });
});

// Last: the provider's clock does not go back.
describe('a payment by card that was accepted and has stood for a month', () => {
  it("spares members their bank's question, no one else, and lets a kept card be charged ten times more in a row", async () => {
    const [one, lost] = [await buyingByCard(service), await buyingByCard(service)];
    expect(await ledTo(one, one.member)).toBe('bank');
    const stood = await accepted(one);
    expect(await ledTo(one, one.member)).toBe('bank');
    const contested = await accepted(lost);
    const kept = await keeping();
    await accepted(kept, kept.card);
    await stripe.advance(monthSeconds);
    service.advanceClock(monthSeconds);
    expect(await ledTo(one, stranger)).toBe('bank');
    const again = await signedIn(one);
    const { payment_key: open } = (await payByCard(one.agent, await one.agent.authorizedJob())).body;
    await click(again, open);
    // One page at a time: on the next, which another card may pay, its bank asks.
    expect(await ledTo(one, again)).toBe('bank');
    await one.agent.post(`/api/agent/v1/jobs/${await jobOf(open)}/payments/cancel`, {});
    expect(await ledTo(one, again)).toBe('done');

    // The provider has forgotten the account's customer: nobody's card is known any more.
    const { rows: customers } = await service.database.pool.query(
      `update card_customers set customer_id = 'cus_gone'
       where account_key = (select account_key from jobs where job_key = $1) returning 1`,
      [stood],
    );
    expect([customers.length, await ledTo(one, await signedIn(one))]).toEqual([1, 'bank']);
    // Another card is one that nobody knows yet.
    const fresh = await signedIn(one);
    const { jobKey } = await paidOnPage(service, one.agent, { member: fresh });
    expect((await one.agent.job(jobKey)).body.payment_state).toBe('collected');
    expect(await ledTo(one, fresh)).toBe('bank');

    const member = await signedIn(lost);
    expect(await ledTo(lost, member)).toBe('done');
    const { rows } = await service.database.pool.query(
      'select intent_id, payment_key from card_charges join payments using (payment_key) where job_key = $1',
      [contested],
    );
    const dispute = await stripe.openDispute({ payment_intent: rows[0].intent_id });
    await stripe.closeDispute(dispute.id, 'lost');
    await heard(service);
    const lifted = { actor: 'operator', because: 'paid by invoice', now: service.runtime.clock() };
    expect(await liftBlocks(service.runtime.db, rows[0].payment_key, lifted)).toBe(2);
    expect(await ledTo(lost, member)).toBe('bank');

    // Each payment that was accepted and has stood for a month lets a kept card be charged ten times more.
    expect(await charge(kept.agent, 36)).toEqual([...times(35, 'collected'), 'requires_payer']);
    service.advanceClock(-monthSeconds);
  });
});
