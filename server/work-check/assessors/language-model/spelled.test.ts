import { describe, expect, it } from 'vitest';
import { inDigits } from './spelled.ts';

describe('numbers spelled out in German and Dutch', () => {
  it.each([
    ['zes en twintig september', '26 september'],
    ['sechsundzwanzig Tage', '26 Tage'],
    ['achttien duizend vier honderd euro', '18400 euro'],
    ['zeshonderdvijftig', '650'],
    ['zweitausenddreihundertfünf', '2305'],
    ['hundertzwölf', '112'],
    ['twintig tot en met vier en twintig oktober', '20 tot en met 24 oktober'],
    ['neunzehn', '19'],
  ])('are read: %s', (text, read) => {
    expect(inDigits(text)).toBe(read);
  });

  it.each(['een huis en drie deuren', 'The elf drew seven cards', 'acht', 'Hundertwasser', 'a thousand and one'])(
    'leave other words alone: %s',
    (text) => {
      expect(inDigits(text)).toBe(text);
    },
  );
});
