import type { Records } from '../engines/records.ts';
import { type EvidenceIndex, isHeld, type Passage } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import { isContent } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { pair } from './clause.ts';
import type { Ground, Stretch } from './decide.ts';
import { isKeyed } from './keyed.ts';
import { cellsOf } from './table-sentence.ts';

/** The version of what proves; a report made by another cannot be compared. */
export const KERNEL_VERSION = '1';

/** What a rule offers as proof: places of the evidence, or a calculation of the work's own figures. */
type Offered = { by: string; passages: readonly Stretch[]; computed?: string | undefined };

/** Rules that work a figure out of complete rows, or of the figures that the work itself shows. */
const WORKS_OUT = new Set(['cell', 'sum', 'figures of its row', 'figures of its row, otherwise', 'arithmetic']);

/**
 * The proof of a statement, if the kernel finds one: a cell or field by its keys, a sentence word for word or clause by
 * clause, the cells that give a sentence its figures, or a calculation that the work itself shows. It believes nothing
 * that it is offered but where to look.
 */
export function prove(
  statement: Statement,
  offered: Offered,
  candidates: readonly number[],
  { index, records }: { index: EvidenceIndex; records: Records },
): Ground | undefined {
  if (statement.record !== undefined) {
    for (const { ref, start, end } of offered.passages) {
      const source = index.sources.findIndex((one) => one.ref === ref);
      if (isKeyed(statement, { source, start, end }, index, records))
        return { is: 'value', known: [{ ref, start, end }] };
    }
  }
  if (offered.computed !== undefined && WORKS_OUT.has(offered.by))
    return {
      is: 'computed',
      expression: offered.computed,
      operands: [...offered.passages],
      result: statement.record?.value ?? statement.text,
    };
  return inProse(statement, ownOf(statement, candidates, { index, records }), index) ?? inTable(statement, index);
}

/** Of a field of one of several records only passages in the record's own stretch of a source speak: "Owner: Workshop" of which? */
function ownOf(
  { place }: Statement,
  candidates: readonly number[],
  { index, records }: { index: EvidenceIndex; records: Records },
): readonly number[] {
  if (!('path' in place) || records.identityOf(place.path) === undefined) return candidates;
  const own = records.regionsOf(place.path);
  return candidates.filter((at) => {
    const { source, start, end } = index.passages[at] as Passage;
    return own.some((region) => region.source === source && region.start < end && region.end > start);
  });
}

function inProse(statement: Statement, candidates: readonly number[], index: EvidenceIndex): Ground | undefined {
  const parts = clausesOf(statement);
  const found: Stretch[] = [];
  let whole = true;
  for (const part of parts) {
    const place = firstPair(part, candidates, index);
    if (place === undefined) return undefined;
    whole &&= place.verbatim;
    found.push(place.stretch);
  }
  return { is: whole ? 'verbatim' : 'value', known: found };
}

function firstPair(
  clause: Pick<Statement, 'tokens' | 'quantities'>,
  candidates: readonly number[],
  index: EvidenceIndex,
): { stretch: Stretch; verbatim: boolean } | undefined {
  for (const at of candidates) {
    const passage = index.passages[at] as Passage;
    const found = passage.instruction ? undefined : pair(clause, passage, ({ stem }) => !isHeld(index, stem));
    const ref = index.sources[passage.source]?.ref;
    if (found !== undefined && ref !== undefined)
      return { stretch: { ref, start: passage.start, end: passage.end }, verbatim: found.verbatim };
  }
  return undefined;
}

const JOINS = new Set(['and', 'but', 'while', 'whereas']);
const CLAUSE_WORDS_MIN = 3;

/** The clauses of a sentence that stand for themselves: behind a semicolon, or behind a comma and a joining word. */
function clausesOf(statement: Statement): Pick<Statement, 'tokens' | 'quantities'>[] {
  const { tokens, quantities } = statement;
  const cuts = tokens.flatMap(({ kind, lower }, at) =>
    kind === 'mark' && (lower === ';' || (lower === ',' && JOINS.has(tokens[at + 1]?.lower ?? ''))) ? [at] : [],
  );
  const parts: Pick<Statement, 'tokens' | 'quantities'>[] = [];
  let from = 0;
  for (const cut of [...cuts, tokens.length]) {
    const own: Token[] = tokens.slice(from, cut);
    if (own.filter(isContent).length < CLAUSE_WORDS_MIN) return [statement];
    parts.push({
      tokens: own,
      quantities: quantities
        .filter(({ first, last }) => first >= from && last < cut)
        .map((figure) => ({ ...figure, first: figure.first - from, last: figure.last - from })),
    });
    from = cut + (tokens[cut]?.lower === ',' ? 2 : 1);
  }
  return parts;
}

function inTable(statement: Statement, index: EvidenceIndex): Ground | undefined {
  if (statement.record !== undefined) return undefined;
  const cells = cellsOf(statement, index);
  if (cells === undefined) return undefined;
  return {
    is: 'value',
    known: cells.map(({ source, start, end }) => ({ ref: index.sources[source]?.ref ?? '', start, end })),
  };
}
