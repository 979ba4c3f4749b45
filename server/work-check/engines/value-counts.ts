import type { JsonValue } from '../../kernel/json-value.ts';
import { wordsOfKey } from '../statements.ts';

/**
 * A figure of structured work that others beside it give, and whether it comes out. What counts the work's own records
 * (`counts`) is told by them alone: the same number in the evidence is another. `sure`: where it does not come out, it is
 * wrong, and not something else than the names of the fields let expect.
 */
export type RecordSum = {
  path: string;
  holds: boolean;
  says: string;
  value: number;
  claimed: number;
  counts?: true;
  sure?: true;
};

type JsonObject = { [key: string]: JsonValue };

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const plain = (text: string): string => wordsOfKey(text).toLowerCase();

/**
 * Counts of a record (`counts: {accept: 2, reject: 1}`) beside a list whose elements hold those keys as the values of one
 * field. Every value must have its count; one that is counted as 0 need not stand in the list.
 */
export function valueCountsIn(record: JsonObject, path: string): RecordSum[] {
  const lists = Object.entries(record).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 1 && value.every(isObject) ? [{ name, items: value }] : [],
  );
  return Object.entries(record).flatMap(([key, counts]) => {
    if (!isObject(counts) || !isCounts(counts)) return [];
    const fitting = lists.flatMap(({ name, items }) =>
      Object.keys(items[0] ?? {}).flatMap((field) => {
        const values = items.map((item) => item[field]);
        return covers(counts, values) ? [{ name, field, values: values.map((value) => plain(String(value))) }] : [];
      }),
    );
    const [only, ...more] = fitting;
    if (only === undefined || more.length > 0) return [];
    return Object.entries(counts).map(([value, claimed]): RecordSum => {
      const count = only.values.filter((one) => one === plain(value)).length;
      return {
        path: `${path}/${escaped(key)}/${escaped(value)}`,
        holds: count === claimed,
        says: `${count} of ${only.values.length} ${wordsOfKey(only.name)} with “${value}” as ${wordsOfKey(only.field)}`,
        value: count,
        claimed: Number(claimed),
        counts: true,
        sure: true,
      };
    });
  });
}

const isCounts = (counts: JsonObject): boolean =>
  Object.keys(counts).length > 1 &&
  Object.values(counts).every((count) => typeof count === 'number' && Number.isInteger(count) && count >= 0);

/** Whether a field's values are the keys that are counted. */
function covers(counts: JsonObject, values: readonly (JsonValue | undefined)[]): boolean {
  const keys = new Map(Object.entries(counts).map(([key, count]) => [plain(key), Number(count)]));
  const held = new Set(values.map((value) => (typeof value === 'string' ? plain(value) : '')));
  return [...held].every((value) => keys.has(value)) && [...keys].every(([key, count]) => count === 0 || held.has(key));
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
