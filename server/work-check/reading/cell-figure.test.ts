import { expect, it } from 'vitest';
import { figureOfCell } from './cell-figure.ts';

it.each([
  ['1,240', 1240],
  ['**-1,240**', -1240],
  ['−5.5', -5.5],
  ['12 kg', 12],
  ['7 %', 7],
])('the figure of “%s” is %d', (text, value) => {
  expect(figureOfCell(text, '')?.value).toBe(value);
});

it.each(['', 'none', '3 to 5', '4 May 2026', '10:30', '3 of the boxes'])('“%s” holds no one figure', (text) => {
  expect(figureOfCell(text, '')).toBeUndefined();
});

it.each([
  ['1950', 'Units', 1950],
  ['-1806', 'net_change', -1806],
  ['1950', 'Year', undefined],
  ['2024', 'fiscal_year', undefined],
  ['1887', 'Built', undefined],
])('“%s” under “%s” is %s', (text, name, value) => {
  expect(figureOfCell(text, name)?.value).toBe(value);
});
