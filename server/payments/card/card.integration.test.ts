import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buyingByCard, cards, click, fillIn, heard, listen, paidOnPage, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

const receiptOf = async (agent: Awaited<ReturnType<typeof buyingByCard>>['agent'], jobKey: string) =>
  (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;

describe('paying by card on the page', () => {
  it('answers with a link that needs no sign-in, and collects what is paid there', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const asked = await payByCard(agent, jobKey);
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({
      payment_state: 'requires_payer',
      continuation_url: `${service.baseUrl}/pay/${asked.body.payment_key}`,
    });
    const stranger = new (Object.getPrototypeOf(agent).constructor)(service.baseUrl, `0x${'2'.repeat(64)}`);
    const page = await stranger.get(`/api/agent/v1/payments/${asked.body.payment_key}`);
    expect(page.body).toMatchObject({ state: 'open', price: { amount_microcents: 500_000_000 }, offers_saving: false });
    expect((await stripe.calls()).length).toBe(0);
    const opened = await click(stranger, asked.body.payment_key);
    expect(opened.status).toBe(200);
    expect((await click(stranger, asked.body.payment_key)).body).toEqual(opened.body);
    const paid = await fillIn(opened.body.url);
    expect(paid.location).toBe(asked.body.continuation_url);
    await heard(service);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    expect((await stranger.get(`/api/agent/v1/payments/${asked.body.payment_key}`)).body.state).toBe('paid');
    expect((await receiptOf(agent, jobKey)).collection).toMatchObject({
      rail: 'card',
      method: 'card_checkout',
      state: 'collected',
      reference: expect.stringMatching(/^ch_/),
    });
  });
});
