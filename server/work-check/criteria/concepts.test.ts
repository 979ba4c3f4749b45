import { describe, expect, it } from 'vitest';
import { statementOf } from '../material-trial.ts';
import { conceptsAsked, shows } from './concepts.ts';

const asked = (criterion: string) => conceptsAsked(criterion).map(({ name }) => name);

describe('what a criterion asks for', () => {
  it.each([
    ['Says when the shop opens', ['a date or time']],
    ['States the deadline', ['a deadline']],
    ['Says how many people came', ['a number']],
    ['Names who is responsible', ['a person or party']],
    ['Explains why it failed', ['a reason']],
    ['Says when it applies', ['a condition']],
    ['Says what happens if you are late', ['a consequence']],
    ['Warns of the old version', ['a warning']],
    ['Reads well', []],
    ['Is in English', []],
  ])('%s: %j', (criterion, names) => {
    expect(asked(criterion)).toEqual(names);
  });
});

describe('a statement', () => {
  it.each([
    ['When does it open?', 'It opens on 4 May.'],
    ['When does it open?', 'It opens on Mondays.'],
    ['What is the deadline?', 'Reply by 4 May.'],
    ['How much is the refund, the amount?', 'You get 34 euros back.'],
    ['Why was it closed?', 'It was closed because of fog.'],
    ['Names who is responsible', 'The task is with Ana.'],
    ['Warns of the risk', 'Do not open the base.'],
    ['What are the next steps?', 'Please send the receipt.'],
  ])('%s “%s” shows it', (criterion, text) => {
    expect(conceptsAsked(criterion).some((concept) => shows(concept, statementOf(text)))).toBe(true);
  });

  it.each([
    ['When does it open?', 'It opens soon for members.'],
    ['What is the deadline?', 'There are 40 members in it.'],
    ['How much is the refund, the amount?', 'You get the goods back.'],
    ['Why was it closed?', 'It was closed on 4 May.'],
    ['Names who is responsible', 'The task is with somebody else.'],
    ['Warns of the risk', 'The base holds the motor.'],
  ])('%s “%s” does not', (criterion, text) => {
    expect(conceptsAsked(criterion).some((concept) => shows(concept, statementOf(text)))).toBe(false);
  });
});
