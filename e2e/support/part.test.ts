import { describe, expect, it } from 'vitest';
import { chosenPart, shareOf } from './part.ts';

describe('a piece of a long trial', () => {
  it('is the whole unless one is asked for', () => {
    expect(chosenPart('')).toEqual({ number: 1, of: 1 });
    expect(chosenPart('3/20')).toEqual({ number: 3, of: 20 });
  });

  it('is one that there is', () => {
    for (const text of ['0/20', '21/20', '3', '3/', 'a/b', '1/0']) {
      expect(() => chosenPart(text)).toThrow('TRIAL_PART');
    }
  });

  it('does its share, and all pieces together no less than the whole', () => {
    expect(shareOf(10_000, { number: 3, of: 20 })).toBe(500);
    expect(shareOf(20, { number: 1, of: 3 })).toBe(7);
  });
});
