import { describe, expect, it } from 'vitest';
import { answerTo } from '../material-trial.ts';

const text =
  'The board approved the new bridge on 4 May 2026. It costs 3,800 euros. Ana Lund is responsible for the works. ' +
  'Trains run again from 1 June 2026 because the old bridge was damaged.';
const minutes = { source: 'Minutes', text };

describe('a criterion that asks for something to be said', () => {
  it.each([
    ['Says when the board approved the bridge', 'on 4 May 2026'],
    ['States what it costs', '3,800 euros'],
    ['Names who is responsible for the works', 'Ana Lund'],
    ['Says why trains were interrupted', 'because the old bridge was damaged'],
  ])('%s is met and quoted', async (criterion, words) => {
    const answer = await answerTo(criterion, text, minutes);
    expect(answer).toMatch(/^met: The work says “/);
    expect(answer).toContain(words);
  });

  it.each([
    ['Mentions the phrase “old tunnel”', 'missing: The work does not hold “old tunnel”.'],
    ['Says when the bridge opened', 'not_assessable: The work gives no figure that could be a date or time.'],
  ])('%s is missing where the words are absent, and open without such a figure', async (criterion, expected) => {
    expect(await answerTo(criterion, 'The board approved the new bridge.', minutes)).toBe(expected);
  });

  it('is met by saying it, and a fact only by one that is proven', async () => {
    const said = 'Trains run again from 1 June because the old bridge had been damaged by ice.';
    expect(await answerTo('Says why trains stopped', said, minutes)).toMatch(/^met: .* That answers it; whether/);
    expect(await answerTo('Says when trains run again', said, minutes)).toMatch(
      /^partly_met: .* Whether that answers it, and/,
    );
    expect(await answerTo('The damage to the bridge is treated as the cause', said, minutes)).toMatch(
      /^partly_met: .* Whether that answers it, and/,
    );
  });

  it('is not answered by a date that stands beside one word of its subject', async () => {
    const work = 'I have checked it against the policy of 1 January 2026. In a vehicle, they are insured at all times.';
    const policy = { source: 'Policy', text: 'We renewed the policy on 1 January 2026.' };
    expect(await answerTo('Says when instruments in the vehicle are insured', work, policy)).not.toMatch(/^met/);
  });

  it.each(['Names the discount for pensioners', 'Explains the parking situation', 'States how many visitors attended'])(
    '%s is left to a person when words do not tell',
    async (criterion) => {
      expect(await answerTo(criterion, text, minutes)).toMatch(
        /^not_assessable: (?:No statement of the work holds|Rules did not find) .*; a person should look/,
      );
    },
  );
});
