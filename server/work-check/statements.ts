import { type JsonValue, parsedIfJson } from '../kernel/json-value.ts';
import { bounds, type StatementKind } from './contract.ts';
import { isCount } from './reading/cell-figure.ts';
import { isHeading } from './reading/headings.ts';
import { isInstruction } from './reading/instructions.ts';
import { readQuantities } from './reading/quantities.ts';
import type { Quantity } from './reading/quantity.ts';
import { type Span, splitSentences } from './reading/sentences.ts';
import { readTables, type Table } from './reading/tables.ts';
import type { Token } from './reading/token.ts';
import { isContent, tokenize } from './reading/tokens.ts';

/** One statement of the work that evidence can bear out or contradict. */
export type Statement = {
  /** Where it stands, in words: `statement 3`, or the path of a field such as `lines[2].amount`. */
  at: string;
  /** Where it stands in the work: UTF-16 offsets into its text, or a JSON Pointer. */
  place: Span | { path: string };
  /** As it stands there; marks of Markdown are blanked, so lengths stay. */
  text: string;
  tokens: Token[];
  quantities: Quantity[];
  kind: StatementKind;
  instruction: boolean;
  /** The heading or opening line that it stands under, or the names of the fields above it. */
  under: string;
  /** Advice, a wish or a promise: nothing in it is true or false by the evidence. */
  advice: boolean;
  /** For a field of a record: its name, its value, and the other values that tell which record it is, with their names. */
  record:
    | {
        column: string;
        keys: string[];
        names: string[];
        /** Figures in the other fields of structured work. */
        figures: string[];
        value: string;
        identity: string | undefined;
      }
    | undefined;
};

/** Figures of one statement that are compared; a sentence of honest work holds fewer. */
const FIGURES_MAX = 40;

export type Work = {
  statements: Statement[];
  plain: string;
  /** The work as JSON when it is structured; its text otherwise. */
  value: JsonValue;
  /** The text itself, when the work is text without tables. */
  whole: string | undefined;
  /** Elements of the list that the work is, or holds as its only list. */
  items: number | undefined;
  left_out: number;
};

/** Splits a work product into statements: sentences, list items and table cells of a text, fields of structured work. */
export function readWork(product: JsonValue): Work {
  const value = parsedIfJson(product);
  const statements = typeof value === 'string' ? textStatements(value) : fieldStatements(value);
  const plain = typeof product === 'string' ? product : statements.map((statement) => statement.text).join('\n');
  const left_out = Math.max(0, statements.length - bounds.statements);
  return {
    statements: statements.slice(0, bounds.statements),
    plain,
    value,
    whole: typeof value === 'string' && !statements.some(({ record }) => record !== undefined) ? value : undefined,
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

const COURTESY =
  /^(?:hi|hello|dear|hey|thanks?|thank you|best|kind|sincerely|regards|cheers|please (?:let|feel)|let me know|i hope|we hope|here (?:is|are)|sure|of course|certainly)\b/i;
/** A greeting may name an order or a date and is one still. */
const COURTESY_WORDS = 5;
const ADVICE =
  /^(?:(?:our |my )?(?:recommendation|advice|suggestion|proposal|next steps?|to do|action needed)s?\s*[:.–-]|(?:proposed|suggested|recommended|better) (?:wording|text|change|version|translation|reply|fix)\b|(?:we|i) (?:recommend|suggest|advise|propose)\b|(?:please|consider|just tell|let us|make sure)\b)/i;

/** Cells of the tables in a text, each with its column and what else stands in its row. */
function cellStatements(tables: readonly Table[]): Statement[] {
  return tables.flatMap(({ header, rows }, table) =>
    rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) => {
        const name = header[column]?.text ?? '';
        if (column === 0 || cell.text === '' || name === '') return [];
        const rest = cells.flatMap(({ text }, other) =>
          other === column ? [] : [{ text, name: header[other]?.text ?? '' }],
        );
        const [keys, names] = [rest.map((one) => one.text), rest.map((one) => one.name)];
        const at = `table ${table + 1}, row ${row + 1}, ${name}`;
        const text = `${name} of ${cells[0]?.text ?? ''}: ${cell.text}`;
        const place = { start: cell.start, end: cell.end };
        return [
          {
            ...makeStatement(
              { at, text, kind: 'cell', place },
              isCount(cell.text, name) ? text.length - cell.text.length : -1,
            ),
            record: { column: name, keys, names, figures: [], value: cell.text, identity: cells[0]?.text },
          },
        ];
      }),
    ),
  );
}

