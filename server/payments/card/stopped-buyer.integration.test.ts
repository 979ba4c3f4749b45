import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  chargesOf,
  click,
  fillIn,
  heard,
  listen,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

/** An agent's request to charge the kept card, whose provider does not answer. */
async function chargeUnderWay(on: string) {
  const { agent, member } = await buyingByCard(service);
  const before = await paidOnPage(service, agent, { member });
  const jobKey = await agent.authorizedJob();
  await stripe.fault({ mode: 'drop_before', on, times: 'always' });
  expect((await payByCard(agent, jobKey, 'card_saved')).body.code).toBe('payment_unknown');
  const standing = async () => {
    await service.sweep();
    await stripe.clearFaults();
    for (let round = 0; round < 6; round += 1) {
      service.advanceClock(15);
      await service.sweep();
    }
    service.advanceClock(-90);
    const { rows } = await pool.query(
      'select payment_key, jobs.payment_state from payments join jobs using (job_key) where job_key = $1',
      [jobKey],
    );
    return [rows[0].payment_state, await chargesOf(service.sandbox.controlUrl, rows[0].payment_key)];
  };
  return { agent, member, before, standing };
}

const change = async (
  agent: Agent,
  member: Awaited<ReturnType<typeof buyingByCard>>['member'],
  act: string,
  body = {},
) => {
  const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
  expect((await member.post(`/api/agent/v1/agents/${agent_key}/${act}`, body)).status).toBe(200);
};

describe('a kept card whose charge is under way while the provider is away', () => {
  it.each([
    ['is paused', 'pause', { paused: true }, 'payment_intents.create'],
    ['is revoked', 'revoke', {}, 'payment_intents.create'],
    ['is revoked', 'revoke', {}, 'payment_intents.confirm'],
    ['may no longer pay by card', 'grant', { payment_methods: ['x402'] }, 'payment_intents.create'],
  ] as const)('is not charged once its agent %s (%s, %o, at %s)', async (_, act, body, on) => {
    const { agent, member, standing } = await chargeUnderWay(on);
    await change(agent, member, act, body);
    expect(await standing()).toEqual(['none', []]);
  });

  it('is not charged once its account is blocked', async () => {
    const { agent, before, standing } = await chargeUnderWay('payment_intents.create');
    const { rows } = await pool.query('select intent_id from card_charges where payment_key = $1', [before.paymentKey]);
    await stripe.openDispute({ payment_intent: rows[0].intent_id });
    await heard(service);
    expect((await agent.get('/api/agent/v1/me')).body.holds).toHaveLength(1);
    expect(await standing()).toEqual(['none', []]);
  });

  it('is charged when nothing was changed', async () => {
    const { standing } = await chargeUnderWay('payment_intents.create');
    expect(await standing()).toEqual(['collected', [expect.objectContaining({ amount: 500 })]]);
  });
});

it('an open page takes nothing once the agent may no longer pay by card', async () => {
  const { agent, member } = await buyingByCard(service);
  const jobKey = await agent.authorizedJob();
  const { payment_key } = (await payByCard(agent, jobKey)).body;
  const { url } = (await click(new Agent(service.baseUrl, `0x${'2'.repeat(64)}`), payment_key)).body;
  await change(agent, member, 'grant', { payment_methods: ['x402'] });
  await service.sweep();
  expect((await fillIn(url)).status).toBe(410);
});
