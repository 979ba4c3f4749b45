import type { JsonValue } from '../../kernel/json-value.ts';
import { indexesOf } from '../assessors/summary.ts';
import type { Kind, Reader } from './reader.ts';

function nullsIn(value: JsonValue, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => nullsIn(item, path === '' ? key : `${path}.${key}`));
}

/** "Null where the paper is silent": fields are null, and every field that holds a figure or name was found. */
const readNulls: Reader = (_, { judged, work }) => {
  if (typeof work.value !== 'object') return undefined;
  const nulls = nullsIn(work.value);
  const filled = judged.filter(({ statement: { record } }) => record !== undefined && record.value !== 'null');
  const open = filled.filter(({ status }) => status === 'not_found' || status === 'contradicted');
  if (nulls.length === 0 || open.length > 0) return undefined;
  return {
    status: 'met',
    reason: `${nulls.length} ${nulls.length === 1 ? 'field is' : 'fields are'} null (${nulls.slice(0, 4).join(', ')}), and every other field that can be checked stands in the evidence. Whether it gives the null ones after all was not settled.`,
    passages: [],
    statements: indexesOf(filled, judged),
  };
};

export const nulls: Kind = {
  name: 'null fields',
  decides: 'whether what the evidence does not give is null',
  known: /\bnull\b/i,
  read: readNulls,
};
