import { defineOperation } from '../operation/operation.ts';
import { railSummaries } from '../payments/contract.ts';
import { pay } from './contract.ts';
import { PaymentPage, paymentPage } from './payment-contract.ts';

/** Paying for a payment link from a wallet (specification 8.1). Pure. */

const [, ...problemsOfPaying] = pay.problems.filter(
  (code) => !code.startsWith('idempotency_') && code !== 'card_declined',
);

export const payByLink = defineOperation({
  name: 'pay_by_link',
  summary: railSummaries.payByLink,
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
