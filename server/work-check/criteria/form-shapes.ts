import { francAll } from 'franc';
import type { JsonValue } from '../json-value.ts';
import { clip } from '../quoting.ts';
import type { Work } from '../statements.ts';
import { tablesIn, textOf } from './form-counts.ts';
import {
  headingsOf,
  isProse,
  type Leaf,
  leavesOf,
  listItems,
  plainName,
  readabilityOf,
  sectionOf,
  wordsOf,
} from './form-measures.ts';
import { type Feature, type FormRule, LANGUAGE_CODES, languageName, type RuleAnswer } from './form-rules.ts';

type ShapeRule = Exclude<FormRule, { kind: 'count' | 'as_requested' }>;

const met = (reason: string): RuleAnswer => ({ status: 'met', reason });
const open = (reason: string): RuleAnswer => ({ status: 'not_assessable', reason });
const failing = (reason: string, failed: RuleAnswer['failed'] = []): RuleAnswer => ({
  status: 'missing',
  reason,
  failed,
});
const quote = (words: readonly string[]): string => words.map((word) => `“${clip(word, 80)}”`).join(', ');

export function answerShape(rule: ShapeRule, work: Work): RuleAnswer {
  switch (rule.kind) {
    case 'pages':
      return open(
        `Whether the work fits ${rule.pages === 1 ? 'one page' : `${rule.pages} pages`} depends on how it is printed; it has ${wordsOf(proseOf(work)).length} words.`,
      );
    case 'has':
      return rule.wanted ? answerHas(rule.what, work) : answerHasNot(rule.what, work);
    case 'columns':
      return answerColumns(rule.columns, rule.quoted, work);
    case 'sections':
      return answerSections(rule.names, work);
    case 'json':
      return answerJson(work);
    case 'keys':
      return answerKeys(rule.keys, work);
    case 'allowed':
      return answerAllowed(rule.field, rule.values, work);
    case 'language':
      return answerLanguage(rule.code, work);
    case 'reading':
      return answerReading(rule, work);
    case 'phrase':
      return answerPhrase(rule.where, rule.phrase, work);
    case 'capitals':
      return answerCapitals(rule, work);
    case 'plain_numbers':
      return answerPlainNumbers(work);
    case 'iso_dates':
      return answerIsoDates(work);
    case 'no_markdown':
      return answerNoMarkdown(work);
    default:
      return rule satisfies never;
  }
}

/** The work as it would be read aloud: its text, or the strings of structured work, one a line. */
function proseOf(work: Work): string {
  return (
    textOf(work) ??
    leavesOf(work.value)
      .filter(({ value }) => typeof value === 'string')
      .map(({ value }) => String(value))
      .join('\n')
  );
}

