import { describe, expect, it } from 'vitest';
import { evidenceOf, type Given, statementOf } from '../material-trial.ts';
import { findWrongWeekday } from './calendar.ts';

describe('a weekday beside a date', () => {
  const weekday = (work: string, evidence: Given) =>
    findWrongWeekday(statementOf(work), evidenceOf(evidence))?.falls_on;

  it.each([
    ['The meeting is on Monday, 21 April 2026.', 'A text.', 'Tuesday'],
    ['We meet on Wednesday 21 April.', 'Agenda sent on 14 April 2026.', 'Tuesday'],
    ['The office closes on Sunday, 29 February 2028.', 'A text.', 'Tuesday'],
  ])('%s is wrong', (work, evidence, falls_on) => {
    expect(weekday(work, evidence)).toBe(falls_on);
  });

  it.each([
    ['The meeting is on Tuesday, 21 April 2026.', 'A text.'],
    ['We meet on Monday 21 April.', 'A text without any year.'],
    ['We meet on Monday 21 April.', 'Agenda of 14 April 2026, minutes of 17 March 2025.'],
    ['Mondays are quiet; 21 April 2026 was busy.', 'A text.'],
    ['The report of Monday covers 21 April 2026.', 'A text.'],
    ['We met on Monday 4 times.', 'A text.'],
  ])('%s (%s) is left alone', (work, evidence) => {
    expect(weekday(work, evidence)).toBeUndefined();
  });
});
