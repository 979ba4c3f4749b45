import type { JudgedStatement } from '../assessors/port.ts';
import type { Token } from '../reading/token.ts';
import { isContent, stem, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { everydayFor, isLight } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { conceptsAsked } from './concepts.ts';

/** Words that speak about the check itself and not about its subject. */
const META = new Set(
  (
    'work answer report summary text output response product agent document statement claim fact figure number value name ' +
    'total every each all any only evidence source support ground back agree consistent match faithful accurate accuracy ' +
    'correct verify trace invent hallucinate unsupported fabricate cite citation true factual contradict criteria require ' +
    'include contain state mention list give identify describe explain provide present say show cover address note use make ' +
    'not must should exact exactly relevant key main clear complete supplied given based follow appear detail information ' +
    'item point result accord entry field record one two three four five least most quote tell read stand row column ' +
    'correctly accurately hold both right wrong reader learn know turn up work out come leave keep find hide hidden go ' +
    'unit single ought supposed need really actually anyone somebody someone ' +
    "named doesn't don't assessed listed noted flagged highlighted quantified covered mentioned " +
    'along off under over whether plainly clearly openly simply between across through together properly duly ' +
    'reported handed put brought taken set fully entire whole possible also too well than rather own beyond anything nothing'
  )
    .split(' ')
    .map(stem),
);

/** A word of a criterion's subject with what may stand for it in the work. */
export type Topic = { token: Token; weight: number; stems: ReadonlySet<string> };

/** "The reader learns …", "customers are told …": whom the work is for is no subject of it. */
const AUDIENCE = /^.{0,40}?\b(?:learns?|knows?|(?:is|are) told|can (?:tell|see)|finds? out|will know|understands)\b/i;

/** The words of a criterion that name its subject; words that only ask for a kind of answer are left out. */
export function topicOf(whole: string): Topic[] {
  return wordsOf(
    whole.replace(AUDIENCE, (found) => ' '.repeat(found.length)),
    false,
  );
}

/** The words that ask for a kind of answer and may stand in the work themselves, such as "deadline" or "fee". */
export function askedWords(whole: string): Topic[] {
  return wordsOf(whole, true);
}

function wordsOf(criterion: string, askedOnly: boolean): Topic[] {
  const asked = conceptsAsked(criterion).flatMap(({ asked: pattern }) =>
    [...criterion.matchAll(new RegExp(pattern, 'gi'))].map(
      (match) => [match.index, match.index + match[0].length] as const,
    ),
  );
  const seen = new Set<string>();
  return tokenize(criterion).flatMap((token) => {
    if (
      !isContent(token) ||
      token.kind !== 'word' ||
      META.has(token.stem) ||
      isLight(token.stem) ||
      seen.has(token.stem)
    )
      return [];
    if (asked.some(([from, to]) => token.start >= from && token.end <= to) !== askedOnly) return [];
    seen.add(token.stem);
    const entry = entryOf(token);
    const stems = new Set([
      token.stem,
      ...entry.synonyms,
      ...everydayFor(token.stem),
      ...(token.stem.length > 4 ? entry.broader : []),
    ]);
    return [{ token, weight: entry.rarity, stems }];
  });
}

/** The share of a topic's weight that a statement holds, with the heading it stands under. */
export function shareOf(topic: readonly Topic[], { tokens, under, text }: Statement): number {
  const own = new Set(tokens.map((token) => token.stem));
  for (const token of tokenize(under)) own.add(token.stem);
  // "Tasks: Lund signs …": the label before the first word says what it is about.
  for (const token of tokenize(text.slice(0, tokens[0]?.start ?? 0))) own.add(token.stem);
  let [found, total] = [0, 0];
  for (const { token, weight, stems } of topic) {
    total += weight;
    if (own.has(token.stem)) found += weight;
    else if ([...stems].some((one) => own.has(one) || hasPrefix(one, own))) found += weight * RELATED;
  }
  return total === 0 ? 0 : found / total;
}

const PREFIX = 6;
/** What a word counts that means about the same. */
const RELATED = 0.7;

function hasPrefix(wanted: string, own: ReadonlySet<string>): boolean {
  if (wanted.length < PREFIX) return false;
  const start = wanted.slice(0, PREFIX);
  for (const one of own) if (one.startsWith(start)) return true;
  return false;
}

/** From this share of a topic on a statement speaks of it. */
export const ABOUT = 0.34;
const NEAR_BEST = 0.6;

/** The statements about a topic: those that hold most of it. */
export function about(topic: readonly Topic[], judged: readonly JudgedStatement[]): JudgedStatement[] {
  if (topic.length === 0) return [];
  const shares = judged.map(({ statement }) => shareOf(topic, statement));
  const floor = Math.max(ABOUT, Math.max(0, ...shares) * NEAR_BEST);
  return judged.filter((_, at) => (shares[at] ?? 0) >= floor);
}
