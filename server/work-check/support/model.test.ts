import { describe, expect, it } from 'vitest';
import { evidenceSource, indexEvidence } from '../reading/evidence-index.ts';
import { PLACE, WORDS_HELD } from './feature-list.ts';
import { readFeatures } from './features.ts';
import { supportModel, supportScore } from './model.ts';

const evidence = indexEvidence([
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
]);
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
    const padded = indexEvidence([...evidence.sources, evidenceSource(padding, 'supplied')]);
    const statement = 'The harbour board increased the toll in March.';
    expect(supportScore(readFeatures(statement, padded).features)).toBeLessThanOrEqual(score(statement));
  });

  it('falls when one sentence of several has nothing behind it', () => {
    const sound = 'The lighthouse opened in 1884. Its tower is 31 metres tall.';
    expect(score(`${sound} Pilgrims brought the bell from Lisbon.`)).toBeLessThan(score(sound));
  });

  it('is low for a statement without a word of meaning, all of whose words stand in the evidence', () => {
    expect(score('The is in of the, is the.')).toBeLessThan(0.1);
  });

  it.each([
    ['a word of grammar that the evidence holds', WORDS_HELD, 0.2],
    ['a word found through a relation', PLACE.unseen_share, 0.8],
  ])('rises with %s where no other is found', (_, feature, share) => {
    const { features } = readFeatures('Bakers knead dough at dawn.', evidence);
    const more = features.with(feature, share);
    expect(supportScore(more)).toBeGreaterThan(supportScore(features));
  });

  it('lets a fault weigh less where hardly a word is found', () => {
    /** `bias` brings the odds near even, where a share can tell them apart. */
    const lost = (text: string, bias: number): number => {
      const model = { ...supportModel, weights: supportModel.weights.map(() => 0), bias, trees: [] };
      const { features } = readFeatures(text, evidence);
      const odds = (cost: number): number => {
        const p = supportScore(features, cost, model);
        return Math.log(p / (1 - p));
      };
      return odds(0) - odds(1);
    };
    expect(lost('The tower is white.', 0)).toBeCloseTo(1);
    expect(lost('Bakers knead dough at dawn.', 180)).toBeLessThan(0.5);
  });
});
