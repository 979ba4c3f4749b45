import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { compareQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** A statement given as one source's which another gives: indexes of both sources and of the passage. */
export type WrongAttribution = { named: string; source: number; passage: number };

const ATTRIBUTED =
  /\b(?:according to|as (?:stated|reported|given|measured|estimated) (?:by|in)|in the words of)\s+(?:the\s+)?([^,;.]{3,60}?)(?=,|;|\.|$| (?:says?|gives?|finds?|would|is|are|was|were|has|have)\b)/iu;
/** A statement must give this many figures of its own before where they stand tells whose they are. */
const FIGURES_MIN = 2;

/**
 * "According to Calder, a new deck costs 240,000 euros and lasts 40 years", where Calder gives neither figure and one
 * passage of another source, which does not speak of Calder, gives all of them.
 */
export function findWrongAttribution(statement: Statement, index: EvidenceIndex): WrongAttribution | undefined {
  const match = ATTRIBUTED.exec(statement.text);
  if (match === null) return undefined;
  const named = match[1] ?? '';
  const stems = tokenize(named).flatMap(({ content, stem }) => (content ? [stem] : []));
  if (stems.length === 0) return undefined;
  const labels = index.sources.map(({ source }) => new Set(tokenize(source).map(({ stem }) => stem)));
  const meant = labels.flatMap((label, at) => (stems.every((stem) => label.has(stem)) ? [at] : []));
  const [source, ...more] = meant;
  if (source === undefined || more.length > 0) return undefined;
  const figures = statement.quantities.filter(({ start }) => start > match.index + match[0].length);
  if (figures.length < FIGURES_MIN) return undefined;
  const gives = (at: number): number => {
    const known = index.passages[at]?.quantities ?? [];
    return figures.filter((own) => known.some((one) => compareQuantities(own, one) === 'same')).length;
  };
  let passage: number | undefined;
  for (const [at, { source: of, stems: words, instruction }] of index.passages.entries()) {
    if (instruction) continue;
    const given = gives(at);
    if (given === 0) continue;
    if (of === source || stems.some((stem) => words.has(stem))) return undefined;
    if (given === figures.length) passage ??= at;
  }
  return passage === undefined ? undefined : { named, source, passage };
}
