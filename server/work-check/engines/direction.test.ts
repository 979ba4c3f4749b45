import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findTurnedPair, findWrongOrder } from './direction.ts';

const log = '13:40 Deploy of the checkout finished.\n14:10 Rollback of the checkout started.';
const order = (work: string, ...evidence: readonly string[]) => {
  const found = findWrongOrder(statementOf(work), evidenceOf(...evidence));
  return found === undefined ? undefined : `${found.own} ${found.says} ${found.event}: ${found.known}`;
};

describe('an order of two events', () => {
  it.each([
    [
      '13:20 First warning, shortly after the checkout deploy finished.',
      '13:20 after checkout deploy finished: 13:40 Deploy of the checkout finished.',
    ],
    [
      '14:30 Alarm raised, before the checkout rollback started.',
      '14:30 before checkout rollback started: 14:10 Rollback of the checkout started.',
    ],
  ])('%s is wrong', (work, expected) => {
    expect(order(work, log)).toBe(expected);
  });

  it.each([
    ['the right order', '14:02 First warning, shortly after the checkout deploy finished.', [log]],
    ['the same time', '13:40 First warning, after the checkout deploy finished.', [log]],
    [
      'an event without a time',
      '13:20 First warning, after the checkout deploy finished.',
      ['The checkout deploy finished.'],
    ],
    [
      'an event that happened twice',
      '13:20 First warning, after the checkout deploy finished.',
      [log, '13:10 Checkout deploy finished on the staging site.'],
    ],
    ['an event of one word', '13:20 First warning, after lunch.', [log]],
    ['a statement without a time of its own', 'The warning came after the checkout deploy finished.', [log]],
    ['an event that no source knows', '13:20 First warning, after the database restore ended.', [log]],
  ])('is not accused for %s', (_, work, evidence) => {
    expect(order(work, ...evidence)).toBeUndefined();
  });
});

describe('a pair of figures', () => {
  const log = 'The deploy v412 raised the pool timeout from 5s to 30s.';
  const turned = (work: string, ...evidence: readonly string[]) =>
    findTurnedPair(statementOf(work), evidenceOf(...evidence))?.says;

  it('is turned round where every passage on it gives it the other way', () => {
    expect(turned('v412 had raised the database pool timeout from 30 to 5 seconds.', log)).toBe('it is from 5s to 30s');
  });

  it.each([
    ['the same way round', 'v412 raised the pool timeout from 5 to 30 seconds.', [log]],
    ['of another thing', 'The cache grew from 30 to 5 entries.', [log]],
    [
      'that was put back',
      'The rollback put the pool timeout back from 30 to 5 seconds.',
      [log, 'The rollback set the pool timeout from 30s to 5s.'],
    ],
    ['with other figures', 'v412 raised the pool timeout from 30 to 60 seconds.', [log]],
  ])('is not accused %s', (_, work, evidence) => {
    expect(turned(work, ...evidence)).toBeUndefined();
  });
});
