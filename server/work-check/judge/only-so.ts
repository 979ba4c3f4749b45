import { clip } from '../quoting.ts';
import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, readQuantities } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import { tokenize } from '../reading/tokens.ts';

/** Where a source gives a field's value, and the field. */
type Place = { source: number; span: Span; value: string; column: string };

/** Why a value that stands in a source is not the field's: it is former, denied, or holds under a condition. */
export function onlySo(place: Place, index: EvidenceIndex): string | undefined {
  return former(place, index) ?? denied(place, index) ?? conditional(place, index);
}

const FORMER =
  /(?:\(|[,;] ?|^)(?:before|formerly|previously|until \d[^,;()]{0,24}|earlier|old|was)(?::| was)? (?:\p{L}+\.? ){0,2}$/iu;

const OF_THE_PAST = /\b(?:before|former\w*|previous\w*|earlier|old|prior|original\w*|last)\b/i;

/** "(before: 40)" or "previously 40". */
function former({ source, span, column }: Place, { sources }: EvidenceIndex): string | undefined {
  if (OF_THE_PAST.test(column)) return undefined;
  const text = sources[source]?.text ?? '';
  const before = FORMER.exec(text.slice(Math.max(0, span.start - 40), span.start))?.[0].replace(/^[(,; ]+/, '');
  return before === undefined
    ? undefined
    : `gives it as something of the past: “${clip(before)}${text.slice(span.start, span.end)}”.`;
}

const DENIED =
  /\b(?:(?:no|not|never|without|except|excluding|neither|nor)\s+(?:\p{L}+\s+){0,2}|not (?:to|from|at|in|for|with|by) (?:\p{L}+\s+){1,4})$/iu;
const DENYING =
  /\b(?:no|not|non|never|without|except\w*|exclu\w+|forbid\w*|banned|missing|lack\w*|unavailable|reject\w*|refus\w+|avoid\w*|un\w+able)\b/i;

/** "By transfer, no cheques" gives no cheque, unless it speaks of one elsewhere. */
function denied({ source, span, value, column }: Place, { sources }: EvidenceIndex): string | undefined {
  if (/\d/.test(value) || value.length < 3 || DENYING.test(`${column} ${value}`)) return undefined;
  const text = sources[source]?.text ?? '';
  const isDenied = (whole: string, at: number): boolean => DENIED.test(whole.slice(Math.max(0, at - 40), at));
  if (!isDenied(text, span.start)) return undefined;
  const written = text.slice(span.start, span.end).toLowerCase();
  const elsewhere = sources.some(({ text: whole }) => {
    const lower = whole.toLowerCase();
    for (let at = lower.indexOf(written); at !== -1; at = lower.indexOf(written, at + 1))
      if (!isDenied(whole, at)) return true;
    return false;
  });
  return elsewhere ? undefined : `speaks of it only to deny it: “${clip(around(text, span))}”.`;
}

const around = (text: string, { start, end }: Span): string => {
  const from = Math.max(text.lastIndexOf('\n', start) + 1, text.lastIndexOf('. ', start) + 1, start - 80);
  const ends = text.slice(end).search(/\.\s|\n|$/);
  return text.slice(from, end + Math.min(ends + 1, 80)).trim();
};

const CONDITION =
  /\b(?:from(?! \d{1,2}\.? \p{L}{3,}| \d{4}-|[^.;]*\d:\d)|below|above|over|under|up to|if|unless|more than|fewer than|less than|at least)\b/iu;

/** "EUR 46 from 40 guests, EUR 49 below that": which of two prices holds is not said by either. */
function conditional({ source, span, value }: Place, index: EvidenceIndex): string | undefined {
  const passage = index.passages.find(
    (one) => one.source === source && one.start <= span.start && one.end > span.start,
  );
  const [own] = readQuantities(tokenize(value));
  const given = passage?.quantities.find(({ start }) => start === span.start);
  if (passage === undefined || own === undefined || given?.kind !== 'money') return undefined;
  const rival = passage.quantities.find(
    ({ kind, unit, value: other }) => kind === 'money' && unit === given.unit && other !== given.value,
  );
  const text = passageText(index, passage);
  if (rival === undefined || !CONDITION.test(text)) return undefined;
  const confirmed = index.passages.some(
    (one) => one !== passage && one.quantities.some((known) => compareQuantities(given, known) === 'same'),
  );
  return confirmed
    ? undefined
    : `gives it under a condition, beside “${text.slice(rival.start - passage.start, rival.end - passage.start)}”: “${clip(text)}”.`;
}
