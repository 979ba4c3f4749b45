import { beforeAll, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, heard, listen, paidOnPage } from '../../e2e/support/card.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { tellEndpoints } from '../purchases/webhooks/tell.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);

beforeAll(() => listen(service));

it('a customer is read with what it bought, its cards and the letters to it', async () => {
  const { agent, member, customer } = await buyingByCard(service);
  const { account_key } = (await agent.get('/api/agent/v1/me')).body;
  const { jobKey } = await paidOnPage(service, agent, { member });
  const unpaid = await agent.authorizedJob();
  await service.execute(jobKey);
  await customer.letters();
  const read = async () => (await perform('console_customers', ctx(), { account_key })).body;
  const { purchases, cards, letters } = await read();
  expect(purchases).toMatchObject({ total: 2, collected_microcents: 500_000_000, final_microcents: 0 });
  expect(purchases.newest.map(({ job_key }) => job_key)).toEqual([unpaid, jobKey]);
  expect(cards).toMatchObject([
    { title: expect.stringMatching(/^\w+ ending in \d{4}, until \d+\/\d{4}$/), declined: null },
  ]);
  expect(letters.length).toBeGreaterThan(0);
  expect(new Set(letters.map(({ address }) => address))).toEqual(new Set([customer.email]));
  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
  expect((await read()).purchases.final_microcents).toBe(500_000_000);
});

it('a customer is read with where it is told of events, and why that fails, without the whole address', async () => {
  const { agent, member } = await buyingByCard(service);
  const { account_key } = (await agent.get('/api/agent/v1/me')).body;
  const url = 'https://buyer.example/hooks?token=private';
  const { body: added } = await member.post('/api/agent/v1/webhook-endpoints', { url });
  await agent.quote();
  await tellEndpoints(service.runtime, async () => ({ status: 410 }));
  const read = async () => (await perform('console_customers', ctx(), { account_key })).body;
  const { endpoints } = await read();
  expect(endpoints).toMatchObject([
    { endpoint_key: added.endpoint_key, host: 'buyer.example', told_at: null, failure: 'It answered 410.' },
  ]);
  expect(endpoints[0]?.failing_since).not.toBe(null);
  expect(JSON.stringify(await read())).not.toContain('private');
  await member.send('DELETE', `/api/agent/v1/webhook-endpoints/${added.endpoint_key}`);
  expect((await read()).endpoints[0]?.removed_at).not.toBe(null);
});

it('an endpoint is told again by an operator, of all or of what came after an event, under the ids of before', async () => {
  const { agent, member } = await buyingByCard(service);
  const url = 'https://again.example/hooks';
  const { endpoint_key } = (await member.post('/api/agent/v1/webhook-endpoints', { url })).body;
  const told: string[] = [];
  const round = () =>
    tellEndpoints(service.runtime, async (to, { headers }) => {
      if (to === url) told.push(headers['webhook-id'] ?? '');
      return { status: 204 };
    });
  await agent.authorizedJob();
  await round();
  const [first = '', second = ''] = told;
  const again = { endpoint_key, reason: 'its receiver was down' };
  await perform('send_events_again', ctx(), again);
  await round();
  await perform('send_events_again', ctx(), { ...again, after: first });
  await round();
  expect(told).toEqual([first, second, first, second, second]);
  const foreign = await Agent.arrive(service);
  const { quote_key } = (await foreign.quote()).body;
  for (const wrong of [{ after: `${quote_key}.1` }, { after: 'nonsense' }, { endpoint_key: 'endpoint_unknown' }])
    await expect(perform('send_events_again', ctx(), { ...again, ...wrong })).rejects.toMatchObject({
      code: 'not_found',
    });
  await member.send('DELETE', `/api/agent/v1/webhook-endpoints/${endpoint_key}`);
  await expect(perform('send_events_again', ctx(), again)).rejects.toMatchObject({ code: 'not_found' });
});

it('a list for bookkeeping has the fee, the refund and the reference of each payment, over both rails', async () => {
  const { agent, member } = await buyingByCard(service);
  const { jobKey: byCard, paymentKey } = await paidOnPage(service, agent, { member });
  await service.execute(byCard);
  await agent.post(`/api/agent/v1/jobs/${byCard}/review`, { decision: 'accept' });
  await perform('refund_charge', ctx(), { key: byCard, reason: 'a trial' });
  await service.sweep();
  await heard(service);
  const wallet = await Agent.arrive(service);
  const [byChain, unpaid] = [await wallet.paidJob(), await wallet.authorizedJob()];
  const { purchases } = (await perform('console_purchases', ctx(), { money: true })).body;
  const moneyOf = (key: string) => purchases.find(({ job_key }) => job_key === key)?.money;
  const { rows } = await pool.query(
    `select charge_id, fee_microcents::int as fee from card_charges where payment_key = $1`,
    [paymentKey],
  );
  expect(rows[0].fee).toBeGreaterThan(0);
  expect(moneyOf(byCard)).toEqual({
    fee_microcents: rows[0].fee,
    refunded_microcents: 500_000_000,
    reference: rows[0].charge_id,
  });
  expect(moneyOf(byChain)).toEqual({
    fee_microcents: null,
    refunded_microcents: 0,
    reference: expect.stringMatching(/^eip155:84532:0x[0-9a-f]{64}$/),
  });
  expect(moneyOf(unpaid)).toEqual({ fee_microcents: null, refunded_microcents: 0, reference: null });
  const plain = (await perform('console_purchases', ctx(), {})).body.purchases;
  expect(plain.every(({ money }) => money === null)).toBe(true);
});
