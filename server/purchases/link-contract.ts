import { defineOperation } from '../door/operation.ts';
import { pay } from './contract.ts';
import { PaymentPage, paymentPage } from './payment-contract.ts';

/** Paying for a payment link from a wallet (specification 8.1). Pure. */

const [, ...problemsOfPaying] = pay.problems.filter(
  (code) => !code.startsWith('idempotency_') && code !== 'card_declined',
);

export const payByLink = defineOperation({
  name: 'pay_by_link',
  summary:
    'Pay for a payment link over x402. The first call answers 402 with what to sign; repeat it with the ' +
    'PAYMENT-SIGNATURE header. Any wallet may pay, within the grant of the agent that asked.',
  method: 'POST',
  path: '/api/agent/v1/payments/{payment_key}/x402',
  audience: ['public'],
  effect: 'money',
  idempotency: 'none',
  input: paymentPage.input,
  output: PaymentPage,
  success: [200],
  paid: true,
  problems: problemsOfPaying,
  limit: 'claims',
});
