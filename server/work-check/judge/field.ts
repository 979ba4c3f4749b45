import type { Records } from '../engines/records.ts';
import { rowRelation } from '../engines/row-relations.ts';
import { columnTotal, rowTotal } from '../engines/row-totals.ts';
import { shownWorking } from '../engines/shown-working.ts';
import { isSlip } from '../engines/slip.ts';
import { clip } from '../quoting.ts';
import { figureOfCell } from '../reading/cell-figure.ts';
import { compareQuantities } from '../reading/compare-quantities.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement, Work } from '../statements.ts';
import { judgeFound, placesOf } from './found.ts';
import { type Ground, type Judgement, sourceName } from './ground.ts';
import type { StatementReading } from './read-statement.ts';

/** The cell of a table that a statement names by column and row, or the sum or count that its rows give. */
export function judgeCell(
  { statement, cell }: StatementReading,
  { index, records, work }: Ground,
): Judgement | undefined {
  if (cell === undefined) return undefined;
  const { passage, agrees, fault, worked, inUnit } = cell;
  const [from, value, known] = [
    sourceName(index, passage.source),
    statement.record?.value ?? fault?.claimed ?? '',
    fault?.known ?? '',
  ];
  const ref = index.sources[passage.source]?.ref;
  const passages =
    ref === undefined ? [] : [{ ref, start: passage.start, end: Math.max(passage.end, passage.start + 1) }];
  if (agrees)
    return worked === undefined
      ? {
          status: 'supported',
          why: `${from} gives “${clip(index.sources[passage.source]?.text.slice(passage.start, passage.end) ?? '')}”.`,
          passages,
        }
      : { status: 'supported', why: `The rows of ${from} give it as ${worked}.`, passages, computed: worked };
  // Another source may know better than the table: only what no source gives for this record is contradicted.
  if (statement.record !== undefined && isGivenElsewhere(statement, passage, records, index)) return undefined;
  // An empty field claims nothing: a value may have been taken back.
  if (isOneOfSeveral(statement, work) || value === 'null') return undefined;
  return {
    status: 'contradicted',
    why:
      worked === undefined
        ? `The work gives “${clip(value)}” (${statement.at}) where ${from} gives “${clip(known)}”${inUnit === undefined ? '' : `, ${inUnit}`}.`
        : `The work gives “${clip(value)}” (${statement.at}), but the rows of ${from} give ${known} as ${worked}.`,
    passages,
    compared: { claimed: value, known },
    ...(worked === undefined ? {} : { computed: `${worked}: ${known}` }),
  };
}

/** A cell whose figure is a slip of the one that the table names. */
export function judgeSlip(reading: StatementReading, ground: Ground): Judgement | undefined {
  const told = judgeCell(reading, ground);
  if (told?.status !== 'contradicted' || told.compared === undefined) return undefined;
  const column = reading.statement.record?.column ?? '';
  const [claimed, known] = [told.compared.claimed, told.compared.known].map((text) => figureOfCell(text, column));
  return claimed !== undefined && known !== undefined && isSlip(claimed.value, known.value) ? told : undefined;
}

/** Whether the work parts a record into several rows ("F2, stage 1"), of which each gives a share. */
const isOneOfSeveral = ({ record, place }: Statement, { statements }: Ground['work']): boolean =>
  record?.identity !== undefined &&
  statements.some(
    (other) =>
      other.place !== place && other.record?.column === record.column && other.record.identity === record.identity,
  );

/** A sum of structured work that its own figures do not give, where a sum is surely meant or only may be. */
export function judgeBrokenSum(
  { record, at, place }: Statement,
  { sums }: Ground,
  sure: boolean,
): Judgement | undefined {
  const sum = 'path' in place ? sums.get(place.path) : undefined;
  if (record === undefined || sum === undefined || sum.holds || (sum.sure === true) !== sure) return undefined;
  return {
    status: 'contradicted',
    why: `The work gives “${record.value}” (${at}), but its own figures give ${sum.says}.`,
    passages: [],
    compared: { claimed: record.value, known: sum.says },
    computed: sum.says,
  };
}

