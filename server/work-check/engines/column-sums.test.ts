import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../material-trial.ts';
import { readWork } from '../statements.ts';
import { columnSums, meanGiving } from './column-sums.ts';

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

  it.each([
    ['Units came to 5 per shop on average.', 'the mean of Units, 15 / 3 = 5'],
    ['Shops in the North averaged 5.0 units.', 'the mean of Units, 15 / 3 = 5'],
    ['Each shop sold 5 units.', undefined],
    ['The average shop has 5 windows.', undefined],
    ['Units came to 6 per shop on average.', undefined],
  ])('give a mean: %s', (sentence, mean) => {
    const [statement] = readWork(sentence).statements;
    const [figure] = statement?.quantities ?? [];
    if (statement === undefined || figure === undefined) throw new Error('No figure was read.');
    expect(meanGiving(figure, statement, columnSums(evidenceOf(sales)))).toBe(mean);
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
