import { describe, expect, it } from 'vitest';
import { answerTo } from '../material-trial.ts';

const leaflet = {
  source: 'Leaflet',
  text: 'Reasons not to take the syrup: you are pregnant; you have asthma; you take warfarin.',
};
const every = 'Lists every reason not to take the syrup';
const message = {
  source: 'Message',
  text: 'Is my grinder under warranty? Who pays the postage? How long does the repair take?',
};

describe('a criterion that asks for every item', () => {
  it.each([
    ['an enumeration', every, 'Do not take the syrup if you are pregnant, have asthma or take warfarin.', leaflet],
    [
      'questions',
      'Answers every question',
      'Your grinder is under warranty. We pay the postage. The repair takes ten days, however long the queue is.',
      message,
    ],
  ])('is met when all of %s is there', async (_, criterion, work, evidence) => {
    expect(await answerTo(criterion, work, evidence)).toMatch(/^met: Each of 3 items of /);
  });

  it('names the item of an enumeration that the work lacks', async () => {
    const answer = await answerTo(every, 'Do not take the syrup if you are pregnant or have asthma.', leaflet);
    expect(answer).toMatch(/^not_assessable: Leaflet lists 3 items; the work holds 2 of them, .*“you take warfarin/);
  });

  it('leaves it to a person where lines may not belong together', async () => {
    const sheet = {
      source: 'Staircase repairs',
      text: '- Paint the staircase railing\n- Replace the elevator cable\n- Install bicycle racks',
    };
    const answer = await answerTo(
      'Covers every one of the staircase repairs',
      'Staircase repairs: paint the staircase railing, replace the elevator cable.',
      sheet,
    );
    expect(answer).toMatch(/^partly_met: .*“Install bicycle racks”.* a person should say\.$/);
  });

  it.each([
    ['a list about something else', every, 'You may take the syrup twice a day.', 'Shop: tea; coffee; sugar; milk.'],
    ['no list', every, 'You may take the syrup twice a day.', 'The syrup is taken twice a day.'],
  ])('accuses nothing beside %s', async (_, criterion, work, evidence) => {
    expect(await answerTo(criterion, work, evidence)).not.toMatch(/^(?:missing|contradicted)/);
  });
});
