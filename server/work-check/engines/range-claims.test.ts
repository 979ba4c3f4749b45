import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findWrongRange } from './range-claims.ts';

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
