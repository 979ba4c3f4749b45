import { describe, expect, it } from 'vitest';
import { statementOf } from '../material-trial.ts';
import { comparisonIn } from './comparison.ts';

const told = (work: string) => comparisonIn(statementOf(work));

describe('a comparison of two figures of a sentence', () => {
  it.each([
    ['With 102 mm a second it is faster than the L2, which manages 127.', '102 is less than 127'],
    ['At 240 euros the deck is cheaper than the repair, which costs 86 euros.', '240 euros is more than 86 euros'],
    ['It answers in 210 ms and is quicker than the old one with 180 ms.', '210 is more than 180'],
    ['With 12 members the north branch is larger than the south branch with 40 members.', '12 is less than 40'],
    ['The late shift picked more lines than the early one (30,300 against 38,400).', '30,300 is less than 38,400'],
  ])('does not hold: %s', (work, says) => {
    expect(told(work)).toMatchObject({ holds: false, says });
  });

  it.each([
    'With 102 mm a second it is slower than the L2, which manages 127.',
    'At 86 euros the repair is cheaper than the deck, which costs 240 euros.',
    'It answers in 180 ms and is quicker than the old one with 210 ms.',
    'The late shift picked fewer lines than the early one (30,300 against 38,400).',
  ])('holds: %s', (work) => {
    expect(told(work)).toMatchObject({ holds: true });
  });

  it.each([
    ['how much is said first', 'It takes 2 days longer than the old way, which took 5 days.'],
    ['a third figure', 'It costs 40 euros, at 5 euros less than the old one for 45 euros.'],
    ['two kinds', 'At 40 euros it is longer than the other with 12 metres.'],
    ['a denial', 'With 12 members it is not larger than the branch with 40 members.'],
    ['one figure', 'It is faster than the L2, which manages 127.'],
    ['a threshold', 'With 12 members it is more than 20 years old.'],
  ])('is not read from %s', (_, work) => {
    expect(told(work)).toBeUndefined();
  });
});