/** What the evidence gives for a field where it speaks of its record. */
export function judgeRecord(statement: Statement, ground: Ground): Judgement | undefined {
  const { index, records, sums } = ground;
  const { record, place } = statement;
  if (record === undefined) return undefined;
  const sum = 'path' in place ? sums.get(place.path) : undefined;
  if (sum?.counts === true) return undefined;
  const found = records.read(statement);
  switch (found.is) {
    case 'found':
      return judgeFound(found, sum?.says, ground);
    case 'other': {
      const { region, span, known, inUnit } = found;
      if (sum !== undefined || (inUnit === undefined && isBeside(record.value, region.source, span.start, index)))
        return undefined;
      return {
        status: 'contradicted',
        why: `The work gives “${clip(record.value)}” (${statement.at}) where ${sourceName(index, region.source)} gives “${clip(known)}”${inUnit === undefined ? '' : `, ${inUnit}`}.`,
        passages: placesOf(region.source, span, index),
        compared: { claimed: record.value, known },
      };
    }
    case 'nowhere':
      return undefined;
    default:
      return found satisfies never;
  }
}

/** A sum of structured work that its own figures give. */
export function judgeSum({ place }: Statement, { sums }: Ground): Judgement | undefined {
  const sum = 'path' in place ? sums.get(place.path) : undefined;
  if (sum === undefined) return undefined;
  return {
    status: 'supported',
    why: `The work's own figures give it: ${sum.says}.`,
    passages: [],
    computed: sum.says,
  };
}

/** Whether the sentence that gives another value gives this figure too: "40 seats, 500,000 API calls". */
function isBeside(value: string, source: number, at: number, { passages }: EvidenceIndex): boolean {
  const [figure, ...more] = readQuantities(tokenize(value));
  const passage = passages.find((one) => one.source === source && one.start <= at && one.end > at);
  if (figure === undefined || more.length > 0) return false;
  return passage?.quantities.some((one) => compareQuantities(figure, one) === 'same') === true;
}

/** A total of its row or column, worked out again from the other figures there. */
export function judgeRow(statement: Statement, { statements }: Work): Judgement | undefined {
  const value = statement.record?.value ?? '';
  const row =
    shownWorking(statement, statements) ??
    rowTotal(statement, statements) ??
    columnTotal(statement, statements) ??
    rowRelation(statement, statements);
  if (row === undefined) return undefined;
  const whose = `the ${statement.kind === 'cell' ? 'table' : 'record'}'s own figures`;
  return {
    status: row.holds ? 'supported' : 'contradicted',
    why: row.holds
      ? `By ${whose} ${row.says}.`
      : `The work gives “${clip(value)}” (${statement.at}), but by ${whose} ${row.says}.`,
    passages: [],
    computed: row.says,
    ...(row.holds ? {} : { compared: { claimed: value, known: row.says } }),
  };
}

const FORMER = /\b(?:until|formerly|previously|was|were|old(?:er)?|before|used to|superseded|instead of)\b/i;

/** "One pmol/L equals about 1.355 pg/mL": a conversion gives no record's value. */
const CONVERTS = /\b(?:equals?|equivalent|converts?|converted|corresponds?)\b/i;

/** Whether another stretch of evidence about the record gives the field's value, and not as something of the past. */
function isGivenElsewhere(
  statement: Statement,
  cell: { source: number; start: number; end: number },
  records: Records,
  index: EvidenceIndex,
): boolean {
  const found = records.read(statement);
  if (found.is !== 'found') return false;
  const { span, region } = found;
  if (region.source === cell.source && span.start >= cell.start && span.start < cell.end) return false;
  const text = index.sources[found.region.source]?.text ?? '';
  const from = Math.max(text.lastIndexOf('. ', found.span.start - 1), text.lastIndexOf('\n', found.span.start - 1)) + 1;
  const before = text.slice(from, found.span.start);
  return !FORMER.test(before) && !CONVERTS.test(before);
}
