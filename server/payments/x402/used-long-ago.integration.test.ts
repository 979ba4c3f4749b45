import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { afterAll, expect, it, vi } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand } from '../../../e2e/support/chain-hand.ts';
import { controlClient } from '../../../sandbox/control-client.ts';

// Windows of 300 blocks instead of 9,000, so that few need to be mined; in modules that other files of this process do
// not share.
vi.doMock('./node.ts', async (actual) => ({ ...(await actual<object>()), logWindowBlocks: 300n }));
vi.resetModules();
afterAll(() => vi.resetModules());
const { startService } = await import('../../../e2e/support/service.ts');

// Another process would read its own, larger windows.
const service = await startService({}, { alone: true });
const { sandbox } = service;
const control = controlClient(sandbox.controlUrl);
const [chain, network] = [84532, 'eip155:84532'] as const;
const hand = await chainHand(sandbox.controlUrl, chain);

it('an authorization that was canceled hours before it is presented opens no payment', {
  timeout: 120_000,
}, async () => {
  const agent = await Agent.arrive(service);
  const hours = 3 * 3_600;
  const validBefore = BigInt(Math.floor(Date.now() / 1_000) + hours + 3_000);
  const signed = await hand.sign(agent.wallet, sandbox.payTo as `0x${string}`, 5_000_000n, { validBefore });
  await hand.cancel(agent.wallet, signed.nonce);
  for (let times = 0; times < 7; times += 1) await control.chainFault(chain, { mode: 'mine', blocks: 50 });
  await control.chainFault(chain, { mode: 'advance_time', seconds: hours });
  for (let times = 0; times < 5; times += 1) await control.chainFault(chain, { mode: 'mine', blocks: 50 });
  service.advanceClock(hours);
  await agent.signIn();
  const jobKey = await agent.authorizedJob();
  const asked = decodePaymentSignatureHeader(await agent.signPayment(jobKey, network));
  const { from, to, value, validAfter, nonce, signature } = signed;
  const authorization = {
    from,
    to,
    value: `${value}`,
    validAfter: `${validAfter}`,
    validBefore: `${validBefore}`,
    nonce,
  };
  const answer = await agent.pay(jobKey, {
    signature: encodePaymentSignatureHeader({ ...asked, payload: { signature, authorization } }),
  });
  expect(answer.status, answer.text).toBe(409);
  expect(answer.body.code).toBe('payment_unknown');
  expect(answer.headers.get('retry-after')).toBe('30');
  expect((await agent.job(jobKey)).body.payment_state).toBe('none');
  const { rows } = await service.database.pool.query('select payment_key from payments');
  expect(rows).toEqual([]);
});
