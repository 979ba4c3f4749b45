import { describe, expect, it } from 'vitest';
import { answerTo } from '../material-trial.ts';

const minutes = {
  source: 'Minutes',
  text: 'The board approved the new bridge on 4 May 2026. The bridge costs 3,800 euros. Of 40 members, 75 percent agreed.',
};

describe('a criterion that things agree', () => {
  it.each([
    ['All figures match the minutes', 'The bridge costs 3,800 euros.', '“3,800 euros”'],
    ['Every date is right', 'The board approved the new bridge on 4 May 2026.', '“4 May 2026”'],
    ['All percentages are correct', 'Of 40 members, 75 percent agreed.', '“75 percent”'],
    ['Agrees with the minutes', 'The board approved the new bridge on 4 May 2026.', 'Minutes says'],
  ])('%s is met by “%s”', async (criterion, work, shown) => {
    const answer = await answerTo(criterion, work, minutes);
    expect(answer).toMatch(/^met: /);
    expect(answer).toContain(shown);
  });

  it.each([
    ['Every date is right', 'The board approved the new bridge on 6 May 2026.', '6 May 2026'],
    ['All figures match the minutes', 'The bridge costs 8,300 euros.', '8,300'],
  ])('%s names what differs in “%s”', async (criterion, work, shown) => {
    const answer = await answerTo(criterion, work, minutes);
    expect(answer).toMatch(/^(?:partly_met|not_assessable): /);
    expect(answer).toContain(shown);
  });

  it.each([
    ['All figures match the minutes', 'The tunnel costs 9,000 euros.'],
    ['Every date is right', 'The tunnel opens on 9 June 2031.'],
    ['All figures match the minutes', 'The board met.'],
  ])('%s neither praises nor accuses what the evidence does not settle: %s', async (criterion, work) => {
    expect(await answerTo(criterion, work, minutes)).toMatch(/^(?:partly_met|not_assessable): /);
  });
});
