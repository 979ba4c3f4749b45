import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, cards, click, fillIn, heard, listen, paidOnPage, payByCard } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
beforeAll(() => listen(service));
const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);

/** A job, its payment, and the provider's page. */
async function onPage(agent: Agent) {
  const jobKey = await agent.authorizedJob();
  const paymentKey = (await payByCard(agent, jobKey)).body.payment_key;
  return { jobKey, paymentKey, page: (await click(stranger, paymentKey)).body.url as string };
}

async function tryCards(page: string, count: number): Promise<void> {
  for (let tried = 0; tried < count; tried += 1) await fillIn(page, cards.declined);
  await heard(service);
}

describe('a page on which many cards are tried', () => {
  it('ends at the fifth that a bank refuses, says why, and the job can be paid anew', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey, page } = await onPage(agent);
    await tryCards(page, 5);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
    const { rows } = await service.database.pool.query('select state, failure from payments where payment_key = $1', [
      paymentKey,
    ]);
    expect(rows).toEqual([{ state: 'failed', failure: 'Too many tries to pay were refused.' }]);
    // A good card does not get through any more.
    await fillIn(page);
    await heard(service);
    expect((await agent.job(jobKey)).body.payment_state).toBe('none');
    expect((await click(stranger, paymentKey)).status).not.toBe(200);
    const again = (await payByCard(agent, jobKey)).body.payment_key;
    expect(again).not.toBe(paymentKey);
    await fillIn((await click(stranger, again)).body.url);
    await heard(service);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
  });

  it('stays open for a person who finds a good card after four', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, page } = await onPage(agent);
    await tryCards(page, 4);
    expect((await agent.job(jobKey)).body.payment_state).toBe('requires_payer');
    await fillIn(page);
    await heard(service);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
    expect((await paidOnPage(service, agent)).jobKey).not.toBe(jobKey);
  });
});
