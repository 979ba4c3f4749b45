import { expect, it } from 'vitest';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { findWrongDuration } from './durations.ts';

it.each([
  ['It was down from 06:12 to 06:31, 29 minutes.', '06:12 to 06:31 is 19 minutes'],
  ['It was down from 23:50 to 00:20 (40 minutes).', '23:50 to 00:20 is 30 minutes'],
  ['It was down from 06:12 to 06:31, 19 minutes.', undefined],
  ['It was down from 06:12 to 08:27, 2 hours 15 minutes.', undefined],
  ['It was down from 06:12 to 06:31, the third time in 40 minutes.', undefined],
])('works out how long %s', (text, says) => {
  expect(findWrongDuration(text, readQuantities(tokenize(text)))?.says).toBe(says);
});
