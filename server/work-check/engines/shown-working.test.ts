import { describe, expect, it } from 'vitest';
import { readWork } from '../statements.ts';
import { shownWorking } from './shown-working.ts';

const table = (rows: string[]): string =>
  ['| Item | Calculation | EUR |', '| --- | --- | --- |', ...rows.map((row) => `| ${row} |`)].join('\n');

/** What the table shows of each amount: whether it comes out, and how. */
function shown(rows: string[]): (string | undefined)[] {
  const { statements } = readWork(table(rows));
  return statements
    .filter(({ record }) => record?.column === 'EUR')
    .map((statement) => {
      const worked = shownWorking(statement, statements);
      return worked && `${worked.holds ? '' : 'not '}${worked.says}`;
    });
}

describe('a row that says how its amount is worked out', () => {
  it('gives products, shares of another row, sums of the rows above, and two rows together', () => {
    expect(
      shown([
        'Educator | 80 h at 120.00 | 9,600.00',
        'Guides | 260 at 2.50 each | 650.00',
        'Direct costs | sum of the two lines above | 10,250.00',
        'Overheads | 10 % of direct costs | 1,025.00',
        'Total | direct costs plus overheads | 11,275.00',
      ]),
    ).toEqual([
      '80 × 120 = 9,600',
      '260 × 2.5 = 650',
      '9,600 + 650 = 10,250',
      '10 percent of 10,250 = 1,025',
      '10,250 + 1,025 = 11,275',
    ]);
  });

  it('is wrong where it does not come out and another row does', () => {
    expect(shown(['Educator | 80 h at 120.00 | 9,600.00', 'Boats | 12 days at 200 | 2,500.00'])).toEqual([
      '80 × 120 = 9,600',
      'not 12 × 200 = 2,400',
    ]);
  });

  it('says nothing alone, or in words that only look like a calculation', () => {
    expect(shown(['Boats | 12 days at 200 | 2,500.00'])).toEqual([undefined]);
    expect(shown(['Boats | 12 days from 3 May | 2,400.00', 'Bus | see note 4 | 5.00'])).toEqual([undefined, undefined]);
  });
});
