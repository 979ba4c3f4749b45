import type { Passage } from '../assessors/port.ts';
import type { Span } from '../reading/sentences.ts';

/** What an engine found of a statement; `says` is a literally true sentence that quotes both sides. */
export type Remark = {
  engine: 'substitution' | 'arithmetic' | 'direction' | 'versions' | 'dialogue' | 'records' | 'negation' | 'opposite';
  relation: 'contradicts' | 'agrees';
  says: string;
  /** The words at issue in the statement, and in what it is held against. */
  claimed: string;
  known: string;
  passages: Passage[];
  computed?: string;
  /** Where in the statement the words at issue stand. */
  span?: Span;
};
