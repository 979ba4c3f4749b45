import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, click, fillIn, listen, paidOnPage, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import {
  callFaults,
  type FaultTrial,
  faultPoints,
  faultSample,
  faultStage,
  newsFaults,
  tryFault,
} from '../../../e2e/support/card-faults.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
let stage: Awaited<ReturnType<typeof faultStage>>;
beforeAll(async () => {
  await listen(service);
  stage = await faultStage(service);
});

/** The long trial has every fault of every call. */
const sample = faultSample();

describe('a fault of the card provider leaves its books and ours as they must be, within a minute', () => {
  it('in trials that have each call of each flow, each fault, and whatever may happen to announcements', () => {
    const trials = sample.flatMap(({ trials }) => trials);
    const count = (key: (trial: FaultTrial) => string) => new Set(trials.map(key)).size;
    expect([
      count(({ flow, call }) => `${flow}, ${call}`),
      count(({ fault }) => fault),
      count(({ news }) => news),
    ]).toEqual([faultPoints.length, callFaults.length, newsFaults.length]);
  });

  it.each(sample)(
    'at $call',
    async ({ trials }) => {
      for (const trial of trials) await tryFault(stage, trial);
    },
    240_000,
  );
});

const chargesOf = async (jobKey: string) => {
  const { rows } = await service.database.pool.query<{ payment_key: string }>(
    'select payment_key from payments where job_key = $1',
    [jobKey],
  );
  const keys = rows.map(({ payment_key }) => payment_key);
  return (await stripe.books()).charges.filter(
    ({ metadata, status }) => status === 'succeeded' && keys.includes(metadata.payment_key ?? ''),
  );
};
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;

describe('a card against a wallet against canceling', () => {
  it('leads to one collection at most, over all rails, whoever is first', async () => {
    const { agent, member } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    const payer = await Agent.arrive(service);
    payer.token = agent.token;
    for (const before of ['nothing', 'a page', 'an open page'] as const) {
      const jobKey = await agent.authorizedJob();
      const signature = await payer.signPayment(jobKey);
      const asked = before === 'nothing' ? null : await payByCard(agent, jobKey);
      const url = before === 'an open page' ? (await click(agent, asked?.body.payment_key)).body.url : null;
      const requests = [
        () => payByCard(agent, jobKey, 'card_saved'),
        () => agent.pay(jobKey, { signature }),
        () => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`),
        () => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`),
        () => (url ? fillIn(url) : payByCard(agent, jobKey)),
      ];
      await Promise.all(Array.from({ length: 100 }, (_, index) => requests[index % requests.length]?.()));
      for (let round = 0; round < 4; round += 1) {
        service.advanceClock(15);
        await service.sweep();
      }
      service.advanceClock(-60);
      const { rows } = await service.database.pool.query(
        `select count(*) filter (where state = 'collected')::int as collected,
          count(*) filter (where state in ('settling', 'unknown'))::int as open from payments where job_key = $1`,
        [jobKey],
      );
      expect(rows[0].collected).toBeLessThanOrEqual(1);
      const charged = (await chargesOf(jobKey)).filter(({ refunded }) => !refunded).length;
      const byCard = (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body?.collection?.rail === 'card';
      expect(charged).toBe(byCard && (await paymentOf(agent, jobKey)) === 'collected' ? 1 : 0);
    }
  });
});