function instancesOf(what: Feature, text: string): string[] {
  const matched = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);
  switch (what) {
    case 'headings':
      return headingsOf(text).map((heading) => heading.text);
    case 'bullets':
      return listItems(text).flatMap((item) => (item.numbered ? [] : [item.text]));
    case 'a numbered list':
      return listItems(text).flatMap((item) => (item.numbered ? [item.text] : []));
    case 'a list':
      return listItems(text).map((item) => item.text);
    case 'a table':
      return tablesIn(text).map(({ header }) => header.map((cell) => cell.text).join(' | '));
    case 'emoji':
      return matched(/\p{Emoji_Presentation}/gu);
    case 'exclamation marks':
      return matched(/[^\s!]{0,20}!(?!=)/g);
    case 'links':
      return matched(/\bhttps?:\/\/[^\s)>\]]{1,200}|\[[^\]\n]{1,100}\]\([^)\s]{1,200}\)/g);
    case 'code blocks':
      return matched(/^```[^\n]{0,40}/gm);
    default:
      return what satisfies never;
  }
}

function answerHas(what: Feature, work: Work): RuleAnswer {
  const text = textOf(work);
  if (text === undefined) return open(`The work is structured; whether ${what} should stand in it is not plain.`);
  const found = instancesOf(what, text);
  if (found.length > 0) return met(`The work has ${what}, such as ${quote(found.slice(0, 1))}.`);
  // "Limits. The bikes stayed in …" is a heading to some and none to others.
  const leads = text.match(/(?:^|\n)\p{Lu}\p{L}*(?: \p{L}+){0,2}[.:]\s+\p{Lu}/gu) ?? [];
  const runIn = what === 'headings' && leads.length > 1;
  return runIn
    ? open('No line of the work is a heading; paragraphs of it open with words that may stand for one.')
    : failing(`The work has no ${what.replace(/^an? /, '')}.`);
}

function answerHasNot(what: Feature, work: Work): RuleAnswer {
  const text = proseOf(work);
  const found =
    what === 'headings'
      ? headingsOf(text).flatMap((heading) => (heading.marked ? [heading.text] : []))
      : instancesOf(what, text);
  const none = what.replace(/^an? /, '');
  if (found.length === 0) return met(`The work has no ${none}.`);
  return failing(
    `The work has ${what}: ${quote(found.slice(0, 3))}.`,
    found.slice(0, 5).map((words) => ({ at: what, words: clip(words) })),
  );
}

function answerColumns(columns: readonly string[], quoted: boolean, work: Work): RuleAnswer {
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

function answerSections(names: readonly string[], work: Work): RuleAnswer {
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

function answerJson({ value, plain }: Work): RuleAnswer {
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
function answerKeys(keys: readonly string[], { value }: Work): RuleAnswer {
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

function answerAllowed(field: string, values: readonly string[], work: Work): RuleAnswer {
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

const LETTERS_MIN = 100;
/** The second best language may reach this share of the best one's score; nearer ones are not told apart. */
const RUNNER_UP_MAX = 0.9;

function answerLanguage(code: string, work: Work): RuleAnswer {
  const text =
    textOf(work) ??
    leavesOf(work.value)
      .filter(isProse)
      .map(({ value }) => String(value))
      .join('\n');
  if ((text.match(/\p{L}/gu) ?? []).length < LETTERS_MIN) return open('The work is too short to tell its language.');
  const [best, second] = francAll(text.slice(0, 20_000), { only: [...LANGUAGE_CODES] });
  if (best === undefined || best[0] === 'und' || (second !== undefined && second[1] > RUNNER_UP_MAX))
    return open('The language of the work could not be told for certain.');
  const name = languageName(best[0]);
  return best[0] === code
    ? met(`By its letters the work is in ${name}.`)
    : failing(`By its letters the work is in ${name}; ${languageName(code)} is asked for.`);
}

/** The formulas are rough: within this of the bound they decide nothing. */
const GRADE_SLACK = 1;
const EASE_SLACK = 5;

function answerReading({ index, min, max, asked }: Extract<FormRule, { kind: 'reading' }>, work: Work): RuleAnswer {
  const found = readabilityOf(proseOf(work));
  if (found === undefined) return open('The work has no whole sentences whose reading level could be worked out.');
  const value = index === 'grade' ? found.grade : found.ease;
  const called = index === 'grade' ? 'Flesch–Kincaid grade level' : 'Flesch reading ease';
  const shown = `By formula the work has a ${called} of ${value} (${found.words} words in ${found.sentences} sentences)`;
  if (min === undefined && max === undefined)
    return open(`${shown}; what that means for “${clip(asked)}” is for a person to judge.`);
  const bound = max === undefined ? `at least ${min}` : `at most ${max}`;
  const over = max === undefined ? (min ?? 0) - value : value - max;
  const reason = `${shown}; ${bound} is asked for.`;
  if (over <= 0) return met(reason);
  return over > (index === 'grade' ? GRADE_SLACK : EASE_SLACK)
    ? failing(reason)
    : open(`${reason} That is within the error of the formula.`);
}

const flat = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/\*\*|__/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function answerPhrase(where: 'start' | 'end' | 'anywhere' | 'nowhere', phrase: string, work: Work): RuleAnswer {
  const text = proseOf(work);
  const [whole, sought] = [flat(text).replace(/^#+ /, ''), flat(phrase)];
  const shown = quote([phrase]);
  switch (where) {
    case 'start':
      return whole.startsWith(sought)
        ? met(`The work starts with ${shown}.`)
        : failing(`The work starts with ${quote([text.trim().slice(0, 60)])}, not with ${shown}.`);
    case 'end': {
      const ends = whole.endsWith(sought) || whole.replace(/[.!?]$/, '').endsWith(sought.replace(/[.!?]$/, ''));
      return ends
        ? met(`The work ends with ${shown}.`)
        : failing(`The work ends with ${quote([text.trim().slice(-60)])}, not with ${shown}.`);
    }
    case 'anywhere':
      return whole.includes(sought)
        ? met(`The work contains ${shown}.`)
        : failing(`The work does not contain ${shown}.`);
    case 'nowhere': {
      const found = new RegExp(
        `(?<![\\p{L}\\p{N}])${sought.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
        'u',
      ).test(whole);
      return found
        ? failing(`The work contains ${shown}.`, [{ at: 'the work', words: phrase }])
        : met(`The work does not contain ${shown}.`);
    }
    default:
      return where satisfies never;
  }
}

