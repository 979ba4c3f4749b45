import { describe, expect, it } from 'vitest';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { derive, printedTolerance, written } from './derivation.ts';

/** How the last figure of a sentence follows from its other figures and those around it. */
function derived(sentence: string, around = ''): string | undefined {
  const named = (text: string) =>
    readQuantities(tokenize(text)).map((figure) => ({ ...figure, text: text.slice(figure.start, figure.end) }));
  const own = named(sentence);
  const claimed = own.pop();
  if (claimed === undefined) throw new Error(`no figure in ${sentence}`);
  return derive(claimed, claimed.text, sentence, own, named(around))?.says;
}

describe('how a figure follows from others', () => {
  it.each([
    ['The total is 1,746.', 'Rent 1,240, power 410, water 96.', '1,240 + 410 + 96 = 1,746'],
    ['That leaves a difference of 32.', 'Planned 96, built 64.', '96 − 64 = 32'],
    ['Wrenches cost 14,940 in total.', 'There are 360 wrenches at 41.50.', '360 × 41.50 = 14,940'],
    ['A share of 25 percent replied.', 'Of 120 members 30 replied.', '30 of 120 is 25 percent'],
    ['Visits grew by 7.3 percent.', 'Visits: 96 in May, 103 in June.', 'from 96 to 103 is 7.29 percent more'],
    ['That is 5 percentage points more.', 'In May 65 percent, in June 70 percent.', '70 percent − 65 percent = 5'],
    ['With 20 percent VAT it is 1,200.', 'The net price is 1,000.', '1,000 and 20 percent of it = 1,200'],
  ])('%s (%s)', (sentence, around, says) => {
    expect(derived(sentence, around)).toBe(says);
  });

  it.each([
    ['The total is 1,756.', 'Rent 1,240, power 410, water 96.'],
    ['There are 32 seats.', 'Planned 96, built 64.'],
    ['A share of 27 percent replied.', 'Of 120 members 30 replied.'],
    ['It closed at 17:00.', 'It opened at 9:00 for 8 hours.'],
    ['It ends on 9 May 2026.', 'It starts on 4 May 2026 and takes 5 days.'],
    ['There are 6 rooms.', 'It has 2 floors and 3 doors.'],
    ['The total is 420 euros.', 'Rent is 400 euros, with 20 percent off.'],
    ['The total is 1,005.2.', 'Base 1,000, per call 0.15, points 5.'],
    ['The boat is 20 metres ahead.', 'The pass costs 50 euros, a day 30 euros.'],
  ])('is not claimed of “%s” (%s)', (sentence, around) => {
    expect(derived(sentence, around)).toBeUndefined();
  });

  it('allows half of the last printed digit, and no more', () => {
    expect(printedTolerance('7.3')).toBeCloseTo(0.05, 6);
    expect(printedTolerance('1,200')).toBeCloseTo(0.5, 6);
    expect(printedTolerance('12.50 EUR')).toBeCloseTo(0.005, 6);
  });

  it('writes numbers with thousands marked and at most four digits behind the point', () => {
    expect([1746, 0.5, 14940.123456, -3].map(written)).toEqual(['1,746', '0.5', '14,940.1235', '-3']);
  });
});
