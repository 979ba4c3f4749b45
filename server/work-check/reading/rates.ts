import type { Quantity } from './quantities.ts';

const PER = /^\s?(?:\/\s?|per\s|an?\s|each\s|every\s|p\.?\s?(?=a\b))\s*(\p{L}+)/iu;

/** What a figure is counted per, as it is written right behind it: "month" of "9.90 EUR/month" or "9.90 EUR a month". */
function rateOf({ text, figure, offset = 0 }: Placed): string {
  const end = figure.end - offset;
  const word = PER.exec(text.slice(end, end + RATE_CHARS_MAX))?.[1]?.toLowerCase() ?? '';
  return word.replace(/s$/, '');
}

/** A figure, and the text that it stands in; `offset` is where that text begins in what the figure's places count in. */
type Placed = { text: string; figure: Pick<Quantity, 'kind' | 'value' | 'start' | 'end'>; offset?: number };

const RATE_CHARS_MAX = 40;
/** A figure with a rate and one without are of one thing only when they are about as large. */
const WITHOUT_RATE_MAX = 3;
/** Sums of money this far apart are of two things: a fee of a month and the cost of years. */
const MONEY_APART_MAX = 20;

const COMPARED_AFTER =
  /^\s?(?:[\p{L}€$£%]+\s){0,4}(?:cheaper|dearer|more|less|fewer|higher|lower|longer|shorter|earlier|later|ahead|behind|short|extra|left|remaining|to spare|too (?:much|many|high|low|large|small|long|short|little|few|expensive))\b/iu;
const COMPARED_BEFORE =
  /\b(?:differen\w+|saving\w*|saves?|gap|remain\w*|balance|left|shortfall|surplus|extra|additional)\b[^.;,]{0,24}$/i;

/** Whether a figure says how far two others lie apart, or what is left of one: "7.60 EUR cheaper", "9.5 days left". */
function isCompared({ text, figure, offset = 0 }: Placed): boolean {
  const [start, end] = [figure.start - offset, figure.end - offset];
  return (
    COMPARED_AFTER.test(text.slice(end, end + RATE_CHARS_MAX)) ||
    COMPARED_BEFORE.test(text.slice(Math.max(0, start - RATE_CHARS_MAX), start))
  );
}

/**
 * Whether two figures of one kind can be of one thing, by what they are counted per, what they say and how far they lie
 * apart: 1,066.40 EUR a year is no other value for 9.90 EUR/month.
 */
export function ofOneRate(own: Placed, known: Placed): boolean {
  if (isCompared(own) !== isCompared(known)) return false;
  const sizes = [own.figure.value, known.figure.value].map((value) => Math.max(Math.abs(value), 1e-9));
  const ratio = Math.max(...sizes) / Math.min(...sizes);
  if (own.figure.kind === 'money' && ratio >= MONEY_APART_MAX) return false;
  const [mine, theirs] = [rateOf(own), rateOf(known)];
  if (mine === theirs) return true;
  return (mine === '' || theirs === '') && ratio < WITHOUT_RATE_MAX;
}