const SHOUTED = /(?<![\p{L}\p{N}-])\p{Lu}{4,}(?:\s+\p{Lu}{4,})+(?![\p{L}\p{N}-])/gu;

function answerCapitals({ wanted, about }: Extract<FormRule, { kind: 'capitals' }>, work: Work): RuleAnswer {
  const text = proseOf(work);
  if (!wanted) {
    const found = text.match(SHOUTED) ?? [];
    return found.length === 0
      ? met('No two words in a row of the work are in capitals.')
      : failing(
          `The work has ${quote(found.slice(0, 3))} in capitals.`,
          found.slice(0, 5).map((words) => ({ at: 'the work', words: clip(words) })),
        );
  }
  const headings = headingsOf(text).map((heading) => heading.text);
  const meant = about.some((word) => /^(?:title|headline)$/.test(word))
    ? headings.slice(0, 1)
    : about.some((word) => /heading/.test(word))
      ? headings
      : about.length === 0
        ? [text]
        : [];
  if (meant.length === 0) return open('Which words of the work should be in capitals could not be told.');
  const broken = meant.find((part) => /\p{Ll}/u.test(part));
  return broken === undefined
    ? met(`${quote(meant.slice(0, 1))} is in capitals.`)
    : failing(`${quote([broken])} is not all in capitals.`, [{ at: 'the work', words: clip(broken) }]);
}

/** Figures with a unit or currency: "3 years", "€ 12.50", "10.4 kg". */
const MEASURED = /^[-+]?(?:[$€£¥] ?|[A-Z]{3} )?\d[\d.,]*(?: ?(?:%|[\p{L}°µ²³/.]{1,12}))?(?: [\p{L}]{1,12})?$/u;
const MEASURED_FIELD =
  /(?:^|_)(?:eur|usd|gbp|kg|g|km|m|cm|mm|l|ml|w|kw|kwh|db|percent|pct|days|hours|months|years|minutes|seconds|amount|price|cost|total|sum|quantity|qty|count)$/;

/** In structured work: a field that holds numbers in other records, or is called by a unit, holds a string here. */
function answerPlainNumbers(work: Work): RuleAnswer {
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

function answerIsoDates(work: Work): RuleAnswer {
  const text = proseOf(work);
  const other = [...text.matchAll(OTHER_DATE)].map(([found]) => found);
  const iso = text.match(ISO_DATE) ?? [];
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

const MARKDOWN =
  /^#{1,6} \S[^\n]{0,60}|\*\*[^*\n]{1,80}\*\*|^```[^\n]{0,40}|\[[^\]\n]{1,100}\]\([^)\s]{1,200}\)|^\|? ?:?-{3,}:? ?\|[^\n]{0,60}/gm;

function answerNoMarkdown(work: Work): RuleAnswer {
  const found = proseOf(work).match(MARKDOWN) ?? [];
  if (found.length === 0) return met('The work holds no headings, bold type, links, tables or code of Markdown.');
  return failing(
    `The work holds Markdown: ${quote(found.slice(0, 3))}.`,
    found.slice(0, 5).map((words) => ({ at: 'the work', words: clip(words) })),
  );
}
