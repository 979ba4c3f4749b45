import type { EvidenceSource } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';
import type { Work } from '../statements.ts';
import { leavesOf } from './form-measures.ts';

/** Words in quotation marks, and whether a source holds them. */
export type Quotation = Span & {
  words: string;
  /** Whether the text says that somebody said or wrote them; titles and words held at arm's length are not claimed. */
  claimed: boolean;
  /** Where they stand, by UTF-16 offsets; undefined when no source holds them. */
  found: { source: number; start: number; end: number } | undefined;
  /** Whether they stand in a text that is no source, such as the request. */
  given: boolean;
  /** In structured work: the field, such as `notes[2]`; the span is within its value. */
  at?: string;
};

const WORDS_MIN = 4;
const QUOTATIONS_MAX = 200;
const QUOTED =
  /(?<=^|[\s([{—–:-])"(?=\S)([^"\n]{12,800}?)(?<=\S)"(?![\p{L}\p{N}])|[“„«]\s?([^“”„«»\n]{12,800}?)\s?[”“»]/gmu;
const SAID =
  '(?:said|says?|wrote|writes?|states?|stated|quoted?|quotes|notes?|noted|replie[sd]|reply|asked|asks|explain(?:s|ed)|told|tells|adds?|added|reads?|declare[sd]|warn(?:s|ed)|announce[sd]|argue[sd]|claim(?:s|ed)|comment(?:s|ed)|remark(?:s|ed)|conclude[sd]|insist(?:s|ed)|puts? it|in (?:his|her|their|its|the) (?:own )?words|according to|verbatim|word(?:s|ing)|report(?:s|ed))';
const BEFORE = new RegExp(String.raw`(?<![\p{L}])${SAID}(?![\p{L}])[^.!?"“”\n]{0,60}$`, 'iu');
const AFTER =
  /^,?\s+(?:(?:said|says|wrote|writes|told|added|adds|replied|explained|noted|warned|remarked|commented)(?![\p{L}])|(?:he|she|they|\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}) (?:said|says|wrote|writes|added|adds|replied|explained|noted|warned|remarked|commented)(?![\p{L}]))/u;
/** `"…" (Anna Berg)`, `"…" — Anna Berg` and `"…" [S1]`. */
/** `Crane is careful: "We may open in spring."`: a whole sentence behind somebody's name and a colon. */
const INTRODUCED = /(?<![\p{L}])\p{Lu}[\p{L}'’-]+[^.!?"“”\n]{0,60}:\s*$/u;
const SENTENCE = /^\p{Lu}.*[.!?…]$/su;
const ATTRIBUTED = /^[.,]?\s{0,2}(?:[—–]\s?\p{Lu}|\[(?:S|Source )?\d{1,3}\])/u;

/**
 * The quotations of four words or more in a work, at most 200, each looked up in the sources and in what else was given.
 * One that is claimed, not found and not given is not verbatim.
 */
export function readQuotations(
  work: Work,
  sources: readonly Pick<EvidenceSource, 'text'>[],
  given: readonly string[] = [],
): Quotation[] {
  const leaves = typeof work.value === 'string' ? [{ path: undefined, value: work.value }] : leavesOf(work.value);
  const quotations: Pick<Quotation, 'start' | 'end' | 'words' | 'claimed' | 'at'>[] = [];
  for (const { path, value } of leaves) {
    if (typeof value !== 'string' || quotations.length >= QUOTATIONS_MAX) continue;
    for (const quotation of quotationsIn(value))
      quotations.push(path === undefined ? quotation : { ...quotation, at: path });
  }
  if (quotations.length === 0) return [];
  const flats = sources.map((source) => flatten(source.text));
  const others = given.map(flatten);
  return quotations.slice(0, QUOTATIONS_MAX).map((quotation) => {
    const places = flats.map((flat) => lookUp(quotation.words, flat));
    const source = places.findIndex((place) => place !== undefined);
    const place = places[source];
    return {
      ...quotation,
      found: place === undefined ? undefined : { source, ...place },
      given: others.some((other) => lookUp(quotation.words, other) !== undefined),
    };
  });
}

function quotationsIn(text: string): Pick<Quotation, 'start' | 'end' | 'words' | 'claimed'>[] {
  return [...text.matchAll(QUOTED)].flatMap((match) => {
    const words = (match[1] ?? match[2] ?? '').trim();
    if (words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length < WORDS_MIN) return [];
    const [start, end] = [match.index, match.index + match[0].length];
    return [{ start, end, words, claimed: isClaimed(text, start, end, words) }];
  });
}

function isClaimed(text: string, start: number, end: number, words: string): boolean {
  const letters = words.split(/\s+/).filter((word) => /^\p{L}{4,}/u.test(word));
  const title = letters.length > 1 && letters.every((word) => /^\p{Lu}/u.test(word));
  if (title) return false;
  const after = text.slice(end, end + 60);
  const before = text.slice(Math.max(0, start - 100), start);
  if (SENTENCE.test(words) && INTRODUCED.test(before)) return true;
  return BEFORE.test(before) || AFTER.test(after) || ATTRIBUTED.test(after);
}

/** A text without case, typography and uneven blanks; `places` are the UTF-16 offsets of its characters. */
type Flat = { text: string; places: Int32Array };

const PLAIN: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
  '−': '-',
  '…': '...',
};
/** Marks of emphasis, soft hyphens and spaces without width. */
const DROPPED = '*_`\u00AD\u200B';
const [SPACE, LONGEST] = [32, 3];

