import { describe, expect, it } from 'vitest';
import type { ReportedStatement } from './contract.ts';
import { evidenceOf } from './material-trial.ts';
import { Proofreader } from './proofread-trial.ts';
import { readWork } from './statements.ts';

const evidence = evidenceOf({ source: 'Guide', text: 'The bridge is 1,850 metres long and opened on 4 May 1932.' });
const reader = new Proofreader(readWork('The bridge is **312 metres** long. It carries 1,200 trains.'), evidence);
const rules = (reason: string, statuses: readonly ReportedStatement['status'][] = []) =>
  reader
    .read(
      reason,
      statuses.map((status) => ({ status })),
    )
    .map(({ rule }) => rule);

describe('a sentence of a report that is not true', () => {
  it.each<[string, string]>([
    ['quoted', 'The work says “The bridge is 900 metres long.” (statement 1).'],
    ['quoted', '“The bridge is 312 feet long” (table 1, row 2, Length) is odd.'],
    ['said', 'Here Guide says “The bridge is 312 metres long.”'],
    ['said', 'For that, Guide gives “900 metres”.'],
    ['said', 'Here Guide says “The bridge opened […34] and is 1,850 metres long.”'],
    ['nowhere', '“1850 metres” stands nowhere in the evidence.'],
    ['nowhere', '“bridge” stands nowhere in the evidence.'],
    ['nowhere', '“tunnel”, “opened” stand nowhere in the evidence.'],
    ['nowhere', '“1932” stands nowhere in the evidence.'],
    ['nowhere', 'The closest passage is without “long”; Guide says “The bridge is 1,850 metres long”.'],
    ['computed', 'It is wrong, since 48 × 31.5 = 1,521.'],
    ['computed', 'Worked out again: 96 − 64 = 34.'],
    ['computed', 'Worked out again: 1 + 2 + 3 = 7.'],
    ['computed', 'Worked out again: €40 + €12.50 = €53.50.'],
  ])('is caught as %s: %s', (rule, reason) => {
    expect(rules(reason)).toEqual([rule]);
  });

  it.each<[string, ReportedStatement['status'][]]>([
    ['Of 3 statements, 2 are borne out by the evidence and 1 is contradicted.', ['supported', 'supported']],
    ['Of 2 statements, 2 are borne out by the evidence.', ['supported', 'contradicted']],
    ['Of 2 statements, 1 is borne out by the evidence and 1 was not found in it.', ['supported', 'contradicted']],
  ])('is caught as counted: %s', (reason, statuses) => {
    expect(rules(reason, statuses)).toEqual(['counted']);
  });

  it('is told apart from a true one in the same reason', () => {
    expect(rules('Worked out again: 2 + 2 = 4 and 2 + 3 = 6.')).toEqual(['computed']);
  });
});

describe('a true sentence is let stand', () => {
  it.each<[string, ReportedStatement['status'][]]>([
    ['The work says “The bridge is 312 metres long.” (statement 1).', []],
    ['The work says “The bridge is 312…” (statement 1).', []],
    ['Here Guide says “The bridge is 1,850 metres long”.', []],
    ['For that, Guide gives “1850 metres”.', []],
    ['Here Guide says “The bridge is […34] long and opened on 4 May 1932”.', []],
    ['“900 metres” stands nowhere in the evidence.', []],
    ['“tunnel”, “1,200 trains” stand nowhere in the evidence.', []],
    ['It follows: 48 × 31.5 = 1,512.', []],
    ['It follows: 10 − 12 = -2.', []],
    ['Of 2 statements, 1 is borne out by the evidence and 1 could not be checked.', ['supported', 'not_checked']],
    ['Of 2 statements, 1 name their source; one does not.', ['not_found']],
    ['A judgement that rules cannot make.', []],
  ])('%s', (reason, statuses) => {
    expect(rules(reason, statuses)).toEqual([]);
  });
});
