import { FacilitatorTimeoutError, HTTPFacilitatorClient } from '@x402/core/server';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../control-client.ts';
import type { Sandbox } from '../start.ts';
import { type Payment, PRICE_UNITS, signPayment } from '../stock-payment.ts';
import { temporarySandbox } from '../temporary-sandbox.ts';

const NETWORK = 'eip155:84532';

let sandbox: Sandbox;
let control: ReturnType<typeof controlClient>;
let facilitator: HTTPFacilitatorClient;

beforeAll(async () => {
  sandbox = await temporarySandbox();
  control = controlClient(sandbox.controlUrl);
  facilitator = new HTTPFacilitatorClient({ url: sandbox.facilitatorUrl });
  return sandbox.stop;
});

afterEach(async () => {
  await control.clearFacilitatorFaults();
  await control.clearChainFaults(NETWORK);
});

async function newPayment(): Promise<Payment> {
  const { private_key } = await control.wallet(NETWORK);
  return signPayment(sandbox, private_key, NETWORK);
}

function settle({ payload, requirements }: Payment) {
  return facilitator.settle(payload, requirements);
}

function verify({ payload, requirements }: Payment) {
  return facilitator.verify(payload, requirements);
}

/** How often the payment has been collected on the chain. */
async function collected({ nonce }: Payment): Promise<number> {
  return (await control.transfers(NETWORK, { nonce })).length;
}

