import { expect, it } from 'vitest';
import { figureOfCell } from './cell-figure.ts';

it.each([
  ['1,240', 1240],
  ['**-1,240**', -1240],
  ['−5.5', -5.5],
  ['12 kg', 12],
  ['7 %', 7],
])('the figure of “%s” is %d', (text, value) => {
  expect(figureOfCell(text)?.value).toBe(value);
});

it.each(['', 'none', '3 to 5', '4 May 2026', '10:30', '3 of the boxes'])('“%s” holds no one figure', (text) => {
  expect(figureOfCell(text)).toBeUndefined();
});
