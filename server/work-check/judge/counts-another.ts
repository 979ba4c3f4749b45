import { clip } from '../quoting.ts';
import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { type Judgement, placeOf, quote, sourceName } from './ground.ts';

/** `desks: 26` where the passage that gives 26 says "24 desks and 26 chairs", and no other gives 26 desks. */
export function judgeCountOfAnother(
  statement: Statement,
  { source, span }: { source: number; span: Span },
  index: EvidenceIndex,
): Judgement | undefined {
  const { record } = statement;
  const at = index.passages.findIndex(
    (one) => one.source === source && one.start <= span.start && one.end > span.start,
  );
  const passage = index.passages[at];
  const given = passage?.quantities.find(({ start }) => start === span.start);
  if (record === undefined || passage === undefined || given?.kind !== 'number') return undefined;
  const own = new Set(
    tokenize(record.column)
      .filter(isContent)
      .map(({ stem }) => stem),
  );
  const counts = (one: Quantity): boolean => one.kind === 'number' && own.has(one.unit);
  if (given.unit === '' || own.has(given.unit) || !isNoun(given, passage.tokens)) return undefined;
  const text = passageText(index, passage);
  // In "req=7f1 status=502" nothing counts a status.
  if (text.includes('=')) return undefined;
  const others = new Set(passage.quantities.filter(counts).map(({ value }) => value));
  const known = passage.quantities.find(counts);
  if (known === undefined || others.size > 1 || known.value === given.value) return undefined;
  const elsewhere = index.passages.some(({ quantities }) =>
    quantities.some((one) => counts(one) && one.value === given.value),
  );
  if (elsewhere) return undefined;
  const written = ({ start, last }: Quantity): string =>
    text.slice(start - passage.start, (passage.tokens[last + 1]?.end ?? start) - passage.start);
  return {
    status: 'contradicted',
    why: `The work gives “${clip(record.value)}” (${statement.at}) where ${sourceName(index, source)} gives “${written(known)}” and “${written(given)}”: ${quote(text)}.`,
    passages: placeOf(index, at),
    compared: { claimed: record.value, known: written(known) },
  };
}

/** Whether what a figure counts is a word of content right behind it. */
function isNoun(
  { last, unit }: Quantity,
  tokens: readonly { stem: string; content: boolean; kind: string }[],
): boolean {
  const next = tokens[last + 1];
  return next?.kind === 'word' && next.content && next.stem === unit;
}
