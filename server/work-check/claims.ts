import { type JsonValue, parsedIfJson } from './json-value.ts';
import { isInstruction } from './reading/instructions.ts';
import { type Quantity, readQuantities } from './reading/quantities.ts';
import { splitSentences } from './reading/sentences.ts';
import { isContent, type Token, tokenize } from './reading/tokens.ts';
import { readTables, type Table } from './tables.ts';

/** One statement of the work that evidence can bear out or contradict. */
export type Claim = {
  /** Where it stands: `sentence 3`, or the path of a field such as `lines[2].amount`. */
  at: string;
  text: string;
  tokens: Token[];
  quantities: Quantity[];
  kind: 'sentence' | 'field';
  instruction: boolean;
  /** For a field of a record: its name, its value, and the other values that tell which record it is. */
  record: { column: string; keys: string[]; value: string } | undefined;
};

/** More statements than any honest work of 65,536 bytes holds; the rest is named in the limitations. */
const CLAIMS_MAX = 2_000;

export type Work = {
  claims: Claim[];
  plain: string;
  /** The text itself, when the work is text. */
  whole: string | undefined;
  /** Elements of the list that the work is, or holds as its only list. */
  items: number | undefined;
  left_out: number;
};

/** Splits a work product into statements: sentences of a text, fields of structured work. */
export function readWork(product: JsonValue): Work {
  const value = parsedIfJson(product);
  const claims = typeof value === 'string' ? textClaims(value) : fieldClaims(value);
  const plain = typeof product === 'string' ? product : claims.map((claim) => claim.text).join('\n');
  const left_out = Math.max(0, claims.length - CLAIMS_MAX);
  return {
    claims: claims.slice(0, CLAIMS_MAX),
    plain,
    whole: typeof value === 'string' && !claims.some((claim) => claim.record !== undefined) ? value : undefined,
    items: itemsOf(value),
    left_out,
  };
}

function itemsOf(product: JsonValue): number | undefined {
  if (typeof product !== 'object' || product === null) return undefined;
  if (Array.isArray(product)) return product.length;
  const lists = Object.values(product).filter((value) => Array.isArray(value));
  return lists.length === 1 ? lists[0]?.length : undefined;
}

const HEADING = /^#{1,6}\s|^(?:\*\*|__)[^*_]+(?:\*\*|__):?$/;
const COURTESY =
  /^(?:hi|hello|dear|hey|thanks?|thank you|best|kind|sincerely|regards|cheers|please (?:let|feel)|let me know|i hope|we hope|here (?:is|are)|sure|of course|certainly)\b/i;

/** Cells of the tables in a text, each with its column and what else stands in its row. */
function cellClaims(tables: readonly Table[]): Claim[] {
  return tables.flatMap(({ header, rows }, table) =>
    rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) => {
        const name = header[column]?.text ?? '';
        if (column === 0 || cell.text === '' || name === '') return [];
        const keys = cells.filter((_, other) => other !== column).map(({ text }) => text);
        const at = `table ${table + 1}, row ${row + 1}, ${name}`;
        const text = `${name} of ${cells[0]?.text ?? ''}: ${cell.text}`;
        return [{ ...makeClaim(at, text, 'field'), record: { column: name, keys, value: cell.text } }];
      }),
    ),
  );
}

function textClaims(whole: string): Claim[] {
  const tables = readTables(whole, 0).filter(({ rows }) => rows.length > 0);
  const claims = cellClaims(tables);
  // The lines of a table are read as cells and not again as sentences; lengths stay, so places stay.
  const lines = tables.flatMap(({ header, rows }) => [header, ...rows]);
  let text = whole;
  for (const cells of lines) {
    const from = whole.lastIndexOf('\n', cells[0]?.start ?? 0) + 1;
    const next = whole.indexOf('\n', cells.at(-1)?.end ?? 0);
    const to = next === -1 ? whole.length : next;
    text = text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
  }
  for (const [index, { start, end }] of splitSentences(text).entries()) {
    const raw = text.slice(start, end);
    if (HEADING.test(raw)) continue;
    const sentence = raw.replace(/^(?:[-*•>]|\d+[.)])\s+/, '').replaceAll(/\*\*|__|`/g, '');
    if (sentence.endsWith('?') || sentence.endsWith(':')) continue;
    const claim = makeClaim(`sentence ${index + 1}`, sentence, 'sentence');
    const content = claim.tokens.filter(isContent).length;
    if (content < 2 && claim.quantities.length === 0) continue;
    if (COURTESY.test(sentence) && claim.quantities.length === 0) continue;
    claims.push(claim);
  }
  return claims;
}

function fieldClaims(product: JsonValue): Claim[] {
  const claims: Claim[] = [];
  const visit = (value: JsonValue, path: string, label: string): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`, label);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const at = path === '' ? key : `${path}.${key}`;
        if (typeof item === 'object' || item === '') visit(item, at, wordsOfKey(key));
        else claims.push(fieldClaim(at, key, item, value));
      }
    } else if (value !== null && value !== '') {
      claims.push(makeClaim(path, label === '' ? String(value) : `${label}: ${String(value)}`, 'field'));
    }
  };
  visit(product, '', '');
  return claims;
}

function fieldClaim(at: string, key: string, item: JsonValue, record: { [key: string]: JsonValue }): Claim {
  const keys = Object.entries(record)
    .filter(([other, value]) => other !== key && typeof value === 'string' && value !== '')
    .map(([, value]) => String(value));
  const column = wordsOfKey(key);
  return { ...makeClaim(at, `${column}: ${String(item)}`, 'field'), record: { column, keys, value: String(item) } };
}

/** `invoiceTotal` and `invoice_total` read as "invoice total". */
function wordsOfKey(key: string): string {
  return key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-./]+/g, ' ')
    .toLowerCase()
    .trim();
}

function makeClaim(at: string, text: string, kind: Claim['kind']): Claim {
  const tokens = tokenize(text);
  return {
    at,
    text,
    tokens,
    quantities: readQuantities(tokens),
    kind,
    instruction: isInstruction(text, tokens),
    record: undefined,
  };
}
