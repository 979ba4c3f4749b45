import { expect, it } from 'vitest';
import { instantText } from './instant-text.ts';

it('is in UTC whatever offset it was given with, and says so', () => {
  expect(instantText('2026-11-21T00:51:08+11:00')).toBe('20 Nov 2026, 13:51 UTC');
});

it('leaves the time out where the day is what counts', () => {
  expect(instantText('2026-09-01T00:00:00Z', 'day')).toBe('1 Sep 2026');
});
