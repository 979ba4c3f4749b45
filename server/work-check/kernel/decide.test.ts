import { describe, expect, it } from 'vitest';
import { decide, type Opinion, ROWS } from './decide.ts';

const rule = (says: Opinion['says'], more: Partial<Opinion> = {}): Opinion => ({
  by: 'rule',
  from: 'rule',
  says,
  ...more,
});
const read = (says: Opinion['says'], more: Partial<Opinion> = {}): Opinion => ({
  by: 'model',
  from: 'reading',
  says,
  ...more,
});
const typed = read('supports', { typed: true });
const paired = read('supports', { typed: true, paired: true });
const certain = rule('contradicts', { certain: true });

describe('the table that decides', () => {
  const cases: readonly (readonly [row: string, opinions: Opinion[], status: string])[] = [
    ['certain contradiction, proven support', [certain, rule('supports')], 'undecided'],
    ['certain contradiction, two readings by another key', [certain, typed, read('supports')], 'undecided'],
    ['certain contradiction', [certain, paired], 'contradicted'],
    ['two readings contradict', [read('contradicts'), read('contradicts'), rule('doubts')], 'contradicted'],
    ['a reading contradicts', [read('contradicts'), paired], 'undecided'],
    ['a reading contradicts', [read('contradicts'), read('contradicts'), rule('supports')], 'undecided'],
    ['proven', [rule('supports')], 'supported'],
    ['proven, doubted, read', [rule('supports'), rule('doubts'), read('supports')], 'supported'],
    ['proven, doubted', [rule('supports'), rule('contradicts')], 'undecided'],
    ['two readings support', [typed, read('supports'), rule('doubts')], 'supported'],
    ['one reading supports', [paired], 'supported'],
    ['a reading supports, not all proven', [paired, rule('doubts')], 'undecided'],
    ['a reading supports, not all proven', [read('supports'), read('supports')], 'undecided'],
    ['doubt', [rule('contradicts')], 'undecided'],
    ['doubt', [rule('speaks')], 'undecided'],
    ['silence', [], 'not_found'],
  ];

  it.each(cases)('has the row “%s”', (row, opinions, status) => {
    expect(decide(opinions)).toEqual({ row, status });
  });

  it('has no row that no case reaches', () => {
    expect(ROWS.map(({ name }) => name).filter((name) => !cases.some(([row]) => row === name))).toEqual([]);
  });
});
