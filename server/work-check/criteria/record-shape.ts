import type { JsonValue } from '../../kernel/json-value.ts';
import { clip } from '../quoting.ts';
import { readQuantities } from '../reading/quantities.ts';
import { stem, tokenize } from '../reading/tokens.ts';
import { wordsOfKey } from '../statements.ts';
import type { Kind, Reader } from './reader.ts';

type Field = { path: string; key: string; value: JsonValue };
type List = { path: string; key: string; items: JsonValue[] };

/** Every field and every list of structured work, with the key that each stands under. */
function fieldsIn(value: JsonValue, path = '', key = ''): { fields: Field[]; lists: List[] } {
  if (typeof value !== 'object' || value === null) return { fields: [{ path, key, value }], lists: [] };
  const inner = Object.entries(value).map(([name, item]) =>
    Array.isArray(value)
      ? fieldsIn(item, `${path}[${name}]`, key)
      : fieldsIn(item, path === '' ? name : `${path}.${name}`, name),
  );
  const isEmpty = inner.length === 0 && path !== '';
  return {
    fields: [...(isEmpty ? [{ path, key, value: '' }] : []), ...inner.flatMap(({ fields }) => fields)],
    lists: [...(Array.isArray(value) ? [{ path, key, items: value }] : []), ...inner.flatMap(({ lists }) => lists)],
  };
}

type Answer = { holds: boolean; reason: string } | undefined;
type Rule = { asked: RegExp; answer: (all: ReturnType<typeof fieldsIn>, criterion: string) => Answer };

const SHOWN = 4;
const some = (paths: readonly string[]): string => paths.slice(0, SHOWN).join(', ');

function duplicates({ lists }: { lists: readonly List[] }): Answer {
  if (lists.length === 0) return undefined;
  for (const { path, items } of lists) {
    const seen = new Map<string, number>();
    for (const [at, item] of items.entries()) {
      const written = JSON.stringify(item);
      const first = seen.get(written);
      if (first !== undefined)
        return { holds: false, reason: `${path || 'The list'}[${at}] repeats [${first}]: ${clip(written, 80)}.` };
      seen.set(written, at);
    }
  }
  const counted = lists.reduce((sum, { items }) => sum + items.length, 0);
  return { holds: true, reason: `No two of the ${counted} elements in the lists of the work are the same.` };
}

function without(fields: readonly Field[], isOne: (value: JsonValue) => boolean, word: string): Answer {
  const found = fields.filter(({ value }) => isOne(value)).map(({ path }) => path);
  return found.length === 0
    ? { holds: true, reason: `None of the ${fields.length} fields of the work is ${word}.` }
    : { holds: false, reason: `${some(found)} ${found.length === 1 ? 'is' : 'are'} ${word}.` };
}

const CASES: readonly { name: string; asked: RegExp; written: RegExp }[] = [
  { name: 'snake_case', asked: /snake[_ -]?case/i, written: /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/ },
  { name: 'camelCase', asked: /camel[_ -]?case/i, written: /^[a-z][a-zA-Z\d]*$/ },
  { name: 'kebab-case', asked: /kebab[_ -]?case/i, written: /^[a-z][a-z\d]*(?:-[a-z\d]+)*$/ },
];

function keyCase({ fields, lists }: ReturnType<typeof fieldsIn>, criterion: string): Answer {
  const wanted = CASES.find(({ asked }) => asked.test(criterion));
  const keys = [
    ...new Set([...fields, ...lists].flatMap(({ path }) => path.replaceAll(/\[\d+\]/g, '').split('.'))),
  ].filter(Boolean);
  if (wanted === undefined || keys.length === 0) return undefined;
  const other = keys.filter((key) => !wanted.written.test(key));
  return other.length === 0
    ? { holds: true, reason: `Each of the ${keys.length} keys of the work is in ${wanted.name}.` }
    : { holds: false, reason: `${some(other)} ${other.length === 1 ? 'is' : 'are'} not in ${wanted.name}.` };
}

/** "Exactly three invoices" of the list `open_invoices`. */
function countOf({ lists }: { lists: readonly List[] }, criterion: string): Answer {
  const [count, ...more] = readQuantities(tokenize(criterion));
  const noun = stem(/(\p{L}+)\.?$/u.exec(criterion.trim())?.[1] ?? '');
  if (count?.kind !== 'number' || more.length > 0) return undefined;
  const named = lists.filter(({ key }) =>
    wordsOfKey(key)
      .split(' ')
      .some((word) => stem(word) === noun),
  );
  const [list, ...others] = named;
  if (list === undefined || others.length > 0) return undefined;
  return {
    holds: list.items.length === count.value,
    reason: `“${list.path}” lists ${list.items.length}; exactly ${count.value} ${count.value === 1 ? 'is' : 'are'} asked for.`,
  };
}

const RULES: readonly Rule[] = [
  {
    asked: /^no (?:duplicates?|duplicated|double|repeated)(?: \p{L}+)?\.?$|^without duplicates\.?$/iu,
    answer: duplicates,
  },
  {
    asked: /^no (?:null|nulls|null values|null fields)\.?$/i,
    answer: ({ fields }) => without(fields, (value) => value === null, 'null'),
  },
  {
    asked: /^no (?:empty|blank) (?:fields?|values?|strings?)\.?$/i,
    answer: ({ fields }) => without(fields, (value) => typeof value === 'string' && value.trim() === '', 'empty'),
  },
  { asked: /\b(?:snake|camel|kebab)[_ -]?case\b/i, answer: keyCase },
  { asked: /^exactly (?:\p{L}+|\d+) (?:\p{L}+ )?\p{L}+\.?$/iu, answer: countOf },
];

/** What lists and keys of structured work show by themselves: nothing twice, null or empty, the case of keys, a count. */
const readShape: Reader = (criterion, { work }) => {
  if (typeof work.value !== 'object' || work.value === null) return undefined;
  const rule = RULES.find(({ asked }) => asked.test(criterion.trim()));
  const answer = rule?.answer(fieldsIn(work.value), criterion);
  return answer && { status: answer.holds ? 'met' : 'contradicted', reason: answer.reason, passages: [] };
};

export const recordShape: Kind = {
  name: 'record shape',
  decides:
    'whether structured work holds nothing twice, null or empty, how its keys are written, and how many it lists',
  known: new RegExp(RULES.map(({ asked }) => asked.source).join('|'), 'iu'),
  read: readShape,
};
