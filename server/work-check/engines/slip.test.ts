import { expect, it } from 'vitest';
import { isSlip } from './slip.ts';

it.each([
  [98.4, 89.4],
  [987, 978],
  [14_490, 14_940],
  [421.5, 411.5],
])('%d is a slip of %d', (claimed, known) => {
  expect(isSlip(claimed, known)).toBe(true);
});

it.each([
  [412, 412],
  [-412, 421],
  [-4_120, 4_120],
  [34.8, 34_800],
  [0.155, 15.5],
  [18, 15],
  [21, 12],
  [18.53, 36.41],
  [600, 642],
  [500, 600],
  [1_850, 1_900],
])('%d may be of something else than %d', (claimed, known) => {
  expect(isSlip(claimed, known)).toBe(false);
});
