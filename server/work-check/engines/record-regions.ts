import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { entryOf } from '../support/lexicon.ts';

/** A stretch of one source that speaks of one record. */
export type Region = Span & { source: number };

const REGION_CHARS_MAX = 900;
/** Records beside one that may end its stretch; more of them are passed over. */
const SIBLINGS_MAX = 200;

/** All of the evidence, for what belongs to no named record. */
export function wholeSources({ sources }: EvidenceIndex): Region[] {
  return sources.map(({ text }, source) => ({ source, start: 0, end: text.length }));
}

/** Stretches that begin where the record is named and end where another one is, or at the end of a paragraph. */
export function regionsNaming(identity: string, siblings: readonly string[], index: EvidenceIndex): Region[] {
  const regions: Region[] = [];
  for (const [source, { text, source: name }] of index.sources.entries()) {
    if (holdsWords(name, identity)) {
      regions.push({ source, start: 0, end: text.length });
      continue;
    }
    const others = [...new Set(siblings)]
      .slice(0, SIBLINGS_MAX)
      .filter((other) => other !== identity)
      .flatMap((other) => mentions(source, other, index));
    for (const start of mentions(source, identity, index)) {
      const next = Math.min(...others.filter((at) => at > start), start + REGION_CHARS_MAX, text.length);
      // "On 9 May the Night run starts": what opens the sentence of the next record is no longer said of this one.
      const opening = others.includes(next) ? sentenceStart(text, next) : next;
      const line = text.lastIndexOf('\n', start - 1) + 1;
      const opens = (from: number): boolean => others.every((at) => at < from || at > start);
      const own = opens(line) ? line : sentenceStart(text, start);
      regions.push({ source, start: opens(own) ? own : start, end: opening > start ? opening : next });
    }
  }
  return regions.sort(
    (a, b) => Number(a.end - a.start > REGION_CHARS_MAX) - Number(b.end - b.start > REGION_CHARS_MAX),
  );
}

function sentenceStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - REGION_CHARS_MAX), at);
  const ends = [...before.matchAll(/[.!?;]\s+(?=\p{Lu})|\n/gu)].at(-1);
  return ends === undefined ? Math.max(0, at - REGION_CHARS_MAX) : at - before.length + ends.index + ends[0].length;
}

function holdsWords(text: string, words: string): boolean {
  const held = new Set(tokenize(text).map(({ stem }) => stem));
  const wanted = tokenize(words).filter(isContent);
  return wanted.length > 0 && wanted.every(({ stem }) => held.has(stem));
}

const mentioned = new WeakMap<EvidenceIndex, Map<string, number[]>>();

/** Where a name stands in a source: as it is written, else by its most telling word. Looked up once for all records. */
function mentions(source: number, name: string, index: EvidenceIndex): number[] {
  let known = mentioned.get(index);
  if (known === undefined) {
    known = new Map();
    mentioned.set(index, known);
  }
  const key = `${source}:${name}`;
  let found = known.get(key);
  if (found === undefined) {
    found = findMentions(source, name, index);
    known.set(key, found);
  }
  return found;
}

const MENTIONS_MAX = 20;

function findMentions(source: number, name: string, index: EvidenceIndex): number[] {
  const { lower, tokens } = readRegion({ source, start: 0, end: index.sources[source]?.text.length ?? 0 }, index);
  const found: number[] = [];
  const wanted = name.toLowerCase().trim();
  for (
    let at = lower.indexOf(wanted);
    at !== -1 && found.length < MENTIONS_MAX;
    at = lower.indexOf(wanted, at + wanted.length)
  )
    if (isWhole(lower, at, at + wanted.length)) found.push(at);
  if (found.length > 0) return found;
  const words = tokenize(name).filter((token) => isContent(token) && token.kind === 'word');
  const first = [...words].sort((a, b) => entryOf(b).rarity - entryOf(a).rarity)[0];
  const stems = new Set([first?.stem, words[0]?.stem]);
  for (const token of tokens) {
    if (found.length >= MENTIONS_MAX) break;
    if (stems.has(token.stem)) found.push(token.start);
  }
  return found;
}

/** Whether what stands from `start` to `end` is no part of a longer word or figure. */
export const isWhole = (text: string, start: number, end: number): boolean =>
  !/[\p{L}\d]/u.test(text[start - 1] ?? ' ') && !/[\p{L}\d]/u.test(text[end] ?? ' ');

type RegionReading = { tokens: Token[]; quantities: Quantity[]; held: Map<string, Token>; lower: string };
const readings = new WeakMap<EvidenceIndex, Map<string, RegionReading>>();

/** What a stretch holds, read once: the fields of a record ask for the same stretches again and again. */
export function readRegion({ source, start, end }: Region, index: EvidenceIndex): RegionReading {
  let known = readings.get(index);
  if (known === undefined) {
    known = new Map();
    readings.set(index, known);
  }
  const key = `${source}:${start}:${end}`;
  let reading = known.get(key);
  if (reading === undefined) {
    const text = index.sources[source]?.text.slice(start, end) ?? '';
    const tokens = tokenize(text, start);
    reading = {
      tokens,
      quantities: readQuantities(tokens),
      held: new Map(tokens.map((token) => [token.stem, token])),
      lower: text.toLowerCase(),
    };
    known.set(key, reading);
  }
  return reading;
}
