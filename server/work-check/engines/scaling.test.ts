import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../material-trial.ts';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { readWork } from '../statements.ts';
import { factorsIn, scaledFrom } from './scaling.ts';

const recipe = evidenceOf('Flour 400 g.', 'Scale yeast by half of the factor.');
const factors = (work: string) => factorsIn(readWork(work), recipe);

function scaled(claimed: string, by: readonly number[]): string | undefined {
  const [figure] = readQuantities(tokenize(claimed));
  return figure === undefined ? undefined : scaledFrom(figure, [0], recipe, by)?.says;
}

describe('figures that a work scales', () => {
  it.each([
    ['All amounts are multiplied by 3.', [3, 1.5]],
    ['Scaled by 2.5.', [2.5, 1.25]],
    ['The factor is 4 for the party.', []],
    ['Factor: 4.', [4, 2]],
    ['It rained 4 times.', []],
    ['Scaled by 1.', []],
  ])('%s has the factors %j', (work, expected) => {
    expect(factors(work)).toEqual(expected);
  });

  it.each([
    ['1200 g', '400 × 3 = 1,200'],
    ['1.2 kg', '400 × 3 = 1,200 gram, which is 1.2 kilogram'],
  ])('%s follows from the evidence by the factor', (claimed, says) => {
    expect(scaled(claimed, [3])).toBe(says);
  });

  it.each(['1300 g', '1200 ml', '1200 eggs', '12:00', '4 May 2026'])('%s does not', (claimed) => {
    expect(scaled(claimed, [3])).toBeUndefined();
  });

  it('needs a declared factor', () => {
    expect(scaled('1200 g', [])).toBeUndefined();
  });
});
