import { describe, expect, it } from 'vitest';
import { csvCell } from './csv.ts';

describe('a cell of a CSV file', () => {
  it('is never a formula, and keeps commas, quotes and lines inside', () => {
    expect(['=1+1', '+1', '-1', '@sum(A1)', '\t=1', '\r=1', '\n=1', '＝1'].map(csvCell)).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@sum(A1)",
      "'\t=1",
      '"\'\r=1"',
      '"\'\n=1"',
      "'＝1",
    ]);
    expect(csvCell('Bolts, "M8"\nand nuts')).toBe('"Bolts, ""M8""\nand nuts"');
    expect([null, 0, 'plain'].map(csvCell)).toEqual(['', '0', 'plain']);
  });
});
