/** A stretch of text by UTF-16 offsets. */
export type Span = { start: number; end: number };

/** Never the last word of a sentence. */
const TITLES = new Set(
  'mr mrs ms dr prof st sr jr fig no nos nr vol e.g i.e eg ie approx vs al est dept cf ca mwst ust zzgl inkl exkl bzw'.split(
    ' ',
  ),
);
/** May be the last word of a sentence: it is one when the next word opens a sentence. */
const ABBREVIATIONS = new Set(
  'etc inc ltd co corp a.m p.m u.s u.k e.u jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
);
/** Words that open a sentence when they stand with a capital after an abbreviation or an initial. */
const OPENERS = new Set(
  (
    'the a an it its this that these those there here we they he she i you our their his her your in on at for from by ' +
    'with to if when while after before since because although though as but and or so yet however then thus also no not ' +
    'all both each every some most many one two three what which who why how where nobody nothing none please'
  ).split(' '),
);
const MONTH = /^(?:Jan|Feb|M[aä]r|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|De[cz])/u;

/** A sentence longer than this is cut, so that no later step meets an unbounded one. */
const SENTENCE_CHARS_MAX = 1_200;

/** At a space, or somewhat later anywhere: a text without spaces is no single word. */
const isTooLong = (length: number, mark: string): boolean =>
  length >= SENTENCE_CHARS_MAX &&
  (/\s/.test(mark) || (length >= SENTENCE_CHARS_MAX * 1.25 && !/[\uDC00-\uDFFF]/.test(mark)));

/**
 * Splits a text into sentences: at `.`, `!` or `?` followed by space and no lower-case letter, and at line ends unless the
 * line is wrapped. A list number, an ordinal before a month, a title or an initial ends nothing. Spans are trimmed and
 * never empty.
 */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  let lineStart = 0;
  while (lineStart <= text.length) {
    let lineEnd = endOfLine(text, lineStart);
    while (lineEnd < text.length && isWrapped(text, lineStart, lineEnd)) lineEnd = endOfLine(text, lineEnd + 1);
    splitLine(text, lineStart, lineEnd, spans);
    lineStart = lineEnd + 1;
  }
  return spans;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Shorter lines are lines of their own: headings, entries of a list, records of a log. */
const WRAPPED_CHARS_MIN = 40;

/** Whether the line that ends here goes on in the next one, which then begins with a small letter. */
function isWrapped(text: string, from: number, end: number): boolean {
  const lastBreak = text.lastIndexOf('\n', end - 1);
  if (end - Math.max(from, lastBreak + 1) < WRAPPED_CHARS_MIN) return false;
  if (/[.!?:;|]/.test(text[text[end - 1] === '\r' ? end - 2 : end - 1] ?? '')) return false;
  return /\p{Ll}/u.test(text[end + 1] ?? '');
}

const [STOP, EXCLAMATION, QUESTION] = [46, 33, 63];

function splitLine(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if ((code === STOP || code === EXCLAMATION || code === QUESTION) && endsSentence(text, start, at, to)) {
      let end = at + 1;
      while (end < to && /["'”’)\]]/.test(text[end] ?? '')) end += 1;
      push(text, start, end, spans);
      start = end;
      at = end - 1;
    } else if (isTooLong(at - start, text[at] ?? '')) {
      push(text, start, at, spans);
      start = at;
    }
  }
  push(text, start, to, spans);
}

function endsSentence(text: string, start: number, at: number, to: number): boolean {
  let next = at + 1;
  while (next < to && /["'”’)\]]/.test(text[next] ?? '')) next += 1;
  if (next >= to) return true;
  if (!/\s/.test(text[next] ?? '')) return false;
  while (next < to && /\s/.test(text[next] ?? '')) next += 1;
  if (/\p{Ll}/u.test(text[next] ?? '')) return false;
  return text[at] !== '.' || stopEndsSentence(text, start, at, next);
}

/** Whether a full stop at `at` ends the sentence that began at `start`, when the next word begins at `next`. */
function stopEndsSentence(text: string, start: number, at: number, next: number): boolean {
  const before = /([\p{L}\p{N}.]+)$/u.exec(text.slice(Math.max(start, at - 12), at))?.[1] ?? '';
  if (/^\d{1,3}$/.test(before)) {
    // "1. Check the figures" at the start of a line, and "3. Mai".
    const opensLine = text.slice(start, at).trim() === before;
    return !opensLine && !MONTH.test(text.slice(next, next + 4));
  }
  // "03.05. Fever since three days"
  if (/^\d{1,2}\.\d{2}$/.test(before) && text.slice(start, at).trim() === before) return false;
  const lower = before.toLowerCase();
  if (TITLES.has(lower)) return false;
  if (!/^\p{Lu}$/u.test(before) && !ABBREVIATIONS.has(lower)) return true;
  return OPENERS.has(/^\p{L}+/u.exec(text.slice(next, next + 12))?.[0].toLowerCase() ?? '');
}

function push(text: string, start: number, end: number, spans: Span[]): void {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] ?? '')) from += 1;
  while (to > from && /\s/.test(text[to - 1] ?? '')) to -= 1;
  // A lone list mark or rule is no sentence.
  if (to > from && /[\p{L}\d]/u.test(text.slice(from, to))) spans.push({ start: from, end: to });
}
