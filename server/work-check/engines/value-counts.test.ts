import { expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { sumsIn } from './totals-in-records.ts';

const claims = [
  { id: 'a', class: 'accept' },
  { id: 'b', class: 'need_info' },
  { id: 'c', class: 'accept' },
];

it.each<[string, JsonValue, string[]]>([
  [
    'counts each value of a field anew',
    { claims, counts: { accept: 2, need_info: 1, reject: 0 } },
    [
      '/counts/accept holds: 2 of 3 claims with “accept” as class',
      '/counts/need_info holds: 1 of 3 claims with “need_info” as class',
      '/counts/reject holds: 0 of 3 claims with “reject” as class',
    ],
  ],
  [
    'says which count is wrong',
    { claims, counts: { accept: 3, need_info: 1 } },
    [
      '/counts/accept fails: 2 of 3 claims with “accept” as class',
      '/counts/need_info holds: 1 of 3 claims with “need_info” as class',
    ],
  ],
  ['leaves alone what counts something else', { claims, counts: { accept: 2, staff: 1 } }, []],
  ['leaves alone a list with values that are not counted', { claims, counts: { accept: 2, reject: 0 } }, []],
  [
    'leaves alone what two fields could give',
    {
      claims: [
        { a: 'x', b: 'x' },
        { a: 'y', b: 'y' },
      ],
      counts: { x: 1, y: 1 },
    },
    [],
  ],
])('%s', (_, work, told) => {
  expect(sumsIn(work).map(({ path, holds, says }) => `${path} ${holds ? 'holds' : 'fails'}: ${says}`)).toEqual(told);
});
