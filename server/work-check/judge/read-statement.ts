import { bestPassages, type EvidenceIndex, type Match } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import type { Statement } from '../statements.ts';
import { type BoundCell, readCell } from '../structure.ts';
import { entryOf } from '../support/lexicon.ts';

/** A statement beside the passages that speak of it. */
export type StatementReading = {
  statement: Statement;
  /** The passages that hold most of its words, best first. */
  matches: Match[];
  /** Share of the weight of its words in the best passage and the one that adds most to it. */
  coverage: number;
  /** The cell of a table that the statement names, when it names one. */
  cell: BoundCell | undefined;
};

const MATCHES_MAX = 6;
const NAMING_DIGITS = 3;
/** Less than any word weighs. */
const TELLS_APART = 0.1;

/** Finds what the evidence has beside a statement. */
export function readStatement(statement: Statement, index: EvidenceIndex): StatementReading {
  const wanted = wantedOf(statement.tokens);
  // A number of three digits names a thing ("order 4471"); smaller ones stand anywhere, and tell "crate 7" from "crate 8".
  const words = wanted.map((one) =>
    one.token.kind === 'word' || one.token.lower.length >= NAMING_DIGITS ? one : { ...one, weight: TELLS_APART },
  );
  const matches = bestPassages(index, words, MATCHES_MAX);
  return { statement, matches, coverage: coverageByBest(index, wanted, matches), cell: readCell(statement, index) };
}

type Wanted = { stem: string; weight: number; token: Token };

/** Content words that the evidence should hold, once for each stem; rare ones weigh more. */
function wantedOf(tokens: readonly Token[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const token of tokens)
    if (token.content && !wanted.has(token.stem))
      wanted.set(token.stem, { stem: token.stem, weight: entryOf(token).rarity, token });
  return [...wanted.values()];
}

function coverageByBest(index: EvidenceIndex, wanted: readonly Wanted[], matches: readonly Match[]): number {
  const best = index.passages[matches[0]?.passage ?? -1];
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0);
  if (best === undefined || total === 0) return 0;
  const held = matches.map(({ passage }) => {
    const beside = index.passages[passage];
    return wanted.reduce(
      (sum, { stem, weight }) => (best.stems.has(stem) || beside?.stems.has(stem) ? sum + weight : sum),
      0,
    );
  });
  return Math.max(...held) / total;
}
