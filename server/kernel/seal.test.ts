import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const text = 'Größe: 漢字 \u0000 😀';

it('gives a sealed text back, to whoever has the secret', () => {
  expect(unseal(seal(text, 'secret'), 'secret')).toBe(text);
  expect(unseal(seal('', 'secret'), 'secret')).toBe('');
  expect(() => unseal(seal(text, 'secret'), 'another')).toThrow();
});

it('seals the same text differently each time', () => {
  expect(seal(text, 'secret')).not.toBe(seal(text, 'secret'));
});

it('notices when a single character was altered', () => {
  const sealed = seal(text, 'secret');
  const altered = [...sealed].map((character, at) =>
    at < 'v1.'.length ? sealed : sealed.slice(0, at) + (character === 'A' ? 'Q' : 'A') + sealed.slice(at + 1),
  );
  for (const other of altered.filter((candidate) => candidate !== sealed)) {
    expect(() => unseal(other, 'secret')).toThrow();
  }
});