function flatten(text: string): Flat {
  const codes = new Uint16Array(text.length * LONGEST);
  const places = new Int32Array(text.length * LONGEST);
  let length = 0;
  const put = (code: number, at: number): void => {
    codes[length] = code;
    places[length] = at;
    length += 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) put(code, at);
    else if (code >= 65 && code <= 90) put(code + 32, at);
    else if (isSpace(code, text, at)) {
      if (length > 0 && codes[length - 1] !== SPACE) put(SPACE, at);
    } else for (const one of plainOf(text[at] ?? '', code)) put(one.charCodeAt(0), at);
  }
  return { text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), places };
}

/** What stands for a character that is neither a letter of English, a digit nor a space. */
function plainOf(char: string, code: number): string {
  if (DROPPED.includes(char)) return '';
  const lower = code < 128 ? char : char.toLowerCase();
  return PLAIN[char] ?? (lower.length === 1 ? lower : char);
}

const isSpace = (code: number, text: string, at: number): boolean =>
  code <= SPACE || code === 160 || (code > 5_000 && /\s/.test(text[at] ?? ''));

/** Where words stand, parts between omission marks and insertions in brackets one after the other. */
function lookUp(words: string, flat: Flat): Span | undefined {
  const parts = flatten(words)
    .text.replaceAll(/\[(\p{L})\](?=\p{L})/gu, '$1')
    .split(/\s*(?:\[?\.{3,}\]?|\[[^\]]{0,80}\])\s*/)
    .map((part) => part.replaceAll(/^[\s.,;:!?'"]+|[\s.,;:!?'"]+$/g, ''))
    .filter((part) => part !== '');
  let from = 0;
  let start: number | undefined;
  for (const part of parts) {
    const at = wholeIndexOf(flat.text, part, from);
    if (at === -1) return undefined;
    start ??= at;
    from = at + part.length;
  }
  if (start === undefined) return undefined;
  return { start: flat.places[start] ?? 0, end: (flat.places[from - 1] ?? 0) + 1 };
}

const LETTER = /[\p{L}\p{N}]/u;

function wholeIndexOf(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at !== -1; at = text.indexOf(part, at + 1))
    if (!LETTER.test(text[at - 1] ?? '') && !LETTER.test(text[at + part.length] ?? '')) return at;
  return -1;
}