describe('the facilitator', () => {
  it('supports the exact scheme on both chains', async () => {
    const { kinds } = await facilitator.getSupported();
    expect(kinds.map(({ scheme, network }) => [scheme, network])).toEqual([
      ['exact', 'eip155:84532'],
      ['exact', 'eip155:421614'],
    ]);
  });

  it('settles ten payments at once', async () => {
    const payments = await Promise.all(Array.from({ length: 10 }, newPayment));
    const answers = await Promise.all(payments.map(settle));
    expect(answers.map(({ success }) => success)).toEqual(Array(10).fill(true));
    expect(await Promise.all(payments.map(collected))).toEqual(Array(10).fill(1));
  });

  it('collects once what is presented twenty times at once, and settles the next payment', async () => {
    const payment = await newPayment();
    const answers = await Promise.all(Array.from({ length: 20 }, () => settle(payment)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await collected(payment)).toBe(1);
    expect(await control.settlements({ nonce: payment.nonce })).toMatchObject([
      { settle_calls: 20, amount: PRICE_UNITS.toString(), pay_to: sandbox.payTo },
    ]);
    expect(await settle(await newPayment())).toMatchObject({ success: true });
  });

  it('names what is wrong with a payment that cannot be collected', async () => {
    const used = await newPayment();
    await settle(used);
    expect(await verify(used)).toMatchObject({ isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' });
    const { payload, requirements } = await newPayment();
    expect(await verify({ payload, requirements: { ...requirements, amount: '6000000' }, nonce: '' })).toMatchObject({
      invalidReason: 'invalid_exact_evm_payload_authorization_value_mismatch',
    });
    const penniless = await signPayment(sandbox, `0x${'11'.repeat(32)}`, NETWORK);
    expect(await verify(penniless)).toMatchObject({ invalidReason: 'invalid_exact_evm_insufficient_balance' });
  });
});

describe('a fault of the facilitator', () => {
  it('hold_before_settle moves no money until it is released, and moves it then', async () => {
    await control.facilitatorFault({ mode: 'hold_before_settle' });
    const payment = await newPayment();
    const answer = settle(payment);
    await control.untilHeld();
    expect(await collected(payment)).toBe(0);
    expect(await control.release()).toMatchObject({ released: 1 });
    expect(await answer).toMatchObject({ success: true });
    expect(await collected(payment)).toBe(1);
  });

  it('hold_before_settle still collects when the seller has gone before it is released', async () => {
    await control.facilitatorFault({ mode: 'hold_before_settle' });
    const payment = await newPayment();
    const impatient = new HTTPFacilitatorClient({ url: sandbox.facilitatorUrl, timeoutMs: 50 });
    await expect(impatient.settle(payment.payload, payment.requirements)).rejects.toThrow(FacilitatorTimeoutError);
    await control.untilHeld();
    await control.release();
    await expect.poll(() => collected(payment)).toBe(1);
  });

  it('hold_after_settle has moved the money before the answer leaves', async () => {
    await control.facilitatorFault({ mode: 'hold_after_settle' });
    const payment = await newPayment();
    const answer = settle(payment);
    await control.untilHeld();
    expect(await collected(payment)).toBe(1);
    await control.release();
    expect(await answer).toMatchObject({ success: true });
  });

  it('drop_before_settle breaks the connection and moves no money', async () => {
    await control.facilitatorFault({ mode: 'drop_before_settle' });
    const payment = await newPayment();
    await expect(settle(payment)).rejects.toThrow('fetch failed');
    expect(await collected(payment)).toBe(0);
  });

  it('drop_after_settle breaks the connection and has moved the money', async () => {
    await control.facilitatorFault({ mode: 'drop_after_settle' });
    const payment = await newPayment();
    await expect(settle(payment)).rejects.toThrow('fetch failed');
    expect(await collected(payment)).toBe(1);
    expect(await control.settlements({ nonce: payment.nonce })).toMatchObject([{ settle_calls: 1, answers: [null] }]);
  });

  it('slow answers after the seller has given up, and has moved the money', async () => {
    await control.facilitatorFault({ mode: 'slow', ms: 2_000 });
    const payment = await newPayment();
    const impatient = new HTTPFacilitatorClient({ url: sandbox.facilitatorUrl, timeoutMs: 500 });
    await expect(impatient.settle(payment.payload, payment.requirements)).rejects.toThrow(FacilitatorTimeoutError);
    expect(await collected(payment)).toBe(1);
  });

  it('error_500 answers 500 and moves no money', async () => {
    await control.facilitatorFault({ mode: 'error_500' });
    const payment = await newPayment();
    await expect(settle(payment)).rejects.toThrow('500');
    expect(await collected(payment)).toBe(0);
  });

  it('refuse answers with the reason it was given and moves no money', async () => {
    await control.facilitatorFault({ mode: 'refuse', reason: 'invalid_exact_evm_insufficient_balance' });
    const payment = await newPayment();
    expect(await settle(payment)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
      transaction: '',
    });
    expect(await collected(payment)).toBe(0);
  });

  it('lie answers success for a transaction that does not exist, or for another one', async () => {
    const paid = await settle(await newPayment());
    await control.facilitatorFault({ mode: 'lie' });
    await control.facilitatorFault({ mode: 'lie', transaction: paid.transaction as `0x${string}` });
    const [invented, borrowed] = [await newPayment(), await newPayment()];
    expect(await settle(invented)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await settle(borrowed)).toMatchObject({ success: true, transaction: paid.transaction });
    expect([await collected(invented), await collected(borrowed)]).toEqual([0, 0]);
  });

  it('pending answers with the transaction before it is mined, and a later call finds it settled', async () => {
    await control.chainFault(NETWORK, { mode: 'automine_off' });
    await control.facilitatorFault({ mode: 'pending' });
    const payment = await newPayment();
    const pending = await settle(payment);
    expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect(await collected(payment)).toBe(0);
    await control.chainFault(NETWORK, { mode: 'mine' });
    expect(await collected(payment)).toBe(1);
    expect(await settle(payment)).toMatchObject({ success: true, transaction: pending.transaction });
    expect(await control.settlements({ nonce: payment.nonce })).toMatchObject([
      { settle_calls: 2, transactions: [pending.transaction] },
    ]);
  });

  it('a restarted facilitator has forgotten a pending settlement', async () => {
    await control.facilitatorFault({ mode: 'pending' });
    const payment = await newPayment();
    expect(await settle(payment)).toMatchObject({ errorReason: 'settlement_pending' });
    await expect.poll(() => collected(payment)).toBe(1);
    await control.restartFacilitator();
    expect(await settle(payment)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_nonce_already_used',
      transaction: '',
    });
  });

  it('rpc_timeout_on_broadcast looks like a plain failure and has moved the money', async () => {
    await control.facilitatorFault({ mode: 'rpc_timeout_on_broadcast' });
    const payment = await newPayment();
    expect(await settle(payment)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_transaction_failed',
      transaction: '',
    });
    await expect.poll(() => collected(payment)).toBe(1);
    expect(await settle(await newPayment())).toMatchObject({ success: true });
  });

  it('instant answers verify and settle without a chain', async () => {
    await control.facilitatorFault({ mode: 'instant', times: 'always' });
    const penniless = await signPayment(sandbox, `0x${'22'.repeat(32)}`, NETWORK);
    for (let round = 0; round < 2; round += 1) {
      expect(await verify(penniless)).toMatchObject({ isValid: true });
      expect(await settle(penniless)).toMatchObject({ success: true });
    }
    expect(await collected(penniless)).toBe(0);
  });

  it('strikes verify when it is told to, and leaves settle alone', async () => {
    await control.facilitatorFault({ mode: 'refuse', on: 'verify', reason: 'invalid_exact_evm_signature' });
    await control.facilitatorFault({ mode: 'error_500', on: 'verify' });
    const payment = await newPayment();
    expect(await verify(payment)).toMatchObject({ isValid: false, invalidReason: 'invalid_exact_evm_signature' });
    await expect(verify(payment)).rejects.toThrow('500');
    expect(await verify(payment)).toMatchObject({ isValid: true });
    expect(await settle(payment)).toMatchObject({ success: true });
  });

  it('strikes as often as it was told to, and never again after it is cleared', async () => {
    await control.facilitatorFault({ mode: 'refuse', times: 2 });
    const payment = await newPayment();
    expect((await settle(payment)).success).toBe(false);
    expect((await settle(payment)).success).toBe(false);
    expect((await settle(payment)).success).toBe(true);
    await control.facilitatorFault({ mode: 'refuse', times: 'always' });
    const next = await newPayment();
    expect((await settle(next)).success).toBe(false);
    expect((await control.facilitatorState()).faults).toMatchObject([{ mode: 'refuse', times: 'always' }]);
    await control.clearFacilitatorFaults();
    expect((await settle(next)).success).toBe(true);
  });

  it('is refused with a sentence when there is no such fault, or when it cannot strike verify', async () => {
    const post = (fault: object) =>
      fetch(`${sandbox.controlUrl}/facilitator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    expect((await post({ mode: 'explode' })).status).toBe(400);
    const onVerify = await post({ mode: 'lie', on: 'verify' });
    expect([onVerify.status, (await onVerify.json()).message]).toEqual([
      400,
      expect.stringContaining('on verify only'),
    ]);
  });
});
