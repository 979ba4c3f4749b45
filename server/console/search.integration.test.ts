import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, cards, click, fillIn, heard, listen, paidOnPage, payByCard } from '../../e2e/support/card.ts';
import { connectedAgent } from '../../e2e/support/customer.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const search = async (q: string) => (await perform('console_search', ctx(), { q })).body.results;
const pagesOf = async (q: string) => [...new Set((await search(q)).map(({ page }) => page))];
const purchaseOf = async (key: string) => (await perform('console_purchase', ctx(), { key })).body;

beforeAll(() => listen(service));

/** A job whose payer was refused on the page, and the address of that page. */
async function refused(card: string) {
  const { agent } = await buyingByCard(service);
  const jobKey = await agent.authorizedJob();
  const { body } = await payByCard(agent, jobKey);
  const { url } = (await click(agent, body.payment_key)).body;
  expect((await fillIn(url, card)).status).toBe(402);
  await heard(service);
  return { jobKey, url };
}

describe('a charge that the bank refused on the page', () => {
  it('is found by its pi_, and its purchase says why, until it is paid', async () => {
    const { jobKey, url } = await refused(cards.insufficient);
    const { decline, payment_state } = await purchaseOf(jobKey);
    expect(payment_state).toBe('requires_payer');
    expect(decline).toMatchObject({ code: 'insufficient_funds', intent_id: expect.stringMatching(/^pi_/) });
    expect(await pagesOf(decline?.intent_id ?? '')).toEqual([`/console/purchases/${jobKey}`]);
    const { timeline } = await purchaseOf(jobKey);
    expect(timeline.map(({ title }) => title)).toContain('Webhook: payment intent.payment failed');
    // It waits for its payer: there is nothing to look into.
    expect(timeline.filter(({ needs_look }) => needs_look)).toEqual([]);
    await fillIn(url);
    await heard(service);
    expect((await purchaseOf(jobKey)).payment_state).toBe('collected');
  });

  it('shows the newest reason, however many there were', async () => {
    const { jobKey, url } = await refused(cards.insufficient);
    await fillIn(url, cards.declined);
    await heard(service);
    expect((await purchaseOf(jobKey)).decline?.code).toMatch(/decline/);
  });
});

describe('a search', () => {
  it('finds what pasted addresses of our pages and of an explorer show', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const { payment_key, quote_key } = await purchaseOf(jobKey);
    const { rows } = await pool.query('select transaction from chain_transfers where payment_key = $1', [payment_key]);
    for (const address of [
      `${service.baseUrl}/reports/${jobKey}`,
      `/receipts/${jobKey}?print=1`,
      `https://anywhere.example/pay/${payment_key}#top`,
      `/console/purchases/${jobKey}/act/note_purchase`.replace('/act/note_purchase', ''),
      `https://sepolia.basescan.org/tx/${rows[0].transaction}`,
    ]) {
      expect([address, await pagesOf(address)]).toEqual([address, [`/console/purchases/${jobKey}`]]);
    }
    expect(await pagesOf(`/console/purchases/${quote_key}`)).toEqual([`/console/purchases/${quote_key}`]);
  });

  it('finds e-mail addresses and wallets by their beginning', async () => {
    const { agent, customer } = await connectedAgent(service);
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    for (const q of [customer.email, customer.email.slice(0, -4), customer.email.split('@')[0] ?? '']) {
      expect([q, await pagesOf(q)]).toEqual([q, expect.arrayContaining([`/console/customers/${account_key}`])]);
    }
    const buyer = await Agent.arrive(service);
    const wallet = buyer.wallet.address.toLowerCase();
    const { account_key: own } = (await buyer.get('/api/agent/v1/me')).body;
    expect(await pagesOf(wallet.slice(0, 12))).toEqual([`/console/customers/${own}`]);
  });

  it('finds a kept card by its last four digits, with its owner', async () => {
    const { agent, member, customer } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    await pool.query('update saved_cards set last4 = $1 where account_key = $2', ['8264', account_key]);
    const found = (await search('8264')).filter(({ kind }) => kind === 'card');
    expect(found).toMatchObject([{ page: `/console/customers/${account_key}` }]);
    expect(found[0]?.title).toMatch(new RegExp(`ending in 8264, of ${customer.email}$`));
  });

  it('tells agents of one name apart by who owns them', async () => {
    const [one, other] = [await connectedAgent(service), await connectedAgent(service)];
    await pool.query(`update principals set name = 'Zymurgy Clerk' where account_key = any($1)`, [
      await Promise.all([one, other].map(async ({ agent }) => (await agent.get('/api/agent/v1/me')).body.account_key)),
    ]);
    const titles = (await search('Zymurgy Clerk')).map(({ title }) => title);
    expect(titles.toSorted()).toEqual(
      [one, other].map(({ customer }) => `Zymurgy Clerk, of ${customer.email}`).toSorted(),
    );
  });
});
