import { describe, expect, it } from 'vitest';
import { evidenceOf, type Given, statementOf } from '../material-trial.ts';
import { dateFrom, findWrongWeekday, zonedFrom } from './calendar.ts';

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

describe('a date that follows from another', () => {
  function from(work: string, ...evidence: readonly Given[]): string | undefined {
    const statement = statementOf(work);
    const claimed = statement.quantities.find(({ kind }) => kind === 'date');
    return claimed === undefined ? undefined : dateFrom(claimed, statement, evidenceOf(...evidence))?.says;
  }

  it.each([
    [
      'It can be used until 18 February 2026.',
      'Issued on 19 January 2026, valid for 30 days.',
      '19 January 2026 and 30 days is 2026-02-18',
    ],
    [
      'The notice ends on 18 February 2026.',
      'The notice of 4 weeks began on 21 January 2026.',
      '21 January 2026 and 4 weeks is 2026-02-18',
    ],
    [
      'The motor is covered until 8 May 2027.',
      'Bought on 8 May 2024. Motor: 3 years.',
      '8 May 2024 and 3 years is 2027-05-08',
    ],
    [
      'Reply by 1 March 2024.',
      'The hearing is on 2 March 2024, a reply is due 1 day before.',
      '2 March 2024 less 1 day is 2024-03-01',
    ],
  ])('%s', (work, evidence, says) => {
    expect(from(work, evidence)).toBe(says);
  });

  it.each([
    ['It can be used until 19 February 2026.', 'Issued on 19 January 2026, valid for 30 days.'],
    ['It ends in February 2026.', 'Issued on 19 January 2026, valid for 30 days.'],
    ['It can be used until 18 February 2027.', 'Issued on 19 January 2026, valid for 30 days.'],
    ['It can be used until 18 February 2026.', 'Issued on 19 January 2026 to 30 customers.'],
  ])('%s does not (%s)', (work, evidence) => {
    expect(from(work, evidence)).toBeUndefined();
  });

  it.each([
    ['31 January 2026 and 1 month', 'The rent is due on 3 March 2026.', 'It began on 31 January 2026 for 1 month.'],
    ['29 February 2024 and 1 year', 'The lease ends on 1 March 2025.', 'It began on 29 February 2024 for 1 year.'],
  ])('is not found past the end of a shorter month: %s', (_, work, evidence) => {
    expect(from(work, evidence)).toBeUndefined();
  });
});

describe('a time in UTC', () => {
  function zoned(work: string, source: string, text: string): string | undefined {
    const [claimed] = statementOf(work).quantities.filter(({ kind }) => kind === 'time');
    return claimed === undefined ? undefined : zonedFrom(claimed, [0], evidenceOf({ source, text }))?.says;
  }

  it.each([
    [
      'The outage began at 12:15.',
      'Chat (local time, UTC+2)',
      'At 14:15 the outage began.',
      '14:15 at UTC+2 is 12:15 UTC',
    ],
    ['The outage began at 19:15.', 'Chat (UTC-5)', 'At 14:15 the outage began.', '14:15 at UTC-5 is 19:15 UTC'],
    ['The outage began at 23:30.', 'Chat (UTC+2)', 'At 1:30 the outage began.', '1:30 at UTC+2 is 23:30 UTC'],
    ['The outage began at 1:30.', 'Chat (UTC−3)', 'At 22:30 the outage began.', '22:30 at UTC−3 is 1:30 UTC'],
  ])('%s follows from a source that names its zone: %s', (work, source, text, says) => {
    expect(zoned(work, source, text)).toBe(says);
  });

  it.each([
    ['The outage began at 12:45.', 'Chat (UTC+2)', 'At 14:15 the outage began.'],
    ['The outage began at 12:15.', 'Chat', 'At 14:15 the outage began.'],
    ['The outage began at 12:15.', 'Chat (UTC+2)', 'The outage began.'],
  ])('%s does not (%s: %s)', (work, source, text) => {
    expect(zoned(work, source, text)).toBeUndefined();
  });
});
