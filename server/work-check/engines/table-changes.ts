import { figureOfCell } from '../reading/cell-figure.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Table } from '../reading/tables.ts';
import { holdsWhole } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './derivation.ts';

/** A change between two columns of a table that a statement gives otherwise than the table. */
export type WrongChange = { claimed: string; says: string; source: number; start: number; end: number };

/** One thing at two times: "Q1 leads" and "Q2 leads" of one row, or of all rows together. */
type Series = { name: string; from: number; to: number; columns: readonly [from: string, to: string] };

const ROWS_MIN = 2;
const ROWS_MAX = 60;
const TOTAL_ROW = /^(?:all|total|sum|overall|together)\b/i;

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).map((word) =>
    /^\p{L}{4,}s$/u.test(word) ? word.slice(0, -1) : word,
  );

/** The parts of a sentence, each with the words before it in which its subject may stand. */
function partsOf(text: string): { part: string; before: string }[] {
  const parts = text.split(/;|, (?=(?:and|but|while|whereas|with) )|: /);
  return parts.map((part, at) => ({ part, before: parts.slice(0, at).join(' ') }));
}

const rowsIn = (names: readonly string[], text: string): number[] =>
  names.flatMap((name, at) => (name.length > 1 && holdsWhole(name.toLowerCase(), text.toLowerCase()) ? [at] : []));

/** The figures of the row that a part of a sentence is about, or the sums of all rows where none is named so far. */
function seriesOf(
  { header, rows }: Table,
  { part, before }: { part: string; before: string },
): { row: string; at: number; series: Series[] } | undefined {
  const own = rows.filter((row) => !TOTAL_ROW.test(row[0]?.text ?? ''));
  if (own.length < ROWS_MIN || own.length > ROWS_MAX) return undefined;
  const names = own.map((row) => row[0]?.text.trim() ?? '');
  const inPart = rowsIn(names, part);
  const named = inPart.length > 0 ? inPart : rowsIn(names, before).slice(-1);
  if (named.length > 1 || (inPart.length === 0 && rowsIn(names, before).length > 1)) return undefined;
  const at = named[0] ?? -1;
  const columns = header.flatMap(({ text: name }, column) => {
    const values = own.map((row) => figureOfCell(row[column]?.text ?? '', name)?.value);
    if (column === 0 || values.some((value) => value === undefined)) return [];
    const value = at === -1 ? values.reduce<number>((sum, one) => sum + (one ?? 0), 0) : (values[at] ?? 0);
    return [{ title: name.trim(), words: wordsOf(name), value }];
  });
  const series = columns.flatMap((one, place): Series[] => {
    const later = columns.slice(place + 1).filter(({ words }) => isOtherTime(one.words, words));
    const earlier = columns.slice(0, place).some(({ words }) => isOtherTime(one.words, words));
    const [other] = later;
    if (other === undefined || later.length > 1 || earlier) return [];
    const name = one.words.filter((word) => other.words.includes(word)).join(' ');
    return [{ name, from: one.value, to: other.value, columns: [one.title, other.title] }];
  });
  return { row: own[at]?.[0]?.text.trim() ?? '', at: own[at]?.[0]?.start ?? header[0]?.start ?? 0, series };
}

/** "Q1 leads" and "Q2 leads": the same words but for one. */
function isOtherTime(one: readonly string[], other: readonly string[]): boolean {
  const [mine, theirs] = [one.filter((word) => !other.includes(word)), other.filter((word) => !one.includes(word))];
  return (
    one.length > 1 &&
    mine.length === 1 &&
    theirs.length === 1 &&
    /\d|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|before|after|old|new|last|this|plan|actual)/.test(
      `${mine[0]}`,
    )
  );
}

/** The first change that a statement gives otherwise than the one table that has its figures at two times. */
export function findWrongChange({ text, kind }: Statement, { tables }: EvidenceIndex): WrongChange | undefined {
  if (kind !== 'sentence' && kind !== 'item') return undefined;
  for (const table of tables)
    for (const one of partsOf(text)) {
      const read = seriesOf(table, one);
      if (read === undefined || read.series.length === 0) continue;
      const wrong = read.row === '' ? undefined : wrongDifference(one.part, read.series);
      const found = wrong ?? wrongPair(one.part, read.series) ?? wrongShares(one.part, read.series);
      if (found === undefined) continue;
      const says = read.row === '' ? found.says : `for ${read.row} ${found.says}`;
      const end = read.at + Math.max(1, read.row.length);
      return { claimed: found.claimed, says, source: table.source, start: read.at, end };
    }
  return undefined;
}

