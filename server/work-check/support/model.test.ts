import { describe, expect, it } from 'vitest';
import { evidenceSource, indexEvidence } from '../reading/evidence-index.ts';
import { readFeatures } from './features.ts';
import { rarity } from './lexicon.ts';
import { supportScore } from './model.ts';

const evidence = indexEvidence(
  [
    evidenceSource(
      {
        ref: 'evidence/0',
        source: 'Harbour history',
        text:
          'The Corran lighthouse opened in 1884 after six years of building. Its white tower is 31 metres tall. ' +
          'The harbour board increased the fee in March. Isla Munro kept the light until 1911.',
        observed_at: null,
      },
      'supplied',
    ),
  ],
  rarity,
);
const score = (text: string): number => supportScore(readFeatures(text, evidence).features);

describe('the support score', () => {
  it.each([
    ['a figure', 'The lighthouse opened in 1884.', 'The lighthouse opened in 1867.'],
    ['a denial', 'The tower is white.', 'The tower is not white.'],
    ['an opposite', 'The harbour board increased the fee.', 'The harbour board decreased the fee.'],
    ['a name', 'Isla Munro kept the light.', 'Isla Grant kept the light.'],
    ['another kind of the same thing', 'The tower is white.', 'The tower is green.'],
    ['an answer', 'Yes, the tower is white.', 'No, the tower is white.'],
    ['a word that goes with the one beside it', 'The board took care of the lamp.', 'The board gave care of the lamp.'],
  ])('falls when %s is changed', (_, said, changed) => {
    expect(score(changed)).toBeLessThan(score(said));
  });

  it('does not rise when the evidence is padded', () => {
    const padding = {
      ref: 'evidence/1',
      source: 'Letters',
      text: 'How are bees kept? Bread rises.',
      observed_at: null,
    };
    const padded = indexEvidence([...evidence.sources, evidenceSource(padding, 'supplied')], rarity);
    const claim = 'The harbour board increased the toll in March.';
    expect(supportScore(readFeatures(claim, padded).features)).toBeLessThanOrEqual(score(claim));
  });

  it('falls when one sentence of several has nothing behind it', () => {
    const sound = 'The lighthouse opened in 1884. Its tower is 31 metres tall.';
    expect(score(`${sound} Pilgrims brought the bell from Lisbon.`)).toBeLessThan(score(sound));
  });
});
