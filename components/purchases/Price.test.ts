import { expect, it } from 'vitest';
import { amountText } from './Price.tsx';

it.each([
  [500_000_000, '5.00'],
  [0, '0.00'],
  [1_204_500_000_000, '12,045.00'],
  [123_456_789_012_345n, '1,234,567.89012345'],
  [10_000, '0.0001'],
  [-500_000_000, '−5.00'],
])('writes %s microcents exactly', (microcents, text) => {
  expect(amountText(microcents)).toBe(text);
});
