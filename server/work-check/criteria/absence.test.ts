import { describe, expect, it } from 'vitest';
import { answerTo } from '../material-trial.ts';

const guide = { source: 'Guide', text: 'The bridge is 312 metres long and opened on 4 May 1932.' };

describe('a criterion that something is not done', () => {
  it.each([
    ['Gives no advice', 'The bridge is 312 metres long.'],
    ['Does not speculate', 'The bridge opened on 4 May 1932.'],
    ['Makes no promises', 'The bridge is 312 metres long.'],
    ['Free of advertising', 'The bridge is 312 metres long.'],
    ['Adds no facts', 'The bridge is 312 metres long.'],
  ])('%s is met by “%s”', async (criterion, work) => {
    expect(await answerTo(criterion, work, guide)).toMatch(/^met: /);
  });

  it.each([
    ['Gives no advice', 'The bridge is 312 metres long. You should not cross the old river.', 'You should'],
    ['Does not speculate', 'It opened on 4 May 1932, probably in the rain.', 'probably'],
    ['Makes no promises', 'We guarantee that the bridge is 312 metres long.', 'We guarantee'],
    ['Free of advertising', 'The unbeatable bridge is 312 metres long.', 'unbeatable'],
    ['Adds no facts', 'The bridge is 312 metres long and cost 950,000 dollars.', '950,000 dollars'],
  ])('%s names what may break it: %s', async (criterion, work, words) => {
    const answer = await answerTo(criterion, work, guide);
    expect(answer).toMatch(/^partly_met: /);
    expect(answer).toContain(words);
  });

  it('is contradicted only by what the evidence contradicts', async () => {
    expect(await answerTo('Adds no facts', 'The bridge is 900 metres long and opened on 4 May 1932.', guide)).toMatch(
      /^not_assessable: .*900/,
    );
  });
});
