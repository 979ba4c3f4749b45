import { describe, expect, it } from 'vitest';
import { splitSentences } from './sentences.ts';

const sentences = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('a text is split', () => {
  it.each([
    [
      'We close at 5 p.m. The office opens again on Monday.',
      ['We close at 5 p.m.', 'The office opens again on Monday.'],
    ],
    ['It was sold to Acme Inc. The price was not given.', ['It was sold to Acme Inc.', 'The price was not given.']],
    ['They chose plan B. The others left.', ['They chose plan B.', 'The others left.']],
    ['Is it open? Yes! It is.', ['Is it open?', 'Yes!', 'It is.']],
    ['He said “Stop.” Then he left.', ['He said “Stop.”', 'Then he left.']],
    ['It costs 40 EUR. 12 are left.', ['It costs 40 EUR.', '12 are left.']],
    ['In 2024. Next came the flood.', ['In 2024.', 'Next came the flood.']],
    ['First line\nSecond line', ['First line', 'Second line']],
    ['One.\r\nTwo.', ['One.', 'Two.']],
    ['- Check the tank\n- Close the valve', ['- Check the tank', '- Close the valve']],
  ])('%j into %j', (text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it.each([
    'Dr. Smith signed it.',
    'Mr. and Mrs. Lund moved to No. 7 in May.',
    'The store at 5 p.m. closes.',
    'Acme Inc. sold it.',
    'J. Smith and A. B. Lund signed.',
    'See Fig. 3 for the e.g. of it.',
    'Die Sitzung war am 3. Mai in Bonn.',
    '1. Check the figures before Monday',
    'It rose by 3.5 percent.',
    'Open www.example.org today.',
    'The committee met in the town hall on Tuesday and\ndecided to wait for the second quote.',
  ])('%j is one sentence', (text) => {
    expect(sentences(text)).toEqual([text]);
  });

  it('keeps short lines apart, wrapped or not', () => {
    expect(sentences('Total\nper month')).toEqual(['Total', 'per month']);
  });

  it('makes no sentence of marks and blanks', () => {
    expect(sentences('---\n\n ***  \n…\n')).toEqual([]);
    expect(sentences('')).toEqual([]);
  });

  it('bounds a sentence without an end', () => {
    const long = 'word '.repeat(2_000);
    const found = sentences(long);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(1_210);
    expect(found.join(' ')).toBe(long.trim());
  });
});
