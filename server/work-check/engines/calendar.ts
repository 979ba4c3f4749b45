import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';

/** A weekday written beside a date that falls on another day; the year may be that of the evidence's dates alone. */
export type WrongWeekday = { written: string; date: string; falls_on: string; year: 'own' | 'evidence' };

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const BEFORE = /\b(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day,?\s+(?:the\s+)?$/i;

/** The weekday that stands before a date, where it is another than the calendar's. */
export function findWrongWeekday({ text, quantities }: Statement, index: EvidenceIndex): WrongWeekday | undefined {
  for (const figure of quantities) {
    if (figure.kind !== 'date' || figure.month === undefined || figure.day === undefined) continue;
    const written = BEFORE.exec(text.slice(0, figure.start))?.[1];
    const year = figure.year ?? onlyYear(index);
    if (written === undefined || year === undefined) continue;
    const falls_on = WEEKDAYS[new Date(Date.UTC(year, figure.month - 1, figure.day)).getUTCDay()];
    if (falls_on === undefined || falls_on.toLowerCase().startsWith(written.toLowerCase())) continue;
    return {
      written: `${written}day`,
      date: text.slice(figure.start, figure.end),
      falls_on,
      year: figure.year === undefined ? 'evidence' : 'own',
    };
  }
  return undefined;
}

/** The year of all the evidence's dates, when they name only one. */
function onlyYear({ passages, labels }: EvidenceIndex): number | undefined {
  const years = new Set(
    [...passages.flatMap(({ quantities }) => quantities), ...labels].flatMap(({ kind, year }) =>
      kind === 'date' && year !== undefined ? [year] : [],
    ),
  );
  const [year, ...others] = years;
  return others.length === 0 ? year : undefined;
}
