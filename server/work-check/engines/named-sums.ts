import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';
import { written } from './derivation.ts';

/** The figures that a word stands right before, each with its passage: "rejected 5", "Quill: 240". */
type Row = { value: number; passage: number }[];

const rows = new WeakMap<EvidenceIndex, Map<string, Row>>();
const PARTS_MAX = 24;
const VALUE_MIN = 4;

function rowsOf(index: EvidenceIndex): Map<string, Row> {
  const known = rows.get(index);
  if (known !== undefined) return known;
  const made = new Map<string, Row>();
  for (const [passage, { quantities, tokens, instruction }] of index.passages.entries())
    for (const { kind, value, first } of instruction ? [] : quantities) {
      if (kind !== 'number' && kind !== 'money') continue;
      const mark = tokens[first - 1];
      const before = mark?.lower === ':' || mark?.lower === '=' ? tokens[first - 2] : mark;
      if (before?.kind !== 'word' || !before.content) continue;
      const row = made.get(before.stem);
      if (row === undefined) made.set(before.stem, [{ value, passage }]);
      else if (row.length < PARTS_MAX) row.push({ value, passage });
    }
  rows.set(index, made);
  return made;
}

/** A figure that several sources give in parts, each behind the same word, which the statement holds: "240 + 211 + 161". */
export function namedSum(
  { kind, value }: Quantity,
  { tokens }: Statement,
  index: EvidenceIndex,
): { says: string; passages: number[] } | undefined {
  if ((kind !== 'number' && kind !== 'money') || value < VALUE_MIN) return undefined;
  for (const { stem, content } of tokens) {
    const row = content ? rowsOf(index).get(stem) : undefined;
    if (row === undefined || row.length < 2 || row.length >= PARTS_MAX) continue;
    const sum = row.reduce((total, part) => total + part.value, 0);
    if (Math.abs(sum - value) > 0.0051) continue;
    return {
      says: `${row.map((part) => written(part.value)).join(' + ')} = ${written(value)}`,
      passages: [...new Set(row.map(({ passage }) => passage))].slice(0, 5),
    };
  }
  return undefined;
}
