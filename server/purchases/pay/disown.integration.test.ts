import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  click,
  fillIn,
  heard,
  listen,
  nextGood,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import type { Member } from '../../../e2e/support/member.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';

const service = await startService(async (sandbox) => ({ ...(await withCard(sandbox)), REMEDIES_MAX: '5' }));
const { pool } = service.database;
const stripe = stripeOf(service);
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

type Buying = Awaited<ReturnType<typeof buyingByCard>>;

const disown = (member: Member | Agent) => member.post('/api/agent/v1/members/payments/disown');
const contested = async (member: Member) => (await member.get('/api/agent/v1/members/payments/contested')).body;
const holdsOf = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.holds;
const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);

/** The bank of the card that paid contests the payment. */
async function contest(paymentKey: string): Promise<string> {
  const { rows } = await pool.query('select intent_id from card_charges where payment_key = $1', [paymentKey]);
  const { id } = await stripe.openDispute({ payment_intent: rows[0].intent_id });
  await heard(service);
  return id;
}

/** Somebody who has the link pays on its page. */
async function paidByLink({ agent }: Buying, card = nextGood()) {
  return { ...(await paidOnPage(service, agent, { card })), card };
}

/** The same for a payment that its bank contests then. */
async function contestedByLink(buying: Buying, card = nextGood()) {
  const paid = await paidByLink(buying, card);
  return { ...paid, dispute: await contest(paid.paymentKey) };
}

/** A signed-in member pays on the page of a link. */
const paidByMember = ({ agent, member }: Buying, card = nextGood()) => paidOnPage(service, agent, { card, member });

describe('a payment by link that its bank contests', () => {
  it('keeps the account from buying until a member says that nobody of it paid', async () => {
    const buying = await buyingByCard(service);
    const { agent, member, customer } = buying;
    const { paymentKey, jobKey } = await contestedByLink(buying);
    expect(await holdsOf(agent)).toEqual(['card_dispute']);
    expect(await contested(member)).toMatchObject({
      payments: [{ payment_key: paymentKey, job_key: jobKey, cause: 'card_dispute', can_disown: true }],
      links_closed_at: null,
    });

    const said = await disown(member);
    expect(said.status).toBe(200);
    expect(said.body).toMatchObject({ payments: [] });
    expect(said.body.links_closed_at).not.toBeNull();
    expect(await holdsOf(agent)).toEqual([]);
    await agent.authorizedJob();
    await queueDueLetters(service.runtime);
    const [letter] = (await customer.letters()).filter(({ subject }) => subject === 'A payment was not yours');
    expect(letter?.text).toContain(customer.email);
    expect(letter?.text).toContain('only while signed in');
    expect((await disown(member)).body).toEqual(said.body);
  });

  it('stays without effect on the account once it is lost, whenever that is', async () => {
    const buying = await buyingByCard(service);
    const { dispute, jobKey } = await contestedByLink(buying);
    await disown(buying.member);
    await stripe.closeDispute(dispute, 'lost');
    await heard(service);
    expect((await buying.agent.job(jobKey)).body.payment_state).toBe('reversed');
    expect(await holdsOf(buying.agent)).toEqual([]);
  });

  it('can be disowned after it was lost, too', async () => {
    const buying = await buyingByCard(service);
    const { dispute } = await contestedByLink(buying);
    await stripe.closeDispute(dispute, 'lost');
    await heard(service);
    expect(await holdsOf(buying.agent)).toEqual(['payment_reversed']);
    expect((await disown(buying.member)).status).toBe(200);
    expect(await holdsOf(buying.agent)).toEqual([]);
  });

  it('closes card pages to everybody but members, on links made before and after', async () => {
    const buying = await buyingByCard(service);
    const { agent, member } = buying;
    const before = (await payByCard(agent, await agent.authorizedJob())).body.payment_key;
    await contestedByLink(buying);
    await disown(member);
    const after = (await payByCard(agent, await agent.authorizedJob())).body.payment_key;
    for (const key of [before, after]) {
      expect((await click(stranger, key)).body.code).toBe('action_not_allowed');
      const { rails, card_for_members_only } = (await stranger.get(`/api/agent/v1/payments/${key}`)).body;
      expect(rails.map(({ rail }: { rail: string }) => rail)).not.toContain('card');
      expect(card_for_members_only).toBe(true);
    }
    const { body: page } = await click(member, after);
    await fillIn(page.url, nextGood());
    await heard(service);
    expect((await pool.query('select state from payments where payment_key = $1', [after])).rows[0].state).toBe(
      'collected',
    );
  });

  it('leaves its card blocked, in whatever account', async () => {
    const buying = await buyingByCard(service);
    const other = await buyingByCard(service);
    const { card } = await contestedByLink(buying);
    await disown(buying.member);
    await paidByMember(other, card);
    expect(await holdsOf(other.agent)).toEqual(['blocked_card']);
  });
});

