import { describe, expect, it } from 'vitest';
import { findFigure, findQuote } from './quotes.ts';

const cut = (words: string, text: string): string | undefined => {
  const span = findQuote(words, text);
  return span === undefined ? undefined : text.slice(span.start, span.end);
};

describe('finding what a model quotes', () => {
  it.each([
    ['other spaces', 'goods  leave\nRotterdam', 'The goods leave Rotterdam today.', 'goods leave Rotterdam'],
    ['other quotation marks', `it's "due"`, 'He says it’s “due” now.', 'it’s “due”'],
    ['other dashes', '2019-2021', 'From 2019–2021 it rose.', '2019–2021'],
    ['an ellipsis', 'wait...', 'They wait… and see.', 'wait…'],
    ['letter case', 'THE GOODS', 'Then the goods leave.', 'the goods'],
    ['marks around it', '“The goods leave.”', 'The goods leave today.', 'The goods leave'],
    ['characters nobody sees', 'delivered on', 'It was de\u00ADlivered\u200B on Monday.', 'de\u00ADlivered\u200B on'],
    ['letters of one shape', 'ﬁne 5', 'A fine 5 it was.', 'fine 5'],
  ])('allows for %s and gives back what stands there', (_, words, text, found) => {
    expect(cut(words, text)).toBe(found);
  });

  it('never splits a character, and keeps to the places of the text itself', () => {
    expect(cut('rose 😀 then', 'It  rose  😀  then fell.')).toBe('rose  😀  then');
    expect(cut('½ cup', 'Add ½ cup of milk.')).toBe('½ cup');
  });

  it('finds nothing for words that do not stand there, or for none', () => {
    expect(cut('goods left', 'The goods leave today.')).toBeUndefined();
    expect(cut('', 'Text.')).toBeUndefined();
    expect(cut('"."', 'Text.')).toBeUndefined();
  });

  it.each([
    ['60', '2026-04,12500,600,60', 18],
    ['60', '1,460 and 60', 10],
    ['12', '12.5 then 12', 10],
    ['600', '1600'],
  ])('finds the figure %s in %s only where it stands whole', (words, text, start?: number) => {
    expect(findFigure(words, text)?.start).toBe(start);
  });
});
