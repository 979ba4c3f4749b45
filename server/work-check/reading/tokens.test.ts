import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { placeOf, tokenize } from './tokens.ts';

const MIB = 1024 * 1024;

it('keeps no text that it has read, whatever words stood in it', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heldMiB = (): number => {
    collect();
    return process.memoryUsage().heapUsed / MIB;
  };
  const before = heldMiB();
  for (let text = 0; text < 100; text += 1) {
    const word = `Word${String.fromCharCode(97 + (text % 26), 97 + Math.floor(text / 26))}`;
    const words = [word, word.repeat(2), `${word.repeat(2)}s`, word.repeat(3), word.repeat(9)];
    tokenize(`${words.join(' ')} ${' '.repeat(MIB)}`);
  }
  expect(heldMiB() - before).toBeLessThan(10);
});

describe('where words stand in a text', () => {
  it('is not within a longer number', () => {
    expect(placeOf('320', 'a path of 3205 m')).toBe(-1);
    expect(placeOf('205', 'a path of 3205 m')).toBe(-1);
    expect(placeOf('320', '3205 m and 320 m')).toBe(11);
    expect(placeOf('18:30', '2,18:30,20:00')).toBe(2);
  });
});
