import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findSwappedNumbers } from './swapped-numbers.ts';

const log =
  'PLAT-881 for the query, PLAT-882 to put alerts on pool saturation. R12 has the projector; R14 is the kitchen.';
const swapped = (work: string) => {
  const found = findSwappedNumbers(statementOf(work), evidenceOf(log));
  return found && `${found.claimed} for ${found.known}`;
};

describe('numbers of two things', () => {
  it.each([
    ['Follow-ups: PLAT-882 fixes the query, PLAT-881 adds alerts for pool saturation.', 'PLAT-881 for PLAT-882'],
    ['The projector is in R14 and the kitchen is R12.', 'R12 for R14'],
  ])('are swapped in “%s”', (work, expected) => {
    expect(swapped(work)).toBe(expected);
  });

  it.each([
    'Follow-ups: PLAT-881 fixes the query, PLAT-882 adds alerts for pool saturation.',
    'PLAT-882 and PLAT-881 are open.',
    'PLAT-882 is about pool saturation, PLAT-881 about something else.',
    'PLAT-882 fixes the query.',
    'PLAT-882 fixes the query, PLAT-881 is closed.',
  ])('are not in “%s”', (work) => {
    expect(swapped(work)).toBeUndefined();
  });
});
