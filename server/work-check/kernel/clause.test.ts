import { describe, expect, it } from 'vitest';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { pair } from './clause.ts';

const clause = (text: string) => {
  const tokens = tokenize(text);
  return { tokens, quantities: readQuantities(tokens) };
};
const isPaired = (statement: string, passage: string): boolean =>
  pair(clause(statement), clause(passage)) !== undefined;

describe('a sentence is proven by a passage', () => {
  it.each([
    ['Halden acquired Brevik in 2018.', 'Halden acquired Brevik in 2018.'],
    ['In 2018 Halden acquired Brevik.', 'Halden acquired Brevik in 2018, after long talks.'],
    ['The board approved the budget.', 'The board (nine members) approved the budget.'],
    [
      'The tenant may end the lease with three months of notice.',
      'The tenant may end the lease with 3 months of notice.',
    ],
    ['The south gate closes at midnight.', 'The north gate closes at dusk, and the south gate closes at midnight.'],
  ])('“%s” by “%s”', (statement, passage) => {
    expect(isPaired(statement, passage)).toBe(true);
  });
});

describe('a sentence is not proven by a passage in which one thing is another', () => {
  it.each([
    ['party', 'Brevik acquired Halden.', 'Halden acquired Brevik.'],
    ['voice', 'Halden acquired Brevik.', 'Halden was acquired by Brevik.'],
    ['period', 'Revenue was 7 million in 2018.', 'Revenue was 5 million in 2018 and 7 million in 2019.'],
    ['figure of another', 'Costs were 5.', 'Revenue and costs were 5 and 3.'],
    ['subject', 'Brevik employs 40 people.', 'Halden bought Brevik. It employs 40 people.'],
    ['what replaced it', 'P-2 failed.', 'The pump that replaced P-2 failed.'],
    ['who said it', 'Berg left.', 'Lind told Moe Berg left.'],
    ['denial', 'All passed the test.', 'All did not pass the test.'],
    ['condition', 'The term ends on Friday.', 'Unless vetoed, the term ends on Friday.'],
    [
      'a condition behind',
      'The tenant may sublet the flat.',
      'The tenant may sublet the flat only if the landlord agrees.',
    ],
    ['hedge', 'The drug reduces pain.', 'The drug may reduce pain.'],
    ['quantity', 'All members voted for the plan.', 'Most members voted for the plan.'],
    ['order', 'The pump was replaced after the leak.', 'The pump was replaced before the leak.'],
    ['direction', 'The firm sold shares to Brevik.', 'The firm sold shares by way of Halden.'],
    ['list', 'Pears are delivered on Monday.', 'Apples and plums are delivered on Monday.'],
    ['tense', 'Lind is the chair of the board.', 'Lind was the chair of the board.'],
    ['question', 'The budget was approved.', 'The budget was approved?'],
  ])('%s: “%s” by “%s”', (_, statement, passage) => {
    expect(isPaired(statement, passage)).toBe(false);
  });
});
