import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import type { Statement } from '../statements.ts';
import { sharedWith } from './slots.ts';

/** A numbered section of a source: "7.4 Reduced hours for care: …", with everything up to the next number. */
type Section = { number: string; start: number; end: number };

type Numbered = { source: number; sections: readonly Section[] };

/** A place where a statement cites a section by its number: "section 7.4", "[Handbook 7.4]". */
export type SectionReference = { start: number; end: number; words: string; name: string; number: string };

const HEAD =
  /^[ \t]*(?:#{1,6}[ \t]+)?(?:\*\*)?(?:(?:§+|section|sec\.|clause|article|art\.|rule|paragraph)[ \t]*)?(\d{1,3}(?:\.\d{1,3}){0,3})[.):]?[ \t]+(?=["“'(*]{0,2}\p{L})(?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)/gimu;
const SECTIONS_MIN = 3;

const PARTS = /\d+/g;
const order = (one: string, other: string): number => {
  const [a, b] = [one, other].map((number) => (number.match(PARTS) ?? []).map(Number));
  for (let at = 0; at < Math.max(a?.length ?? 0, b?.length ?? 0); at += 1) {
    const difference = (a?.[at] ?? -1) - (b?.[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
};

const known = new WeakMap<EvidenceIndex, Numbered[]>();

/** The sources whose sections are numbered: three numbers or more that open a line, each greater than the one before. */
function numberedSources(index: EvidenceIndex): Numbered[] {
  const made = known.get(index);
  if (made !== undefined) return made;
  const found = index.sources.flatMap(({ text }, source) => {
    const heads = [...text.matchAll(HEAD)].map(({ index: start, 1: number = '' }) => ({ number, start }));
    const rising = heads.every(({ number }, at) => at === 0 || order(heads[at - 1]?.number ?? '', number) < 0);
    if (heads.length < SECTIONS_MIN || !rising) return [];
    const sections = heads.map(({ number, start }, at) => {
      const next = heads.slice(at + 1).find((other) => !other.number.startsWith(`${number}.`));
      return { number, start, end: next?.start ?? text.length };
    });
    return [{ source, sections }];
  });
  known.set(index, found);
  return found;
}

const WORDED =
  /(?:§+|\b(?:sections?|sec\.|clauses?|articles?|art\.|rules?|paragraphs?|para\.))\s*(\d{1,3}(?:\.\d{1,3}){0,3})(?:\s+(?:of|in)\s+(?:the\s+|our\s+)?((?:[\p{L}-]+\s?){1,4}))?/giu;
const BRACKETED =
  /[[(](\p{L}[^[\]()\d]{1,60}?),?\s+(?:(?:section|clause|article|no\.|§)\s*)?(\d{1,3}(?:\.\d{1,3}){0,3})[\])]/gu;

const PART_NAME = /^(?:sections?|sec\.|clauses?|articles?|art\.|rules?|paragraphs?|para\.|§+|under)$/i;

const references = new WeakMap<Pick<Statement, 'text'>, SectionReference[]>();

/** The sections that a statement cites by number. */
export function sectionReferences(statement: Pick<Statement, 'text'>): SectionReference[] {
  const read = references.get(statement);
  if (read !== undefined) return read;
  const { text } = statement;
  const found = [
    ...[...text.matchAll(BRACKETED)].map((match) => ({ match, name: match[1] ?? '', number: match[2] ?? '' })),
    ...[...text.matchAll(WORDED)].map((match) => ({ match, name: match[2] ?? '', number: match[1] ?? '' })),
  ].map(({ match, name, number }) => {
    const end = match.index + match[0].indexOf(number, name === match[1] ? name.length : 0) + number.length;
    const words = match[0].replace(/^[[(]|[\])]$/g, '').trim();
    return { start: match.index, end, words, name: name.replace(PART_NAME, '').trim(), number };
  });
  return found.filter(
    ({ start }, at) => !found.slice(0, at).some((other) => start >= other.start && start < other.end),
  );
}

const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 3 && !/^(?:section|clause|article|rule|paragraph|under|with)s?$/.test(word));

/** The numbered sources that a reference may mean: those whose name shares a word with it, all where it names none. */
function meantBy({ name }: SectionReference, index: EvidenceIndex): Numbered[] {
  const numbered = numberedSources(index);
  const words = wordsOf(name);
  const named = numbered.filter(({ source }) => {
    const title = wordsOf(index.sources[source]?.source ?? '');
    return words.some((word) => title.some((other) => other.startsWith(word) || word.startsWith(other)));
  });
  return named.length > 0 || words.length > 0 ? named : numbered;
}

const depth = (number: string): number => number.split('.').length;

/**
 * The passage that opens the section whose number a figure is: -1 where no section bears it, undefined where the figure
 * is no reference to a numbered source.
 */
export function sectionOf(
  statement: Statement,
  { start, end }: Pick<Statement['quantities'][number], 'start' | 'end'>,
  index: EvidenceIndex,
): number | undefined {
  if (numberedSources(index).length === 0) return undefined;
  const reference = sectionReferences(statement).find((one) => start >= one.start && end <= one.end + 1);
  const meant = reference === undefined ? [] : meantBy(reference, index);
  if (reference === undefined || meant.length === 0) return undefined;
  for (const { source, sections } of meant)
    for (const section of sections)
      if (section.number === reference.number)
        return index.passages.findIndex((passage) => passage.source === source && passage.end > section.start);
  return -1;
}

/** Whether a word only cites a section of a numbered source: it is none of what the statement says. */
export function isCitation(
  { start, end }: Pick<Token, 'start' | 'end'>,
  statement: Pick<Statement, 'text'>,
  index: EvidenceIndex,
): boolean {
  if (numberedSources(index).length === 0) return false;
  const reference = sectionReferences(statement).find((one) => start >= one.start && end <= one.end + 1);
  return reference !== undefined && meantBy(reference, index).length > 0;
}

/**
 * What is wrong with a section that a statement cites: its source numbers sections of that kind and has none of that
 * number, or the section is about something else than the passages that bear the statement out.
 */
export function strayReference(
  statement: Statement,
  bearing: readonly number[],
  index: EvidenceIndex,
): { says: string; passages: number[]; words: string } | undefined {
  for (const reference of numberedSources(index).length === 0 ? [] : sectionReferences(statement)) {
    const { number, words } = reference;
    const meant = meantBy(reference, index);
    const alike = meant.filter(({ sections }) => sections.some((one) => depth(one.number) === depth(number)));
    const [first] = alike;
    if (first === undefined || alike.length < meant.length) continue;
    const cited = alike.flatMap(({ source, sections }) => {
      const section = sections.find((one) => one.number === number);
      return section === undefined ? [] : [{ source, ...section }];
    });
    if (cited.length === 0) {
      // A number that the source itself speaks of may be of a part that was not handed over.
      if (
        alike.some(({ source }) =>
          new RegExp(`(?<![\\d.])${number}(?![\\d]|\\.\\d)`).test(index.sources[source]?.text ?? ''),
        )
      )
        continue;
      const numbers = first.sections.map((one) => one.number);
      return {
        says: `It cites “${words}”; the sections of ${index.sources[first.source]?.source ?? 'the source'} run from ${numbers[0]} to ${numbers.at(-1)}, and none is ${number}.`,
        passages: [],
        words,
      };
    }
    const elsewhere = toldElsewhere(statement, cited, bearing, index);
    if (elsewhere !== undefined) return { ...elsewhere, words };
  }
  return undefined;
}

/** So little of a statement stands in the section that it cites, while so much stands in another. */
const CITED_SHARED = 0.3;
const BEARING_SHARED = 0.6;

function toldElsewhere(
  statement: Statement,
  cited: readonly (Section & { source: number })[],
  bearing: readonly number[],
  index: EvidenceIndex,
): { says: string; passages: number[] } | undefined {
  const inside = (at: number): boolean => {
    const passage = index.passages[at];
    return cited.some(
      ({ source, start, end }) => passage?.source === source && passage.start < end && passage.end > start,
    );
  };
  if (bearing.some(inside)) return undefined;
  const shared = (at: number): number => {
    const passage = index.passages[at];
    return passage === undefined ? 0 : sharedWith(statement, passage, index);
  };
  const own = [...index.passages.keys()].filter(inside);
  const [best] = [...bearing].sort((a, b) => shared(b) - shared(a));
  const [closest] = [...own].sort((a, b) => shared(b) - shared(a));
  if (best === undefined || closest === undefined) return undefined;
  if (shared(best) < BEARING_SHARED || own.some((at) => shared(at) > CITED_SHARED)) return undefined;
  const passage = index.passages[closest];
  const source = index.sources[passage?.source ?? -1]?.source ?? 'the source';
  return {
    says: `The section that it cites is about something else; ${source} says “${passage === undefined ? '' : passageText(index, passage)}”.`,
    passages: [closest, best],
  };
}
