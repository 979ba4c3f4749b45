import { describe, expect, it } from 'vitest';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { durationFrom, timeFrom } from './durations.ts';

const figuresIn = (text: string) => readQuantities(tokenize(text));

function lasts(claimed: string, text: string): string | undefined {
  const [figure] = figuresIn(claimed);
  return figure && durationFrom(figure, figuresIn(text), text);
}

function clock(claimed: string, lengths: string, times: string): string | undefined {
  const named = (text: string) =>
    figuresIn(text).map((figure) => ({ figure, text: text.slice(figure.start, figure.end) }));
  const [figure] = figuresIn(claimed);
  return figure && timeFrom(figure, named(lengths), named(times));
}

describe('a length of time', () => {
  it('follows from two clock times', () => {
    expect(lasts('19 minutes', 'It ran 06:12 to 06:31.')).toBe('06:12 to 06:31 is 19 minutes');
    expect(lasts('20 minutes', 'It ran 06:12 to 06:31.')).toBeUndefined();
  });

  it('follows from two dates, and counts both ends of a span in days', () => {
    expect(lasts('2 nights', 'Stay from 6 to 8 October 2026.')).toBe('6 to 8 October 2026 is 2 nights');
    expect(lasts('3 days', 'Trip 6 to 8 October 2026.')).toBe('6 to 8 October 2026 is 3 days, both counted');
    expect(lasts('4 days', 'Trip 6 to 8 October 2026.')).toBeUndefined();
    expect(lasts('six weeks', 'Found on 2 March 2026, mended on 13 April 2026.')).toBe(
      '2 March 2026 to 13 April 2026 is 6 weeks',
    );
    expect(lasts('18 months', 'From 1 July 2025 until 1 January 2027.')).toBe(
      '1 July 2025 to 1 January 2027 is 18 months',
    );
  });

  it('follows from no list of dates, of which two give anything', () => {
    expect(lasts('2 days', 'On 3, on 5 May, 9 May, 11 May, 13 May and 15 May 2026.')).toBeUndefined();
  });
});

describe('a time', () => {
  it('follows from another and a length of time, either way', () => {
    expect(clock('06:20', 'four hours before', 'at 10:20')).toBe('10:20 less 4 hours is 6:20');
    expect(clock('14:05', '45 minutes later', 'at 13:20')).toBe('13:20 and 45 minutes is 14:05');
    expect(clock('06:30', 'four hours before', 'at 10:20')).toBeUndefined();
  });
});
