import { describe, expect, it } from 'vitest';
import { statementOf } from '../material-trial.ts';
import { recalculate } from './arithmetic.ts';

const worked = (text: string) =>
  recalculate(statementOf(text)).map(({ holds, says }) => `${holds ? '' : 'not '}${says}`);

describe('a calculation that a sentence states', () => {
  it.each([
    ['Visits rose from 96 to 103, up 7.3 percent.', 'from 96 to 103 is 7.29 percent more'],
    ['Visits rose from 96 to 103, up 9.3 percent.', 'not from 96 to 103 is 7.29 percent more'],
    ['Losses fell from 200 to 150, down 25 percent.', 'from 200 to 150 is 25 percent less'],
    ['Of these, 30 of 120 members, or 25 percent, replied.', '30 of 120 is 25 percent'],
    ['In all 30 of 120 members, or 35 percent, replied.', 'not 30 of 120 is 25 percent'],
    [
      'Revenue was EUR 4.86 million, 12.5% more than in 2024 (EUR 4.32 million).',
      'from 4.32 million to 4.86 million is 12.5 percent more',
    ],
    [
      'Revenue was EUR 4.86 million, 15.2% more than in 2024 (EUR 4.32 million).',
      'not from 4.32 million to 4.86 million is 12.5 percent more',
    ],
    ['It sold 150 boxes, 25 percent more than before (200 boxes).', 'not from 200 to 150 is 25 percent less'],
    ['North sold 340 and South 290 boxes, a difference of 50.', '340 and 290 are 50 apart'],
    ['North sold 340 and South 290 boxes, a difference of 60.', 'not 340 and 290 are 50 apart'],
    ['The 360 wrenches at 41.50 EUR come to 14,940 EUR.', '360 × 41.50 EUR = 14,940'],
    ['The 360 wrenches at 41.50 EUR come to 14,490 EUR.', 'not 360 × 41.50 EUR = 14,940'],
    ['It is 16 doubles at €122 and 2 singles at €83 that make €2,118.', '16 × 122 + 2 × 83 = 2,118'],
    ['It is 16 doubles at €122 and 2 singles at €83 that make €2,128.', 'not 16 × 122 + 2 × 83 = 2,118'],
    ['After 3 nights at EUR 90, the 2 meals at EUR 15 make EUR 30.', '2 × 15 = 30'],
    ['The 500 kWh at 27.4 cents make EUR 137.', '500 × 27.4 / 100 = 137'],
    ['The 500 kWh at 27.4 cents make EUR 173.', 'not 500 × 27.4 / 100 = 137'],
    ['Paper cost 12.40 and ink 7.35, together 19.75.', '12.40 + 7.35 = 19.75'],
    ['Paper cost 12.40 and ink 7.35, together 20.75.', 'not 12.40 + 7.35 = 19.75'],
    ['In short, 12 + 7 + 4 = 23.', '12 + 7 + 4 = 23'],
    ['In short, 12 + 7 + 4 = 24.', 'not 12 + 7 + 4 = 23'],
    ['The stall earned EUR 642: 214 waffles at EUR 3.', '214 × 3 = 642'],
    ['The stall earned EUR 624: 214 waffles at EUR 3.', 'not 214 × 3 = 642'],
    ['The increase of EUR 60 is 8% of EUR 750.', '60 of 750 is 8 percent'],
    ['The increase of EUR 60 is 9% of EUR 750.', 'not 60 of 750 is 8 percent'],
    ['The fee is 500 less 120, so 380 is due.', '500 − 120 = 380'],
    ['The fee is 500 less 120, so 390 is due.', 'not 500 − 120 = 380'],
  ])('%s', (text, says) => {
    expect(worked(text)).toEqual([says]);
  });

  it.each([
    'The hall seats 120, and 45 percent of them are free.',
    'Prices went from 4 to 6 euros; 30 percent of buyers noticed.',
    'Of 40 guests 12 were late, together with 3 drivers.',
    'The 12 teams met at 3 venues.',
    'Rooms 4 and 7 are closed, in all 12 rooms are open.',
    'Version 2.1 at 3.2 is out.',
    'For 7 guests × 3 nights × 50 € = 1,050 € we sent a bill.',
    'The bridge is 312 metres long.',
  ])('is not seen in “%s”', (text) => {
    expect(worked(text)).toEqual([]);
  });
});
