// What moves the seller's balance besides its payers: its own bank, and what Stripe takes by itself.
import type Stripe from 'stripe';
import { balanceOf } from './endpoints/balance.ts';
import { refused } from './errors.ts';
import { newId } from './ids.ts';
import { type Movement, post } from './objects/balance-transaction.ts';
import type { Provider } from './provider.ts';

/** What may move it, and which way. */
export const BANK_MOVES = {
  payout: { category: 'payout', sign: -1, description: 'STRIPE PAYOUT' },
  payout_failure: { category: 'payout_reversal', sign: 1, description: 'STRIPE PAYOUT FAILURE' },
  stripe_fee: { category: 'fee', sign: -1, description: 'Radar for Fraud Teams' },
  topup: { category: 'topup', sign: 1, description: 'Top-up' },
} as const satisfies Partial<
  Record<Movement['type'], { category: Movement['category']; sign: 1 | -1; description: string }>
>;

export type BankMove = keyof typeof BANK_MOVES;

/** Moves this many cents; a payout takes everything available by default. Throws 400 when that is nothing. */
export function moveBalance(provider: Provider, type: BankMove, cents?: number): Stripe.BalanceTransaction {
  const { category, sign, description } = BANK_MOVES[type];
  const amount = cents ?? (type === 'payout' ? (balanceOf(provider).available[0]?.amount ?? 0) : 0);
  if (amount <= 0) throw refused('There is nothing to move.');
  const source = { payout: newId('po'), payout_failure: newId('po'), stripe_fee: null, topup: newId('tu') }[type];
  return post(provider, { type, category, amount: sign * amount, fee: 0, source, description });
}
