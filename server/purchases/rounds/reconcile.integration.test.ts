import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent, type Answer, facilitatorFailures } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';

const service = await startService();
const { sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const chain = 84532;
const network = 'eip155:84532';

/** An agent with an unpaid job, and its payment. */
async function aboutToPay(): Promise<{ agent: Agent; jobKey: string; signature: string }> {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.authorizedJob();
  return { agent, jobKey, signature: await agent.signPayment(jobKey, network) };
}
/** What the chain moved from this agent to the service. */
const paidBy = (agent: Agent) => control.transfers(chain, { from: agent.wallet.address, to: sandbox.payTo });
const stateOf = async (agent: Agent, jobKey: string) => {
  const { state, payment_state } = (await agent.job(jobKey)).body;
  return [state, payment_state];
};
const codeOf = (answer: Answer) => [answer.status, answer.body.code ?? answer.body.payment_state];

/** Two rounds of the worker, far enough apart that every retry is due. */
async function reconciled(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    service.advanceClock(30);
    await service.sweep();
  }
  service.advanceClock(-60);
}

afterEach(async () => {
  await control.clearFacilitatorFaults();
  await control.clearChainFaults(chain);
});

describe('a payment whose facilitator fails', () => {
  it.each(facilitatorFailures)('%s: is collected once, and nobody is asked to pay again', async (mode) => {
    const { agent, jobKey, signature } = await aboutToPay();
    await control.facilitatorFault({ mode });
    const answer = await agent.pay(jobKey, { signature });
    expect([200, 409]).toContain(answer.status);
    if (answer.status === 409) {
      expect(answer.body.code).toBe('payment_unknown');
      expect((await agent.pay(jobKey)).body.code).toBe('payment_unknown');
    }
    await reconciled();
    expect(await stateOf(agent, jobKey)).toEqual(['queued', 'collected']);
    expect(await paidBy(agent)).toHaveLength(1);
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
  });

  it.each(['is alive', 'is restarted'])(
    'not mined in time: is found when the block comes, facilitator %s',
    async (fate) => {
      const { agent, jobKey, signature } = await aboutToPay();
      await control.chainFault(chain, { mode: 'automine_off' });
      await control.facilitatorFault({ mode: 'pending' });
      expect(codeOf(await agent.pay(jobKey, { signature }))).toEqual([409, 'payment_unknown']);
      if (fate === 'is restarted') await control.restartFacilitator();
      await control.chainFault(chain, { mode: 'mine' });
      await control.clearChainFaults(chain);
      await reconciled();
      expect(await stateOf(agent, jobKey)).toEqual(['queued', 'collected']);
      expect(await paidBy(agent)).toHaveLength(1);
    },
  );

  it('waits while the chain does not answer either, and ends well when it does', async () => {
    const { agent, jobKey, signature } = await aboutToPay();
    await control.facilitatorFault({ mode: 'drop_before_settle' });
    await agent.pay(jobKey, { signature });
    await control.chainFault(chain, { mode: 'error' });
    await reconciled();
    expect(await stateOf(agent, jobKey)).toEqual(['awaiting_payment', 'unknown']);
    expect(codeOf(await agent.pay(jobKey, { signature }))).toEqual([409, 'payment_unknown']);
    await control.clearChainFaults(chain);
    // The failed try's lease ends by itself.
    service.advanceClock(60);
    await reconciled();
    service.advanceClock(-60);
    expect(await stateOf(agent, jobKey)).toEqual(['queued', 'collected']);
    expect(await paidBy(agent)).toHaveLength(1);
  });

  it.each([
    ['the facilitator', () => control.facilitatorFault({ on: 'supported', mode: 'error_500' })],
    ['the chain', () => control.chainFault(chain, { mode: 'error' })],
  ])('answers 503 before anything is recorded when %s cannot be reached', async (_, strike) => {
    const { agent, jobKey, signature } = await aboutToPay();
    await strike();
    // Reachability is cached for half a minute.
    service.advanceClock(31);
    expect(codeOf(await agent.pay(jobKey, { signature }))).toEqual([503, 'service_unavailable']);
    expect(await stateOf(agent, jobKey)).toEqual(['awaiting_payment', 'none']);
    await control.clearChainFaults(chain);
    // Unreachability is cached for five seconds.
    service.advanceClock(6);
    expect((await agent.pay(jobKey, { signature })).status).toBe(200);
    service.advanceClock(-37);
  });

  it('collects ten different payments that come at once', async () => {
    const payments = await Promise.all(Array.from({ length: 10 }, aboutToPay));
    const answers = await Promise.all(payments.map(({ agent, jobKey, signature }) => agent.pay(jobKey, { signature })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('takes a payment that somebody else carried out first', async () => {
    const { agent, jobKey, signature } = await aboutToPay();
    await service.carryOut(signature);
    const [transfer] = await paidBy(agent);
    const answer = await agent.pay(jobKey, { signature });
    expect(codeOf(answer)).toEqual([200, 'collected']);
    const receipt = await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`);
    expect(receipt.body.collection.reference).toBe(`${network}:${transfer?.transaction}`);
  });
});

describe('a payment that was not signed as asked', () => {
  type Signed = PaymentPayload & { payload: { authorization: Record<string, string>; signature: string } };
  const now = () => Math.floor(Date.now() / 1000);
  const changes: Record<string, (payment: Signed) => void> = {
    'a value that the signature does not cover': (it) => Object.assign(it.payload.authorization, { value: '1' }),
    'another receiver': (it) => Object.assign(it.payload.authorization, { to: `0x${'5'.repeat(40)}` }),
    'another payer': (it) => Object.assign(it.payload.authorization, { from: `0x${'5'.repeat(40)}` }),
    'another nonce': (it) => Object.assign(it.payload.authorization, { nonce: `0x${'5'.repeat(64)}` }),
    'a time that has run out': (it) => Object.assign(it.payload.authorization, { validBefore: String(now() - 5) }),
    'a time that has not begun': (it) => Object.assign(it.payload.authorization, { validAfter: String(now() + 600) }),
    'a time too far ahead': (it) => Object.assign(it.payload.authorization, { validBefore: String(now() + 7_200) }),
    'a lower price': (it) => Object.assign(it.accepted, { amount: '1' }),
    'another token': (it) => Object.assign(it.accepted, { asset: `0x${'5'.repeat(40)}` }),
    'an unknown chain': (it) => Object.assign(it.accepted, { network: 'eip155:1' }),
    'another version of the protocol': (it) => Object.assign(it, { x402Version: 1 }),
  };

  it.each(Object.keys(changes))('%s: is refused with a 402, and moves nothing', async (change) => {
    const { agent, jobKey, signature } = await aboutToPay();
    const payment = decodePaymentSignatureHeader(signature) as Signed;
    changes[change]?.(payment);
    const refused = await agent.pay(jobKey, { signature: encodePaymentSignatureHeader(payment) });
    expect(refused.status).toBe(402);
    expect(refused.body.error).not.toBe('Payment required');
    expect(await stateOf(agent, jobKey)).toEqual(['awaiting_payment', 'none']);
    expect(await paidBy(agent)).toHaveLength(0);
  });
});

describe('paying against canceling', () => {
  const ways = ['pay', 'cancel', 'payments/cancel'];

  it.each(ways)('leads to one collection at most in 100 requests at once that begin with %s', async (first) => {
    const { agent, jobKey, signature } = await aboutToPay();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, turn) => {
        const way = ways[(turn + ways.indexOf(first)) % ways.length];
        if (way === 'pay') return agent.pay(jobKey, { signature });
        return agent.post(`/api/agent/v1/jobs/${jobKey}/${way}`);
      }),
    );
    // A wait that takes too long, as on a slow machine, is answered with "try again".
    const refusals = ['payment_unknown', 'action_not_allowed', 'idempotency_in_progress'];
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(refusals).toContain(body.code);
    }
    await reconciled();
    const credit = (await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents;
    expect([
      ['queued', 'collected', 1, 0],
      ['canceled', 'credited', 1, 500_000_000],
      ['canceled', 'none', 0, 0],
    ]).toContainEqual([...(await stateOf(agent, jobKey)), (await paidBy(agent)).length, credit]);
  });
});
