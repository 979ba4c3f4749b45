import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findOtherBound, findWrongRange } from './range-claims.ts';

const role = 'Senior engineer. Salary band: EUR 70,000-80,000. Storage temperature range: 2 to 8 °C.';
const wrong = (work: string) => findWrongRange(statementOf(work), evidenceOf(role))?.says;

describe('a figure placed against a range', () => {
  it.each([
    ['Her salary expectation of EUR 82,000 is within the band.', '82,000 lies above 70,000-80,000'],
    ['With EUR 75,000 her salary is above the band.', '75,000 lies within 70,000-80,000'],
    ['The temperature was 9.5 °C, inside the permitted range.', '9.5 lies above 2 to 8'],
  ])('%s is wrong', (work, says) => {
    expect(wrong(work)).toBe(says);
  });

  it.each([
    'Her salary expectation of EUR 82,000 is above the band.',
    'Her salary expectation of EUR 82,000 is EUR 2,000 above the band.',
    'Her salary expectation is EUR 2,000 above the band.',
    'A salary of EUR 78,000 is within the band.',
    'A salary of EUR 82,000 is not within the band.',
    'The temperature was 9.5 °C, outside the permitted range.',
    'The humidity of 60 percent is within the agreed range.',
  ])('%s accuses nobody', (work) => {
    expect(wrong(work)).toBeUndefined();
  });
});

const lab = 'Ferritin 11 ng/ml (15-150). Potassium 4.1 mmol/l (3.5-5.1). Store samples at 2 to 8 °C. Open 9 to 12.';
const bound = (work: string) => findOtherBound(statementOf(work), evidenceOf(lab))?.says;

describe('a range with another bound than in the evidence', () => {
  it.each([
    ['Ferritin is low (normal is 16 to 150).', 'the range is 15-150, not 16 to 150'],
    ['Keep the samples between 2 and 6 °C.', 'the range is 2 to 8, not 2 and 6'],
  ])('%s is wrong', (work, says) => {
    expect(bound(work)).toBe(says);
  });

  it.each([
    'Ferritin is low (normal is 15 to 150).',
    'The samples were 2 and 6 days old.',
    'The samples stood between 2 and 6 hours.',
    'Ferritin rose from 15 to 40.',
    'It takes 150 to 200 people.',
    'Samples come between 9 and 11 or 14 and 16.',
  ])('%s accuses nobody', (work) => {
    expect(bound(work)).toBeUndefined();
  });
});
