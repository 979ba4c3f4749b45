import { recalculate } from '../engines/arithmetic.ts';
import { findWrongWeekday, type WrongWeekday } from '../engines/calendar.ts';
import { comparisonIn } from '../engines/comparison.ts';
import { findWrongDuration } from '../engines/durations.ts';
import type { Statement } from '../statements.ts';
import { type Ground, type Judgement, where } from './ground.ts';

/** What a statement's own words and figures show to be wrong. */

/** The figures that the statement itself works out, worked out again. */
export function judgeArithmetic(statement: Statement): Judgement | undefined {
  const broken = recalculate(statement).find(({ holds }) => !holds);
  if (broken === undefined) return undefined;
  const text = statement.text.slice(broken.claimed.start, broken.claimed.end);
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}, but ${broken.says}, not ${text}.`,
    passages: [],
    compared: { claimed: text, known: broken.says },
    computed: broken.says,
  };
}

/** A day of the week that its date does not fall on, in the year that stands beside it or in that of the evidence. */
export function judgeWeekday(
  statement: Statement,
  { index }: Ground,
  year: WrongWeekday['year'],
): Judgement | undefined {
  const day = findWrongWeekday(statement, index);
  if (day?.year === year)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${day.date} falls on a ${day.falls_on}, not on a ${day.written}.`,
      passages: [],
      compared: { claimed: day.written, known: day.falls_on },
    };
  return undefined;
}

/** A length of time that its two ends do not give. */
export function judgeDuration(statement: Statement): Judgement | undefined {
  const lasts = findWrongDuration(statement.text, statement.quantities);
  if (lasts !== undefined)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${lasts.says}, not ${lasts.claimed}.`,
      passages: [],
      compared: { claimed: lasts.claimed, known: lasts.says },
      computed: lasts.says,
    };
  return undefined;
}

/** A comparison that the statement's own figures refute. */
export function judgeComparison(statement: Statement): Judgement | undefined {
  const compared = comparisonIn(statement);
  if (compared?.holds === false)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${compared.says}.`,
      passages: [],
      compared: { claimed: compared.word, known: compared.says },
    };
  return undefined;
}
