import { expect, it } from 'vitest';
import { printedTolerance, written } from './printed.ts';

it('allows half of the last printed digit, and no more', () => {
  expect(printedTolerance('7.3')).toBeCloseTo(0.05, 6);
  expect(printedTolerance('1,200')).toBeCloseTo(0.5, 6);
  expect(printedTolerance('12.50 EUR')).toBeCloseTo(0.005, 6);
});

it('writes numbers with thousands marked and at most four digits behind the point', () => {
  expect([1746, 0.5, 14940.123456, -3].map(written)).toEqual(['1,746', '0.5', '14,940.1235', '-3']);
});
