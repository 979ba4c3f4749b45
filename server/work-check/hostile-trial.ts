import type { JsonValue } from '../kernel/json-value.ts';
import type { CheckRequest } from './contract.ts';

/** Legal requests that once cost a check tens of seconds of a processor; `share` of the largest that is legal. */
export type Hostile = { name: string; request: (share: number) => CheckRequest };

const WORK_BYTES = 64_000;
const EVIDENCE_BYTES = 32_000;
const SOURCES = 6;
const COLUMNS = 60;

const fill = (part: string, bytes: number): string => part.repeat(Math.ceil(bytes / part.length)).slice(0, bytes);
const evidence = (text: (source: number) => string): CheckRequest['evidence'] =>
  Array.from({ length: SOURCES }, (_, at) => ({ source: `Source ${at + 1}`, text: text(at) }));
const repeated = (work: string, other = work): Hostile['request'] => {
  return (share) => ({
    work_product: fill(work, WORK_BYTES * share),
    evidence: evidence(() => fill(other, EVIDENCE_BYTES * share)),
  });
};
const wide = (bytes: number, add: number): string => {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
  const columns = Array.from({ length: COLUMNS }, (_, at) => at);
  let text = row(columns.map((at) => `c${at}`));
  for (let at = 0; text.length < bytes; at += 1) text += row(columns.map((column) => at * column + add));
  return text.slice(0, text.lastIndexOf('\n', bytes) + 1);
};
/** Sentences "NAME got 7 points.", each held against tables of `row`s. */
const overTables = (name: (at: number) => string, row: (at: number) => string, columns = 2): Hostile['request'] => {
  const head = Array.from({ length: columns }, (_, at) => (at === 1 ? 'name' : `n${at}`)).join('|');
  return (share) => ({
    work_product: Array.from({ length: Math.floor(500 * share) }, (_, at) => `${name(at)} got ${at} points.`).join(' '),
    evidence: evidence(() => {
      const rows = Array.from({ length: Math.floor(1_990 * share) }, (_, at) => row(at));
      const text = [head, head.replaceAll(/\w+/g, '---'), ...rows].join('\n').slice(0, EVIDENCE_BYTES * share);
      return text.slice(0, text.lastIndexOf('\n') + 1);
    }),
  });
};
const letters = (at: number): string => at.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
const keys = (count: number): { [key: string]: JsonValue } =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key_${at}`, at]));

export const hostileRequests: readonly Hostile[] = [
  { name: 'one word and a hyphen, without a space', request: repeated('ox-') },
  { name: 'addresses without an end', request: repeated('http://') },
  { name: 'figures and commas', request: repeated('1,') },
  { name: 'brackets that never close', request: repeated('[1](', '{a: [') },
  { name: 'names turned round', request: repeated('Ann Lee met Bo Ruiz. ', 'Bo Ruiz met Ann Lee. ') },
  {
    name: 'one sentence without a stop',
    request: repeated('Ann paid 5 euros to Bo and ', 'Bo paid 5 euros to Ann and '),
  },
  {
    name: 'wide tables',
    request: (share) => ({
      work_product: wide(WORK_BYTES * share, 0),
      evidence: evidence(() => wide(EVIDENCE_BYTES * share, 1)),
    }),
  },
  {
    name: 'sentences over rows of one name',
    request: overTables(
      () => 'Ada Boyle',
      (at) => `${at}|Ada Boyle`,
    ),
  },
  {
    name: 'sentences over rows of many names',
    request: overTables(
      (at) => `Ada Bo${letters(at)}`,
      (at) => `${at}|Ada Bo${letters(at)}`,
    ),
  },
  {
    name: 'sentences over wide rows of one name',
    request: overTables(
      () => 'Ada',
      () => Array.from({ length: COLUMNS }, () => 'Ada').join('|'),
      COLUMNS,
    ),
  },
  {
    name: 'thousands of keys',
    request: (share) => ({
      work_product: keys(Math.floor(3_000 * share)),
      evidence: evidence((source) =>
        Array.from({ length: Math.floor(1_900 * share) }, (_, at) => `key ${at}: ${at + source}`).join('\n'),
      ),
    }),
  },
  {
    name: 'a long rubric',
    request: (share) => ({
      ...repeated(
        'The pump failed on 3 May 2026 at 10:30. ',
        'The pump was replaced on 4 May 2026 by Lind. ',
      )(share * 0.8),
      rubric: Array.from(
        { length: 36 },
        (_, at) => `Figure ${at} agrees ${fill('and names who is responsible ', 900 * share)}`,
      ),
    }),
  },
];
