import { expect, it } from 'vitest';
import { readWork } from '../statements.ts';
import { rangeFlag } from './range-flags.ts';

/** What the bounds of a record say of its flag. */
function flagOf(record: { [key: string]: number | string | null }): { holds: boolean; says: string } | undefined {
  const { statements } = readWork({ results: [record] });
  const flag = statements.find(({ record: field }) => field?.column.includes('flag'));
  if (flag === undefined) throw new Error('no flag');
  return rangeFlag(flag, statements);
}

it.each([
  [
    { value: 11, ref_low: 15, ref_high: 150, flag: 'low' },
    { holds: true, says: '11 is below 15' },
  ],
  [
    { value: 11, ref_low: 15, ref_high: 150, flag: 'high' },
    { holds: false, says: '11 is below 15' },
  ],
  [
    { value: 151, min: 15, max: 150, flag: 'H' },
    { holds: true, says: '151 is above 150' },
  ],
  [
    { result: 150, lower: 15, upper: 150, flag: 'normal' },
    { holds: true, says: '150 is not below 15 and not above 150' },
  ],
  [
    { value: 2.1, ref_low: null, ref_high: 5, flag: 'normal' },
    { holds: true, says: '2.1 is not above 5' },
  ],
])('a flag follows from a value and its bounds (%o)', (record, told) => {
  expect(flagOf(record)).toEqual(told);
});

it('a flag without bounds or of another kind is not worked out', () => {
  expect(flagOf({ value: 11, flag: 'low' })).toBeUndefined();
  expect(flagOf({ value: 11, ref_low: 15, flag: 'urgent' })).toBeUndefined();
  expect(flagOf({ flag: 'low', ref_low: 15, ref_high: 150 })).toBeUndefined();
});
