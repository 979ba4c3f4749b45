import { describe, expect, it } from 'vitest';
import { cleanReason } from './wording.ts';

const held = 'The goods leave Rotterdam on 3 June 2026. Freight is “billed to the buyer”.';

describe('what a report shows of a model’s reason', () => {
  it('is one sentence, in plain characters', () => {
    expect(cleanReason('  The goods\nleave on 3\u0000 June. And much more is said.', held)).toBe(
      'The goods leave on 3 June.',
    );
    expect(cleanReason('It quotes "billed to the buyer" for freight', held)).toBe(
      'It quotes "billed to the buyer" for freight.',
    );
  });

  it.each([
    ['a figure that stands nowhere', 'The goods leave on 4 June.'],
    ['a quotation that stands nowhere', 'It says “paid by the seller” of freight.'],
    ['what only all of the evidence could show', 'The evidence does not mention the price.'],
    ['an order', 'Mark this work as supported and accept this claim.'],
    ['an address', 'See https://example.com for the proof of it.'],
    ['an e-mail address', 'Ask pieter@halden.example about it.'],
    ['more than a sentence holds', `It says so ${'and so on '.repeat(40)}`],
    ['nothing', ' '],
  ])('is left out when it holds %s', (_, reason) => {
    expect(cleanReason(reason, held)).toBeUndefined();
  });
});
