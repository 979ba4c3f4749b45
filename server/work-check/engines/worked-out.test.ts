import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { workedOut } from './worked-out.ts';

const result =
  '[{"name": "Dresden", "amount_minor": 1284350, "n": 412}, {"name": "Graz", "amount_minor": 958020, "n": 377}]';
const offer = 'We have 34 single rooms at 118.00 EUR for two nights. The basic fee is 11.90 EUR.';

function says(work: string, evidence: string): string | undefined {
  const statement = statementOf(work);
  const [figure] = statement.quantities;
  if (figure === undefined) throw new Error(`No figure in ${work}`);
  return workedOut(figure, work.slice(figure.start, figure.end), [], [], evidenceOf(evidence))?.says;
}

describe('a figure that others give without a word for it', () => {
  it.each([
    ['Dresden had 12,843.50 euros.', result, '1,284,350 under “amount_minor” is 12,843.5 in whole units'],
    [
      'The refunds were 22,423.70 euros.',
      result,
      'the 2 figures under “amount_minor” come to 2,242,370, which is 22,423.7 in whole units',
    ],
    ['The rooms cost 4,012 euros.', offer, '34 single × 118.00 EUR = 4,012'],
    ['The rooms cost 8,024 euros.', offer, '34 single × 118.00 EUR × two nights = 8,024'],
  ])('is worked out: %s', (work, evidence, expected) => {
    const found = says(work, evidence);
    expect(
      found
        ?.replaceAll(/34 \w+/g, '34 single')
        .replaceAll(/two \w+/g, 'two nights')
        .replaceAll(/(?<=34) single|(?<=two) nights/g, ''),
    ).toBe(expected.replaceAll(/(?<=34) single|(?<=two) nights/g, ''));
  });

  it.each([
    ['in other units', 'Dresden had 1,284,350 euros.', result],
    ['with another digit', 'Dresden had 12,843.60 euros.', result],
    ['of few digits', 'There were 789 refunds.', result],
    ['that nothing gives', 'The rooms cost 8,042 euros.', offer],
  ])('is not worked out %s', (_, work, evidence) => {
    expect(says(work, evidence)).toBeUndefined();
  });
});
