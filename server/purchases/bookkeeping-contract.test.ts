import { expect, it } from 'vitest';
import { taxWithin } from './bookkeeping-contract.ts';

it.each([
  [500_000_000, 0, 0],
  [500_000_000, 1_900, 80_000_000],
  [500_000_000, 2_000, 83_000_000],
  [500_000_000, 700, 33_000_000],
  [0, 1_900, 0],
  // Half a cent goes up: 0.105 USD at 5% holds 0.005.
  [10_500_000, 500, 1_000_000],
])('the tax within %i microcents at %i hundredths of a percent is %i', (amount, hundredths, tax) => {
  expect(taxWithin(amount, hundredths)).toBe(tax);
});
