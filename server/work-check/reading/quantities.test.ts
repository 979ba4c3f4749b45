import { describe, expect, it } from 'vitest';
import { compareQuantities } from './compare-quantities.ts';
import { readQuantities } from './quantities.ts';
import { tokenize } from './tokens.ts';

const read = (text: string) => readQuantities(tokenize(text));

describe('dates and times as notes write them', () => {
  it.each([
    ['03.05.2026 admitted', { year: 2026, month: 5, day: 3 }],
    ['06.05. off oxygen', { month: 5, day: 6 }],
    ['until 12.05. inclusive', { month: 5, day: 12 }],
    ['due on 16. November 2026', { year: 2026, month: 11, day: 16 }],
    ['3 Jan. 2026', { year: 2026, month: 1, day: 3 }],
    ['Sept. 4, 2026', { year: 2026, month: 9, day: 4 }],
    ['from 1 Jan 27.', { year: 2027, month: 1, day: 1 }],
  ])('%s', (text, date) => {
    expect(read(text)[0]).toMatchObject({ kind: 'date', ...date });
  });

  it.each([
    ['The rate rose to 4.05.', 'number'],
    ['12 May 27 people came', 'date'],
  ])('reads no more into %s', (text, kind) => {
    expect(read(text)[0]).toMatchObject({ kind });
    expect(read(text)[0]?.year).toBeUndefined();
  });

  it('takes the full stop of a sentence for no part of a month', () => {
    const text = 'They met in May. 3 people came by the end of June.';
    expect(read(text).map(({ start, end }) => text.slice(start, end))).toEqual(['May', '3', 'June']);
  });

  it('reads no time across a space', () => {
    expect(read('Due of 3: 13 October').map(({ kind }) => kind)).toEqual(['number', 'date']);
  });

  it('takes 17.30 for a time only beside one', () => {
    const [time] = read('at 17:30');
    const [dotted, other] = [read('next 17.30')[0], read('next 17.35')[0]];
    if (time === undefined || dotted === undefined || other === undefined) throw new Error('No figure was read.');
    expect(compareQuantities(time, dotted)).toBe('same');
    expect(compareQuantities(time, other)).toBe('unrelated');
  });

  it('reads 1.134,96 as a thousand and more', () => {
    expect(read('1.134,96 Euro')[0]).toMatchObject({ kind: 'money', value: 1134.96, unit: 'eur' });
  });
});

describe('numbers and times in words', () => {
  it.each([
    ['six hundred and forty boxes', 640],
    ['one hundred and ten', 110],
    ['twelve hundred and fifty', 1250],
    ['two thousand three hundred and five', 2305],
    ['a hundred people', 100],
    ['fifty-one', 51],
    ['three and a half hours', 3.5],
    ['2 and a half million', 2_500_000],
    ['two hundred and three hundred', 200],
    ['the two and a half-day events', 2],
  ])('%s', (text, value) => {
    expect(read(text)[0]).toMatchObject({ kind: 'number', value });
  });

  it.each([
    ['six p.m.', 1080],
    ['at 5 a.m. sharp', 300],
    ["eight o'clock", 480],
  ])('%s', (text, value) => {
    expect(read(text)).toMatchObject([{ kind: 'time', value }]);
  });

  it('takes "one" and "a" for no number alone', () => {
    expect(read('One of a kind, and a one.')).toEqual([]);
  });
});