describe('a block that a member deserved', () => {
  const refused = async ({ agent, member }: Buying, cause: string) => {
    expect((await disown(member)).body).toMatchObject({ status: 409, code: 'action_not_allowed' });
    expect(await holdsOf(agent)).toEqual([cause]);
    expect((await contested(member)).links_closed_at).toBeNull();
  };

  it('stays where a signed-in member opened the page', async () => {
    const buying = await buyingByCard(service);
    const { paymentKey } = await paidByMember(buying);
    await contest(paymentKey);
    await refused(buying, 'card_dispute');
  });

  it('stays where the account keeps the card, or a member had paid with it, though nobody was signed in', async () => {
    const buying = await buyingByCard(service);
    const card = nextGood();
    await paidByMember(buying, card);
    await contestedByLink(buying, card);
    await refused(buying, 'card_dispute');
  });

  it('stays where more was contested than the account may disown: two payments before its first accepted purchase', async () => {
    const buying = await buyingByCard(service);
    const paid = [await paidByLink(buying), await paidByLink(buying), await paidByLink(buying)];
    for (const { paymentKey } of paid) await contest(paymentKey);
    await refused(buying, 'card_dispute');
  });

  it('stays when it comes after what the account may disown', async () => {
    const buying = await buyingByCard(service);
    const paid = [await paidByLink(buying), await paidByLink(buying), await paidByLink(buying)];
    for (const { paymentKey } of paid.slice(0, 2)) await contest(paymentKey);
    expect((await disown(buying.member)).status).toBe(200);
    await contest(paid[2]?.paymentKey ?? '');
    expect((await disown(buying.member)).status).toBe(409);
    expect(await holdsOf(buying.agent)).toEqual(['card_dispute']);
  });

  it('stays beside one that is disowned', async () => {
    const buying = await buyingByCard(service);
    const own = await paidByMember(buying);
    const others = await paidByLink(buying);
    for (const { paymentKey } of [own, others]) await contest(paymentKey);
    const { body } = await disown(buying.member);
    expect(body.payments).toMatchObject([{ payment_key: own.paymentKey, can_disown: false }]);
    expect(await holdsOf(buying.agent)).toEqual(['card_dispute']);
  });

  it('is lifted by no agent', async () => {
    const buying = await buyingByCard(service);
    await contestedByLink(buying);
    expect((await disown(buying.agent)).status).toBe(401);
    expect(await holdsOf(buying.agent)).toEqual(['card_dispute']);
  });
});

describe('a blocked card', () => {
  it('that a stranger uses on a link blocks its account until a member disowns the payment, which has gone back', async () => {
    const [first, second] = [await buyingByCard(service), await buyingByCard(service)];
    const { card } = await contestedByLink(first);
    await disown(first.member);
    const { jobKey } = await paidByLink(second, card);
    expect(await holdsOf(second.agent)).toEqual(['blocked_card']);
    expect((await disown(second.member)).status).toBe(200);
    expect(await holdsOf(second.agent)).toEqual([]);
    expect((await second.agent.job(jobKey)).body.payment_state).toBe('refunded');
  });
});
