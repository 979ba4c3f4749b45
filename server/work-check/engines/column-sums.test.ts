import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../material-trial.ts';
import { columnSums } from './column-sums.ts';

const says = (...evidence: readonly string[]) => columnSums(evidenceOf(...evidence)).map((sum) => sum.says);
const sales = '| Shop | Region | Units |\n|---|---|---|\n| A | North | 4 |\n| B | North | 6 |\n| C | South | 5 |';

describe('sums of a table', () => {
  it('are those of a column, and of its rows that share a value of another', () => {
    expect(says(sales)).toEqual([
      'the sum of Units, 4 + 6 + 5 = 15',
      'the sum of Units where Region is North, 4 + 6 = 10',
    ]);
  });

  it('leave a row of totals out', () => {
    expect(says('shop,units,eur\nA,4,1.10\nB,6,2.20\nTotal,10,3.30')).toEqual([
      'the sum of units, 4 + 6 = 10',
      'the sum of eur, 1.1 + 2.2 = 3.3',
    ]);
  });

  it('say where they stand', () => {
    const [sum] = columnSums(evidenceOf(sales));
    expect(sales.slice(sum?.start, sum?.end)).toMatch(/^4 .*5$/s);
  });

  it.each([
    ['a column with words', 'shop,units,note\nA,4,ok\nB,few,ok'],
    ['a column of dates', 'shop,opened,closed\nA,2020-01-02,2021-01-02\nB,2020-02-03,2021-03-04'],
    ['one row', 'shop,units,eur\nA,4,2'],
    ['no table', 'The shops sold 4, 6 and 5 units.'],
  ])('are not made of %s', (_, text) => {
    expect(says(text)).toEqual([]);
  });
});