/** "The Harbour Line is the fastest-growing line in the country:" says something, whatever comes after it. */
const states = (sentence: string): boolean =>
  sentence.trimEnd().endsWith(':') &&
  sentence.trim().split(/\s+/).length >= STATING_WORDS_MIN &&
  /\b(?:is|are|was|were|has|have|had|will|can|cannot|must|did)\b/.test(sentence);

const STATING_WORDS_MIN = 7;

/** Marks at the start of a list item, and the blanks behind it. */
const LIST_MARK = /^(?:[-*•>]|\d{1,3}[.)])\s+/;

function textStatements(whole: string): Statement[] {
  const tables = readTables(whole, 0).filter(({ rows }) => rows.length > 0);
  const statements: Statement[] = [];
  const text = blankTables(whole, tables);
  const lines = whole.trim().split('\n').length;
  let under = '';
  for (const [index, { start, end }] of splitSentences(text).entries()) {
    const raw = text.slice(start, end);
    const mark = LIST_MARK.exec(raw)?.[0].length ?? 0;
    const sentence = raw.slice(mark).replaceAll(/\*\*|__|`/g, blanks);
    if (/:\s*$/.test(sentence)) under = sentence;
    if (/[?:]\s*$/.test(sentence) && !states(sentence)) continue;
    const kind = mark > 0 ? 'item' : 'sentence';
    const statement = makeStatement({
      at: `sentence ${index + 1}`,
      text: sentence,
      kind,
      place: { start: start + mark, end },
    });
    if (mark === 0 && lines > 1 && isHeading(raw, whole, { start, end }, statement.quantities)) {
      under = sentence;
      continue;
    }
    const content = statement.tokens.filter(isContent).length;
    if (content < 2 && statement.quantities.length === 0) {
      // "Results." opens a paragraph and is no statement.
      under = sentence;
      continue;
    }
    statement.under = under;
    if (COURTESY.test(sentence) && (statement.quantities.length === 0 || content <= COURTESY_WORDS)) continue;
    statements.push(statement);
  }
  const ordered = [...statements, ...cellStatements(tables)].sort((a, b) => startOf(a) - startOf(b));
  // By the number that a report lists it under.
  return ordered.map((statement, at) =>
    statement.kind === 'cell' ? statement : { ...statement, at: `statement ${at + 1}` },
  );
}

/** As many blanks as characters, so that places stay. */
const blanks = (found: string): string => ' '.repeat(found.length);

const startOf = ({ place }: Statement): number => ('start' in place ? place.start : 0);

/** The lines of a table are read as cells and not again as sentences; lengths stay, so places stay. */
function blankTables(whole: string, tables: readonly Table[]): string {
  let text = whole;
  for (const cells of tables.flatMap(({ header, rows }) => [header, ...rows])) {
    const from = whole.lastIndexOf('\n', cells[0]?.start ?? 0) + 1;
    const next = whole.indexOf('\n', cells.at(-1)?.end ?? 0);
    const to = next === -1 ? whole.length : next;
    text = text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
  }
  return text;
}

function fieldStatements(product: JsonValue): Statement[] {
  const statements: Statement[] = [];
  const visit = (value: JsonValue, at: string, path: string, label: string): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${at}[${index}]`, `${path}/${index}`, label);
    } else if (typeof value === 'object' && value !== null) {
      const beside = besideIn(value);
      for (const [key, item] of Object.entries(value)) {
        const [next, nextPath] = [at === '' ? key : `${at}.${key}`, `${path}/${pointerToken(key)}`];
        if ((typeof item === 'object' && item !== null) || item === '') visit(item, next, nextPath, wordsOfKey(key));
        else statements.push(fieldStatement({ at: next, path: nextPath }, key, item, beside));
      }
    } else if (value !== null && value !== '') {
      const text = label === '' ? String(value) : `${label}: ${String(value)}`;
      const record = { column: label, keys: [], names: [], figures: [], value: String(value), identity: undefined };
      statements.push({ ...makeStatement({ at, text, kind: 'leaf', place: { path } }), record });
    }
  };
  visit(product, '', '', '');
  return statements;
}

