import type { JsonValue } from '../../kernel/json-value.ts';
import { bySuspicion, indexesOf, stillOpen } from '../assessors/summary.ts';
import { stem, tokenize } from '../reading/tokens.ts';
import { wordsOfKey } from '../statements.ts';
import { everydayFor } from '../support/everyday.ts';
import { agreement } from './agreement.ts';
import { AGREES } from './coverage.ts';
import type { Kind, Reader } from './reader.ts';

type JsonObject = { [key: string]: JsonValue };

/** Lists of records in structured work, with the name that each has there. */
function listsIn(value: JsonValue, name?: string): { name: string | undefined; items: JsonObject[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const objects = value.filter(
      (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
    );
    return objects.length >= 2 && objects.length === value.length ? [{ name, items: objects }] : [];
  }
  return Object.entries(value).flatMap(([key, item]) => listsIn(item, key));
}

/** "Every applicant gets a decision", "one team per ticket": each record holds one value under the name that is asked for. */
const readRecords: Reader = (criterion, { work, evidence, judged }) => {
  const asked = new Set(
    tokenize(criterion).flatMap(({ stem: one, content }) => (content ? [one, ...everydayFor(one)] : [])),
  );
  for (const { name, items } of listsIn(work.value)) {
    const keys = Object.keys(items[0] ?? {}).filter((key) =>
      wordsOfKey(key)
        .split(' ')
        .some((word) => asked.has(stem(word))),
    );
    // What holds values of its own is looked into by nobody here.
    if (keys.length === 0 || items.some((item) => keys.some((key) => isRecord(item[key])))) continue;
    const listed =
      name === undefined ? `The work lists ${items.length} records` : `“${name}” lists ${items.length} records`;
    // "A reason for refusals only, null otherwise"
    const mayBeNull = evidence.sources.some(({ text }) =>
      /\bnull\b|\b(?:left|leave|stays?) (?:it )?(?:empty|blank)\b/i.test(text),
    );
    const without = keys.flatMap((key) => {
      const lacking = items.flatMap((item, at) =>
        isValue(item[key]) || (mayBeNull && item[key] === null) ? [] : [`${name ?? ''}[${at}]`],
      );
      return lacking.length === 0 ? [] : [{ key, lacking }];
    });
    if (without.length === 0 && items.some((item) => keys.some((key) => item[key] === null))) continue;
    if (without.length === 0) {
      // "Has the price in force": that a value stands there does not show that it is the right one.
      const fields = judged.filter(({ statement: { place } }) => 'path' in place && keys.includes(lastOf(place.path)));
      const asksMore = AGREES.test(criterion) || agreement.known.test(criterion) || NARROWS.test(criterion);
      const open = bySuspicion(
        fields.filter(({ status, suspect }) => status !== 'supported' && (asksMore || suspect > 0)),
      );
      return {
        status: open.length === 0 ? 'met' : 'partly_met',
        reason:
          `${listed}; each holds one value under ${keys.map((key) => `“${key}”`).join(', ')}. ${stillOpen(open)}`.trim(),
        ...(open.length > 0 ? { names_open: true } : {}),
        passages: [],
        statements: indexesOf(fields, judged),
      };
    }
    return {
      // "Each open ticket", "the approved swaps": which records and which fields are meant, rules do not tell.
      status: 'not_assessable',
      reason: `${listed}; no single value stands under ${without
        .map(({ key, lacking }) => `“${key}” in ${lacking.slice(0, 4).join(', ')}`)
        .join(' and under ')}.`,
      passages: [],
    };
  }
  return undefined;
};

/** "The owner who is in charge of it now": more is asked than a name. */
const NARROWS = /\b(?:who|whose|which|where)\b/i;

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isRecord = (value: JsonValue | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isValue = (value: JsonValue | undefined): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.trim() !== '');

export const records: Kind = {
  name: 'records',
  basis: 'content',
  counts: true,
  decides: 'whether each record of structured work holds what is asked of each',
  known:
    /\b(?:every|each|all)\s+(?:\p{L}+\s+){1,2}(?:gets?|has|have|holds?|carr(?:y|ies)|shows?|is given|comes with)\b|\bone (?:and only one )?\p{L}+ (?:per|for each|for every)\b|\beach (?:gets?|with)\b/iu,
  read: readRecords,
};
