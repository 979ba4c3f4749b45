import type { StatementReading } from '../contradictions.ts';
import { written } from '../engines/derivation.ts';
import { rangeFlag } from '../engines/range-flags.ts';
import type { Records } from '../engines/records.ts';
import { findReplaced } from '../engines/replaced.ts';
import { rowRelation } from '../engines/row-relations.ts';
import { columnTotal, rowTotal } from '../engines/row-totals.ts';
import { shownWorking } from '../engines/shown-working.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { compareQuantities, readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement, Work } from '../statements.ts';
import { judgeLabel, judgeOtherUnit } from './beside-label.ts';
import { judgeCurrency } from './currency.ts';
import { judgeDeniedCount } from './denied-count.ts';
import { judgeDueDate } from './due-date.ts';
import { judgeFlag } from './flag.ts';
import { judgeFound, placesOf } from './found.ts';
import { type Ground, type Judgement, sourceName, where } from './ground.ts';
import { judgeReplaced } from './replaced.ts';

/** The cell of a table that a statement names by column and row, or the sum or count that its rows give. */
export function judgeCell({ statement, cell }: StatementReading, { index, records }: Ground): Judgement | undefined {
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

/** A field or cell: what its record gives, or what others beside it compute. Undefined when only its words can tell. */
export function judgeField(reading: StatementReading, ground: Ground): Judgement | undefined {
  const { work, index, records, sums } = ground;
  const { statement } = reading;
  const { record, place } = statement;
  if (record === undefined) return undefined;
  const sum = 'path' in place ? sums.get(place.path) : undefined;
  if (sum !== undefined && !sum.holds)
    return {
      status: 'contradicted',
      why: `The work gives “${record.value}” (${statement.at}), but its own figures give ${sum.says}.`,
      passages: [],
      compared: { claimed: record.value, known: sum.says },
      computed: sum.says,
    };
  const row = judgeCurrency(statement, index) ?? judgeRow(statement, record.value, work);
  if (row?.status === 'supported') return row;
  const bound = judgeCell(reading, ground);
  if (bound !== undefined) return bound;
  if (row !== undefined) return row;
  const replaced = findReplaced(statement, index);
  if (replaced !== undefined) return judgeReplaced(statement, replaced, index);
  const found = records.read(statement);
  switch (found.is) {
    case 'found':
      return judgeFound(found, statement, record, sum?.says, ground);
    case 'other': {
      const { region, span, known, inUnit } = found;
      if (sum !== undefined || (inUnit === undefined && isBeside(record.value, region.source, span.start, index)))
        break;
      return {
        status: 'contradicted',
        why: `The work gives “${clip(record.value)}” (${statement.at}) where ${sourceName(index, region.source)} gives “${clip(known)}”${inUnit === undefined ? '' : `, ${inUnit}`}.`,
        passages: placesOf(region.source, span, index),
        compared: { claimed: record.value, known },
      };
    }
    case 'nowhere':
      break;
    default:
      found satisfies never;
  }
  if (sum !== undefined)
    return {
      status: 'supported',
      why: `The work's own figures give it: ${sum.says}.`,
      passages: [],
      computed: sum.says,
    };
  const named = judgeSourceName(record.value, index);
  if (named !== undefined) return named;
  return (
    judgeLabel(statement, ground) ??
    productInRegion(statement, records, index) ??
    judgeDueDate(statement, ground) ??
    judgeFlag(statement, ground) ??
    judgeDeniedCount(statement, ground) ??
    judgeOtherUnit(statement, ground) ??
    uncheckable(statement, work)
  );
}

/** Whether the sentence that gives another value gives this figure too: "40 seats, 500,000 API calls". */
function isBeside(value: string, source: number, at: number, { passages }: EvidenceIndex): boolean {
  const [figure, ...more] = readQuantities(tokenize(value));
  const passage = passages.find((one) => one.source === source && one.start <= at && one.end > at);
  if (figure === undefined || more.length > 0) return false;
  return passage?.quantities.some((one) => compareQuantities(figure, one) === 'same') === true;
}

/** A total of its row or column, worked out again from the other figures there. */
function judgeRow(statement: Statement, value: string, { statements }: Work): Judgement | undefined {
  const row =
    shownWorking(statement, statements) ??
    rowTotal(statement, statements) ??
    columnTotal(statement, statements) ??
    rangeFlag(statement, statements) ??
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

/** A field that names one of the sources. */
function judgeSourceName(value: string, { sources }: EvidenceIndex): Judgement | undefined {
  const isLong = value.length >= 3 && /\d/.test(value);
  const label = sources.find(({ source }) => source === value || (isLong && source.includes(value)));
  return label && { status: 'supported', why: `It names the source “${clip(label.source)}”.`, passages: [] };
}

/** A field of a kind that the evidence cannot show right or wrong. */
function uncheckable(statement: Statement, work: Work): Judgement | undefined {
  const { record } = statement;
  if (record === undefined) return undefined;
  if (record.value === '1')
    return {
      status: 'not_checked',
      why: `${where(statement)} counts one of it; the evidence gives no figure for that.`,
      passages: [],
    };
  if (isClass(statement, work))
    return {
      status: 'not_checked',
      why: `“${record.value}” (${statement.at}) is a classification; whether it follows was not worked out.`,
      passages: [],
    };
  if (record.value === 'null' || record.value === 'true' || record.value === 'false')
    return {
      status: 'not_checked',
      why: `Whether ${where(statement)} is right could not be told from the words of the evidence.`,
      passages: [],
    };
  return undefined;
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

/** A figure that two figures in its record's stretch of evidence give: "four people for nine hours". */
function productInRegion(statement: Statement, records: Records, index: EvidenceIndex): Judgement | undefined {
  const [own, ...more] = statement.quantities;
  const { place } = statement;
  if (
    own === undefined ||
    more.length > 0 ||
    own.kind !== 'number' ||
    own.value < PRODUCT_MIN ||
    !('path' in place) ||
    records.identityOf(place.path) === undefined
  )
    return undefined;
  // "Daily allowance, 3 days" says how many of what the region prices.
  const beside = (statement.record?.keys ?? []).flatMap(factorsOf);
  for (const { source, start, end } of records.regionsOf(place.path).slice(0, 3)) {
    const text = index.sources[source]?.text.slice(start, end) ?? '';
    const figures = factorsOf(text);
    for (const [at, one] of figures.entries())
      for (const other of [...figures.slice(at + 1), ...beside]) {
        if (Math.abs(one.value * other.value - own.value) > 0.0051) continue;
        if (!beside.includes(other) && SENTENCE_END.test(text.slice(one.end, other.start))) continue;
        const computed = `${one.text} × ${other.text} = ${written(own.value)}`;
        const ref = index.sources[source]?.ref ?? '';
        const last = beside.includes(other) ? one : other;
        return {
          status: 'supported',
          why: `It follows from ${sourceName(index, source)}: ${computed}.`,
          passages: [{ ref, start: start + one.start, end: start + last.end }],
          computed,
        };
      }
  }
  return undefined;
}

/** Two figures of different sentences are not multiplied. */
const SENTENCE_END = /[.;!?]\s|\n/;
const FIGURES_MULTIPLIED = 8;
/** Smaller figures come out by chance: 4 is two times two. */
const PRODUCT_MIN = 10;

type Factor = { value: number; start: number; end: number; text: string };

const factorsOf = (text: string): Factor[] =>
  readQuantities(tokenize(text))
    .filter(({ kind, value }) => (kind === 'number' || kind === 'money') && value > 1)
    .slice(0, FIGURES_MULTIPLIED)
    .map(({ value, start, end }) => ({ value, start, end, text: text.slice(start, end) }));

const CLASS_WORDS_MAX = 3;

/** Whether a field holds one of a few values that records share: a flag, a category, a mark. */
function isClass({ record, place }: Statement, { statements }: Work): boolean {
  if (record === undefined || !('path' in place) || record.value.split(/\s+/).length > CLASS_WORDS_MAX) return false;
  const column = place.path.replaceAll(/\/\d+(?=\/|$)/g, '/#');
  if (column === place.path) return false;
  const values = statements.flatMap((other) =>
    'path' in other.place && other.place.path.replaceAll(/\/\d+(?=\/|$)/g, '/#') === column
      ? [other.record?.value ?? '']
      : [],
  );
  return (
    values.length > 1 &&
    values.every((value) => value.split(/\s+/).length <= CLASS_WORDS_MAX && !/^\d/.test(value)) &&
    new Set(values).size < values.length
  );
}
