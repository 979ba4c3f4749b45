import type { JsonValue } from '../../kernel/json-value.ts';
import { clip } from '../quoting.ts';
import type { Work } from '../statements.ts';
import { failing, met, open, proseOf, quote, textOf } from './form-answers.ts';
import { type Leaf, leavesOf, plainName, sectionOf, tablesIn } from './form-measures.ts';
import type { RuleAnswer } from './form-rules.ts';

export function answerColumns(columns: readonly string[], quoted: boolean, work: Work): RuleAnswer {
  const text = textOf(work);
  if (text === undefined) return open('The work is structured and holds no table.');
  const tables = tablesIn(text);
  if (tables.length === 0) return failing('The work has no table.');
  const holds = (header: readonly { text: string }[], column: string): boolean =>
    header.some(
      (cell) =>
        plainName(cell.text) === plainName(column) || ` ${plainName(cell.text)} `.includes(` ${plainName(column)} `),
    );
  const lacking = tables.map(({ header }) => ({ header, columns: columns.filter((column) => !holds(header, column)) }));
  const [best] = lacking.sort((a, b) => a.columns.length - b.columns.length);
  const heads = quote((best?.header ?? []).map((cell) => cell.text));
  if (best === undefined || best.columns.length === 0) return met(`A table of the work has the columns ${heads}.`);
  const reason = `The table of the work has the columns ${heads}, and none called ${quote(best.columns)}.`;
  return quoted || best.header.length < columns.length ? failing(reason) : open(reason);
}

export function answerSections(names: readonly string[], work: Work): RuleAnswer {
  const text = textOf(work);
  const keys = text === undefined ? leavesOf(work.value).map(({ path }) => plainName(path)) : [];
  const lacking = names.filter((name) =>
    text === undefined
      ? !keys.some((key) => ` ${key} `.includes(` ${plainName(name)} `))
      : sectionOf(text, name) === undefined,
  );
  if (lacking.length === 0) return met(`The work has the sections ${quote(names)}.`);
  const reason = `No heading of the work reads ${quote(lacking)}.`;
  const mentioned = lacking.every((name) => plainName(proseOf(work)).includes(plainName(name)));
  return mentioned ? open(`${reason} The words stand elsewhere in it.`) : failing(reason);
}

