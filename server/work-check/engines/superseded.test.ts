import { describe, expect, it } from 'vitest';
import { evidenceOf, type Given, statementOf } from '../material-trial.ts';
import { findSuperseded } from './superseded.ts';
import { versionsIn } from './versions.ts';

const terms = (name: string, days: number, more: object = {}): Given => ({
  source: name,
  text: `Customers may return goods within ${days} days of delivery.`,
  ...more,
});
const older = terms('Return terms version 1', 14);
const newer = terms('Return terms version 2', 30);

function superseded(work: string, ...evidence: readonly Given[]): string | undefined {
  const index = evidenceOf(...evidence);
  const found = findSuperseded(statementOf(work), index, versionsIn(index));
  return found === undefined ? undefined : `${found.claimed} is now ${found.known}`;
}

describe('a figure that a newer version has replaced', () => {
  it.each<[string, readonly Given[]]>([
    ['by version number', [older, newer]],
    ['whatever the order of the sources', [newer, older]],
    ['by the date in the name', [terms('Return terms, 3 May 2024', 14), terms('Return terms, 3 May 2025', 30)]],
    [
      'by when it was seen',
      [
        terms('Return terms shop', 14, { observed_at: '2025-01-01T00:00:00Z' }),
        terms('Return terms shop', 30, { observed_at: '2026-01-01T00:00:00Z' }),
      ],
    ],
  ])('is known %s', (_, evidence) => {
    expect(superseded('Customers may return goods within 14 days.', ...evidence)).toBe('14 is now 30');
  });

  it.each<[string, string, readonly Given[]]>([
    ['the newer figure', 'Customers may return goods within 30 days.', [older, newer]],
    ['one version alone', 'Customers may return goods within 14 days.', [older]],
    [
      'names that are not alike',
      'Customers may return goods within 14 days.',
      [older, terms('Workshop manual version 2', 30)],
    ],
    [
      'a figure that a third source gives as well',
      'Customers may return goods within 14 days.',
      [older, newer, 'Mr Lund may return his goods within 14 days.'],
    ],
    ['a statement about something else', 'The shop opened 14 years ago in Leeds.', [older, newer]],
    [
      'something that happened while the older version was in force',
      'Customers may return goods within 14 days.',
      [
        {
          source: 'Return terms version 1',
          text: 'Valid from 1 January 2025 to 31 December 2025. Customers may return goods within 14 days of delivery.',
        },
        newer,
        { source: 'Shop system', text: 'The grinder was ordered on 8 May 2025.' },
      ],
    ],
  ])('is not seen in %s', (_, work, evidence) => {
    expect(superseded(work, ...evidence)).toBeUndefined();
  });
});

describe('versions of a source', () => {
  const replaced = (...names: readonly string[]) =>
    [...versionsIn(evidenceOf(...names.map((source) => ({ source, text: 'A text.' }))))].map(
      ([old, fresh]) => `${names[old]} → ${names[fresh]}`,
    );

  it('are replaced by the newest one', () => {
    expect(replaced('Price list rev. 1', 'Price list rev. 3', 'Price list rev. 2')).toEqual([
      'Price list rev. 1 → Price list rev. 3',
      'Price list rev. 2 → Price list rev. 3',
    ]);
  });

  it.each([
    [['Price list', 'Price list']],
    [['Minutes rev. 1', 'Budget rev. 2']],
    [['Price list north rev. 1', 'Delivery times south rev. 2']],
  ])('are not %j', (names) => {
    expect(replaced(...names)).toEqual([]);
  });
});
