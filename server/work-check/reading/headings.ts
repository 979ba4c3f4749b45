import type { Quantity } from './quantity.ts';
import type { Span } from './sentences.ts';

const MARKED_HEADING = /^#{1,6}\s|^(?:\*\*|__)[^*_]+(?:\*\*|__):?$/;
const HEADING_WORDS_MAX = 12;
/** A line of its own this short says nothing by itself, unless it holds a figure. */
const BARE_LINE_WORDS = 6;

/** Whether a line is a heading: marked as one, or a short line of its own without a full stop. Headings state nothing. */
export function isHeading(raw: string, whole: string, { start, end }: Span, figures: readonly Quantity[]): boolean {
  if (MARKED_HEADING.test(raw)) return true;
  const alone = /(?:^|\n)[ \t]*$/.test(whole.slice(0, start)) && /^[ \t\r]*(?:\n|$)/.test(whole.slice(end));
  if (!alone || /[.!?;]["'”’)]*$/.test(raw)) return false;
  const words = raw.split(/\s+/).length;
  const opens = whole.slice(0, start).trim() === '';
  const apart = opens || /^[ \t\r]*\n[ \t\r]*(?:\n|$)/.test(whole.slice(end));
  // The title may number what it is about ("Clause 11", "Release 5.2.0"), but a title with a result states it.
  const states = figures.some(({ kind }) => kind === 'percent' || kind === 'money') || /\d,\d{3}/.test(raw);
  if (states || words > HEADING_WORDS_MAX) return false;
  const counts = figures.some(({ kind }) => kind !== 'date' && kind !== 'time');
  if (opens) return true;
  return !counts && (figures.length === 0 ? words <= BARE_LINE_WORDS || apart : false);
}
