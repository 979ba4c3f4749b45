import { describe, expect, it } from 'vitest';
import { openKeyring } from '../kernel/keyring.ts';
import { containsToken, isWellFormedToken, newToken, tokenHash } from './token.ts';

describe('a token', () => {
  it('fails by its checksum on any single wrong character, before anybody looks it up', () => {
    const token = newToken('agent');
    expect(isWellFormedToken(token)).toBe(true);
    for (let place = 'svc_agent_'.length; place < token.length; place += 1) {
      const wrong = token[place] === 'a' ? 'b' : 'a';
      expect(isWellFormedToken(token.slice(0, place) + wrong + token.slice(place + 1))).toBe(false);
    }
  });

  it('of one kind does not pass for the other', () => {
    expect(isWellFormedToken(newToken('agent').replace('agent', 'wallet'))).toBe(false);
  });

  it('is found inside other text, so that a leak can be refused', () => {
    expect(containsToken(`Authorization: Bearer ${newToken('wallet')}, as said`)).toBe(true);
    expect(containsToken('svc_agent_ and svc_wallet_ are prefixes')).toBe(false);
  });

  it('is kept as a hash that only our key can make', () => {
    const token = newToken('agent');
    const [{ first: one }, { first: another }] = [openKeyring(['one key']), openKeyring(['another key'])];
    expect(tokenHash(token, one)).not.toBe(tokenHash(token, another));
    expect(tokenHash(token, one)).not.toContain(token.slice(10));
  });
});