/** A key as a JSON Pointer writes it (RFC 6901). */
const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** What the other fields of a record say of one: worked out once for each record, and bounded. */
type Beside = { texts: [string, string][]; figures: [string, string][]; identity: string | undefined };
const BESIDE_MAX = 60;

function besideIn(record: { [key: string]: JsonValue }): Beside {
  const entries = Object.entries(record).slice(0, BESIDE_MAX);
  return {
    texts: entries.flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' && value !== '' ? [[key, value]] : [],
    ),
    figures: entries.flatMap(([key, value]): [string, string][] =>
      typeof value === 'number' ? [[key, String(value)]] : [],
    ),
    identity: nameOf(record),
  };
}

function fieldStatement(
  { at, path }: { at: string; path: string },
  key: string,
  item: JsonValue,
  beside: Beside,
): Statement {
  const rest = beside.texts.filter(([other]) => other !== key);
  const [keys, names] = [rest.map(([, value]) => value), rest.map(([other]) => wordsOfKey(other))];
  const figures = beside.figures.flatMap(([other, value]) => (other === key ? [] : [value]));
  const column = wordsOfKey(key);
  const count = isCount(String(item), column) ? column.length + ': '.length : -1;
  const made = makeStatement({ at, text: `${column}: ${String(item)}`, kind: 'leaf', place: { path } }, count);
  return { ...made, record: { column, keys, names, figures, value: String(item), identity: beside.identity } };
}

const IDENTITY =
  /^(?:name|item|title|product|test|candidate|ticket|id|key|code|sku|article|description|position|line|course|person|company|supplier|bidder|event|task|number|ref|reference|label)\b/;
const IDENTITY_CHARS_MAX = 80;

/** The value by which a record is known: a field called name, item, id …, else its first text. */
export function nameOf(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  );
  const chosen = texts.find(([key]) => IDENTITY.test(wordsOfKey(key))) ?? texts[0];
  return chosen !== undefined && chosen[1].length <= IDENTITY_CHARS_MAX ? chosen[1] : undefined;
}

/** `invoiceTotal` and `invoice_total` read as "invoice total". */
export function wordsOfKey(key: string): string {
  return key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-./]+/g, ' ')
    .toLowerCase()
    .trim();
}

/** `[1]`, `[2, 3]`, `[^4]`: points to a source and says nothing itself. */
const CITATION_MARK = /\[\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*\]/g;

/** "**Condition.** The deck is poor", "Outlook: Certificates are renewed": a heading within the line. Names are none. */
const RUN_IN_HEADING =
  /^\s*(?:\p{Lu}\p{Ll}*(?:tion|sion|ity|ing|ment|ance|ence)s?|Outlook|Background|Incidents?|Options?|Tasks?|Risks?|Costs?|Results?|Findings?|Notes?|Next steps?|Deliver(?:y|ies)|Status|Summary|Overview|Context|Scope|Causes?|Impact|Dates?|Deadlines?|Actions?|Reasons?|Details?|Not known|Open (?:points?|questions?))\s*[.:]\s+(?=["“']?(?:\p{Lu}|\d))/u;

type Made = Pick<Statement, 'at' | 'text' | 'kind' | 'place'>;

/** `count`: where four digits stand that are no year. */
function makeStatement({ at, text, kind, place }: Made, count = -1): Statement {
  const said = kind === 'leaf' || kind === 'cell' ? text : text.replace(RUN_IN_HEADING, blanks);
  const tokens = tokenize(said.includes('[') ? said.replaceAll(CITATION_MARK, blanks) : said);
  return {
    at,
    place,
    text,
    tokens,
    quantities: readQuantities(tokens, undefined, ({ start }) => start !== count).slice(0, FIGURES_MAX),
    kind,
    instruction: isInstruction(text, tokens),
    under: typeof place === 'object' && 'path' in place ? wordsOfKey(place.path.replaceAll(/\/\d+|\//g, ' ')) : '',
    advice: kind !== 'leaf' && kind !== 'cell' && ADVICE.test(text.trim()),
    record: undefined,
  };
}
