import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { tokenize } from './tokens.ts';

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