type Wrong = { claimed: string; says: string } | undefined;

const bothOf = ({ from, to, columns }: Series): string =>
  `it is ${written(from)} under “${columns[0]}” and ${written(to)} under “${columns[1]}”`;

const numberOf = (text: string): number => Number(text.replaceAll(',', ''));
const near = (value: number, printed: string): boolean =>
  Math.abs(value - numberOf(printed)) <= printedTolerance(printed);

/** "40 more leads": the difference of the row, whichever way; "than" compares with something else. */
function wrongDifference(text: string, series: readonly Series[]): Wrong {
  for (const [claimed, figure = '', , noun = ''] of text.matchAll(
    /(?<![\d.,])(\d[\d,]*(?:\.\d+)?) (more|fewer|less) (\p{L}+)(?! than)/giu,
  )) {
    const named = series.filter(({ name }) => wordsOf(name).includes(wordsOf(noun)[0] ?? ''));
    const [one, ...more] = named;
    if (one === undefined || more.length > 0 || /\bthan\b/.test(text)) continue;
    const apart = Math.abs(one.to - one.from);
    if (!near(apart, figure)) return { claimed, says: `${bothOf(one)}, a difference of ${written(apart)}` };
  }
  return undefined;
}

const FROM_TO =
  /\bfrom (?<from>\d[\d,]*(?:\.\d+)?)(?! ?%|\d| percent)(?: \p{L}+)?(?: in [\p{L}\d]+)? to (?<to>\d[\d,]*(?:\.\d+)?)(?! ?%|\d| percent)/iu;

/** "Deals rose from 121 to 157", where one of the two is the table's. */
function wrongPair(text: string, series: readonly Series[]): Wrong {
  const { from = '', to = '' } = FROM_TO.exec(text)?.groups ?? {};
  const words = wordsOf(text);
  const [one, ...more] = series.filter(({ name }) => wordsOf(name).every((word) => words.includes(word)));
  if (from === '' || one === undefined || more.length > 0) return undefined;
  const [first, last] = [near(one.from, from), near(one.to, to)];
  if (first === last) return undefined;
  return { claimed: first ? to : from, says: bothOf(one) };
}

const SHARES = /\bfrom (?<from>\d[\d,]*(?:\.\d+)?)(?: ?%| percent) to (?<to>\d[\d,]*(?:\.\d+)?)(?: ?%| percent)/iu;

/** "From 14% to 20%", where one of the two is the share that one series has of another at that time. */
function wrongShares(text: string, series: readonly Series[]): Wrong {
  const { from = '', to = '' } = SHARES.exec(text)?.groups ?? {};
  if (from === '') return undefined;
  const shares = series.flatMap((part) =>
    series.flatMap((whole) => {
      if (part === whole || whole.from <= 0 || whole.to <= 0 || part.from > whole.from || part.to > whole.to) return [];
      const [first, last] = [(part.from / whole.from) * 100, (part.to / whole.to) * 100];
      return [{ part, whole, first: near(first, from), last: near(last, to), shares: [first, last] as const }];
    }),
  );
  if (shares.some(({ first, last }) => first && last)) return undefined;
  const [one, ...more] = shares.filter(({ first, last }) => first || last);
  if (one === undefined || more.length > 0) return undefined;
  const { part, whole, first, shares: known } = one;
  const [of, among, value] = first ? [part.to, whole.to, known[1]] : [part.from, whole.from, known[0]];
  const [under, over] = [part.columns[first ? 1 : 0], whole.columns[first ? 1 : 0]];
  const share = written(Math.round(value * 10) / 10);
  return {
    claimed: `${first ? to : from}%`,
    says: `${written(of)} under “${under}” of ${written(among)} under “${over}” is ${share} percent`,
  };
}
