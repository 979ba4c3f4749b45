import { expect, it } from 'vitest';
import { openKeyring } from './keyring.ts';
import { type SealedPlace, seal, sealedUnder, unseal } from './seal.ts';

const text = 'Größe: 漢字 \u0000 😀';
const [old, fresh] = ['one secret', 'another'];
const keyring = openKeyring([old]);
const place: SealedPlace = { column: 'quotes.input', row: 'quote_1' };

it('gives a sealed text back, to whoever has the secret', () => {
  expect(unseal(seal(text, keyring, place), keyring, place)).toBe(text);
  expect(unseal(seal('', keyring, place), keyring, place)).toBe('');
  expect(() => unseal(seal(text, keyring, place), openKeyring([fresh]), place)).toThrow('holds no key');
});

it('seals under the first secret and opens under any', () => {
  const both = openKeyring([fresh, old]);
  expect(unseal(seal(text, keyring, place), both, place)).toBe(text);
  const sealed = seal(text, both, place);
  expect(sealed.startsWith(sealedUnder(openKeyring([fresh]).first.id))).toBe(true);
  expect(() => unseal(sealed, keyring, place)).toThrow('holds no key');
});

it('opens in its own row and column alone', () => {
  const sealed = seal(text, keyring, place);
  expect(() => unseal(sealed, keyring, { ...place, row: 'quote_2' })).toThrow();
  expect(() => unseal(sealed, keyring, { ...place, column: 'sources.text' })).toThrow();
});

it('seals the same text differently each time', () => {
  expect(seal(text, keyring, place)).not.toBe(seal(text, keyring, place));
});

it('notices when a single character was altered', () => {
  const sealed = seal(text, keyring, place);
  const altered = [...sealed].map((character, at) =>
    at < 'v2.'.length ? sealed : sealed.slice(0, at) + (character === 'A' ? 'Q' : 'A') + sealed.slice(at + 1),
  );
  for (const other of altered.filter((candidate) => candidate !== sealed)) {
    expect(() => unseal(other, keyring, place)).toThrow();
  }
});

it('derives keys that have nothing in common for tokens, codes and content', () => {
  const { tokens, codes, content } = keyring.first;
  const keys = [tokens, codes, content].map((key) => key.export().toString('hex'));
  expect(new Set(keys).size).toBe(3);
  expect(keys).not.toContain(Buffer.from(old).toString('hex'));
});
