import { expect, it } from 'vitest';
import { addressesIn } from './primary.ts';

it.each([
  ['postgresql://u:p@one:5432/db?x=1', ['postgresql://u:p@one:5432/db?x=1']],
  ['postgres://u:a%40b,c@one,two:6432/db', ['postgres://u:a%40b,c@one/db', 'postgres://u:a%40b,c@two:6432/db']],
  ['postgresql://[::1]:5432,127.0.0.1/db', ['postgresql://[::1]:5432/db', 'postgresql://127.0.0.1/db']],
])('%s names its servers one by one', (url, addresses) => {
  expect(addressesIn(url)).toEqual(addresses);
});
