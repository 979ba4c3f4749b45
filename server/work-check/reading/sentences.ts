/** A stretch of text by UTF-16 offsets. */
export type Span = { start: number; end: number };

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof st sr jr vs etc inc ltd co corp dept est fig no nos vol al e.g i.e eg ie approx a.m p.m u.s u.k jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);

/** A sentence longer than this is cut, so that no later step meets an unbounded one. */
const SENTENCE_CHARS_MAX = 1_200;

/**
 * Splits a text into sentences: at `.`, `!` or `?` followed by space and no lower-case letter, at line ends, and never
 * after an abbreviation or an initial. Spans are trimmed and never empty.
 */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  let lineStart = 0;
  while (lineStart <= text.length) {
    let lineEnd = text.indexOf('\n', lineStart);
    if (lineEnd === -1) lineEnd = text.length;
    splitLine(text, lineStart, lineEnd, spans);
    lineStart = lineEnd + 1;
  }
  return spans;
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
    } else if (at - start >= SENTENCE_CHARS_MAX && /\s/.test(text[at] ?? '')) {
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
  if (text[at] !== '.') return true;
  const before = /([\p{L}.]+)$/u.exec(text.slice(Math.max(start, at - 12), at))?.[1] ?? '';
  if (/^\p{Lu}$/u.test(before)) return false;
  return !ABBREVIATIONS.has(before.toLowerCase());
}

function push(text: string, start: number, end: number, spans: Span[]): void {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] ?? '')) from += 1;
  while (to > from && /\s/.test(text[to - 1] ?? '')) to -= 1;
  // A lone list mark or rule is no sentence.
  if (to > from && /[\p{L}\d]/u.test(text.slice(from, to))) spans.push({ start: from, end: to });
}
