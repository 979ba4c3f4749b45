import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chosenPart, shareOf, sumOfParts } from './part.ts';

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

  it('adds what it counted to what the others did, and knows when it is the last', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pieces-'));
    try {
      const count = (number: number, counts: Record<string, number>) =>
        sumOfParts('walk', { number, of: 3 }, counts, folder);
      expect(count(1, { left: 9 })).toBeNull();
      expect(count(1, { left: 1 })).toBeNull();
      expect(count(3, { left: 0, right: 2 })).toBeNull();
      expect(count(2, { left: 4 })).toEqual({ left: 5, right: 2 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