export function answerJson({ value, plain }: Work): RuleAnswer {
  if (typeof value !== 'string') return met('The work is valid JSON.');
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(plain)?.[1];
  if (fenced !== undefined && parses(fenced))
    return open('The work is valid JSON inside a code fence; with the fence no parser reads it.');
  if (parses(plain)) return met('The work is valid JSON.');
  return failing('The work is text that no JSON parser reads.');
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isRecord = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The records that a list of keys is asked of: the work itself, or the elements of its lists. */
export function answerKeys(keys: readonly string[], { value }: Work): RuleAnswer {
  if (typeof value === 'string') return open('The work is text and has no keys.');
  const lists = isRecord(value) ? Object.values(value) : [value];
  const elements = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  const lackingIn = (record: { [key: string]: JsonValue }): string[] =>
    keys.filter((key) => !Object.hasOwn(record, key));
  if (isRecord(value) && lackingIn(value).length === 0) return met(`The work has the keys ${quote(keys)}.`);
  const known = elements.filter((record) => lackingIn(record).length < keys.length);
  if (known.length > 0 && known.length === elements.length) {
    const broken = elements.find((record) => lackingIn(record).length > 0);
    if (broken === undefined)
      return met(`Each of the ${elements.length} records of the work has the keys ${quote(keys)}.`);
    const lacking = lackingIn(broken);
    return failing(`Record ${elements.indexOf(broken) + 1} of the work has no key ${quote(lacking)}.`, [
      { at: `record ${elements.indexOf(broken) + 1}`, words: lacking.join(', ') },
    ]);
  }
  const anywhere = new Set(leavesOf(value).flatMap(({ path }) => path.split(/[.[\]]+/)));
  const lacking = keys.filter((key) => !anywhere.has(key));
  return lacking.length > 0
    ? failing(`The work has no key ${quote(lacking)}.`)
    : open(`The keys ${quote(keys)} stand in different places of the work.`);
}

export function answerAllowed(field: string, values: readonly string[], work: Work): RuleAnswer {
  const name = plainName(field);
  const text = textOf(work);
  const leaves: Leaf[] =
    text === undefined
      ? leavesOf(work.value).filter(({ key }) => plainName(key) === name)
      : tablesIn(text).flatMap(({ header, rows }) => {
          const at = header.findIndex((cell) => plainName(cell.text) === name);
          return at === -1
            ? []
            : rows.map((row, index) => ({ path: `row ${index + 1}`, key: field, value: row[at]?.text ?? '' }));
        });
  if (leaves.length === 0) return open(`The work has no field or column called “${field}”.`);
  const allowed = new Set(values.map((value) => value.toLowerCase()));
  const broken = leaves.filter(({ value }) => !allowed.has(String(value).toLowerCase()));
  const [first] = broken;
  if (first === undefined) return met(`All ${leaves.length} values of “${field}” are among ${quote(values)}.`);
  return failing(
    `“${clip(String(first.value), 80)}” (${first.path}) is not among ${quote(values)}.`,
    broken.map(({ path, value }) => ({ at: path, words: clip(String(value)) })),
  );
}

/** Figures with a unit or currency: "3 years", "€ 12.50", "10.4 kg". */
const MEASURED = /^[-+]?(?:[$€£¥] ?|[A-Z]{3} )?\d[\d.,]*(?: ?(?:%|[\p{L}°µ²³/.]{1,12}))?(?: [\p{L}]{1,12})?$/u;
const MEASURED_FIELD =
  /(?:^|_)(?:eur|usd|gbp|kg|g|km|m|cm|mm|l|ml|w|kw|kwh|db|percent|pct|days|hours|months|years|minutes|seconds|amount|price|cost|total|sum|quantity|qty|count)$/;

/** In structured work: a field that holds numbers in other records, or is called by a unit, holds a string here. */
export function answerPlainNumbers(work: Work): RuleAnswer {
  if (textOf(work) !== undefined)
    return open('The work is text; whether its figures are plain numbers depends on who reads it in.');
  const leaves = leavesOf(work.value);
  const column = ({ path }: Leaf): string => path.replaceAll(/\[\d+\]/g, '[]');
  const numeric = new Set(leaves.filter(({ value }) => typeof value === 'number').map(column));
  const broken = leaves.filter(
    (leaf) =>
      typeof leaf.value === 'string' &&
      /\d/.test(leaf.value) &&
      (numeric.has(column(leaf)) || (MEASURED_FIELD.test(leaf.key.toLowerCase()) && MEASURED.test(leaf.value))),
  );
  const [first] = broken;
  const shown = leaves.filter(({ value }) => typeof value === 'number').length;
  if (first !== undefined)
    return failing(
      `${first.path} holds the text “${clip(String(first.value), 80)}”${numeric.has(column(first)) ? `, where other records hold a number in “${first.key}”` : ', not a number'}.`,
      broken.map(({ path, value }) => ({ at: path, words: clip(String(value)) })),
    );
  if (shown === 0) return open('The work holds no plain number.');
  return met(
    `The work holds ${shown} plain ${shown === 1 ? 'number' : 'numbers'}, and text in no field that holds a number in another record.`,
  );
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const OTHER_DATE = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/-])(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{1,2}(?:st|nd|rd|th)? ${MONTH}\.?,? \d{4}|${MONTH}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}/\d{1,2}/\d{1,2})(?![\p{L}\p{N}])`,
  'giu',
);
const ISO_DATE = /(?<![\p{L}\p{N}-])\d{4}-\d{2}-\d{2}(?!\d)/gu;

/** Of a record the fields that hold a date and nothing else: a text may tell a date as people do. */
export function answerIsoDates(work: Work): RuleAnswer {
  const isText = typeof work.value === 'string';
  const texts = isText ? [proseOf(work)] : leavesOf(work.value).map(({ value }) => String(value).trim());
  const datesIn = (pattern: RegExp): string[] =>
    texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(([one]) => (isText || one === text ? [one] : [])));
  const [other, iso] = [datesIn(OTHER_DATE), datesIn(ISO_DATE)];
  if (other.length > 0)
    return failing(
      `The work has ${quote(other.slice(0, 3))}, which ${other.length === 1 ? 'is no ISO 8601 date' : 'are no ISO 8601 dates'}.`,
      other.slice(0, 5).map((words) => ({ at: 'the work', words })),
    );
  return iso.length > 0
    ? met(
        `The work has ${iso.length} ${iso.length === 1 ? 'date' : 'dates'} such as “${iso[0]}”, and none written otherwise.`,
      )
    : open('The work has no full date.');
}
