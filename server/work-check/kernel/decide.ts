import type { StatementStatus } from '../contract.ts';

/** A stretch of a source by its ref, in UTF-16 offsets. */
export type Stretch = { ref: string; start: number; end: number };

/** What an opinion rests on, as places; the wire form is `Proof` in the contract. */
export type Ground =
  | { is: 'verbatim' | 'value'; known: Stretch[] }
  | { is: 'computed'; expression: string; operands: Stretch[]; result: string }
  | { is: 'read'; quotes: Stretch[] }
  | { is: 'otherwise'; known: Stretch[]; how: 'value' | 'denied' | 'role' | 'order' | 'scope' | 'computed' };

/**
 * What a rule or a reading of a model says of one statement. `speaks`: the evidence speaks of it, and that is all.
 * `typed`: figures, dates and names of the statement were found in the quotes, or it has none and every word is paired.
 */
export type Opinion = {
  by: string;
  from: 'rule' | 'reading';
  says: 'supports' | 'contradicts' | 'doubts' | 'speaks';
  certain?: true;
  typed?: true;
  /** One passage holds them all, names in the same order: one reading is enough. */
  paired?: true;
  proof?: Ground;
};

type Counted = {
  certain: boolean;
  proven: boolean;
  doubt: boolean;
  speaks: boolean;
  /** Readings that support, those of them with typed parts proven, and those that contradict. */
  supporting: number;
  typed: number;
  paired: number;
  contradicting: number;
};

/** The table: the first row that fits decides. */
export const ROWS: readonly { name: string; fits: (of: Counted) => boolean; status: StatementStatus }[] = [
  { name: 'certain contradiction, proven support', fits: (of) => of.certain && of.proven, status: 'undecided' },
  {
    name: 'certain contradiction, two readings by another key',
    fits: (of) => of.certain && of.supporting >= 2,
    status: 'undecided',
  },
  { name: 'certain contradiction', fits: (of) => of.certain, status: 'contradicted' },
  {
    name: 'two readings contradict',
    fits: (of) => of.contradicting >= 2 && !of.proven && of.supporting === 0,
    status: 'contradicted',
  },
  { name: 'a reading contradicts', fits: (of) => of.contradicting > 0, status: 'undecided' },
  { name: 'proven', fits: (of) => of.proven && !of.doubt, status: 'supported' },
  { name: 'proven, doubted, read', fits: (of) => of.proven && of.supporting > 0, status: 'supported' },
  { name: 'proven, doubted', fits: (of) => of.proven, status: 'undecided' },
  { name: 'two readings support', fits: (of) => of.supporting >= 2 && of.typed >= 1, status: 'supported' },
  { name: 'one reading supports', fits: (of) => of.paired >= 1 && !of.doubt, status: 'supported' },
  { name: 'a reading supports, not all proven', fits: (of) => of.supporting > 0, status: 'undecided' },
  { name: 'doubt', fits: (of) => of.doubt || of.speaks, status: 'undecided' },
  { name: 'silence', fits: () => true, status: 'not_found' },
];

/** What opinions come to, and the row of the table that says so. */
export function decide(opinions: readonly Opinion[]): { status: StatementStatus; row: string } {
  const count = (test: (one: Opinion) => boolean): number => opinions.filter(test).length;
  const of: Counted = {
    certain: opinions.some(({ certain, says }) => certain === true && says === 'contradicts'),
    proven: opinions.some(({ from, says }) => from === 'rule' && says === 'supports'),
    doubt: opinions.some(
      ({ from, says, certain }) =>
        from === 'rule' && (says === 'doubts' || (says === 'contradicts' && certain !== true)),
    ),
    speaks: opinions.some(({ says }) => says === 'speaks'),
    supporting: count(({ from, says }) => from === 'reading' && says === 'supports'),
    typed: count(({ from, says, typed }) => from === 'reading' && says === 'supports' && typed === true),
    paired: count(({ from, says, paired }) => from === 'reading' && says === 'supports' && paired === true),
    contradicting: count(({ from, says }) => from === 'reading' && says === 'contradicts'),
  };
  const row = ROWS.find(({ fits }) => fits(of));
  return { status: row?.status ?? 'not_found', row: row?.name ?? 'silence' };
}
