import { expect, it } from 'vitest';
import type { CheckOutcome } from '@/server/work-check/contract.ts';
import { checkSentence } from './check-words.ts';

const cases: [CheckOutcome, string][] = [
  [
    {
      check: 'evidence_integrity',
      status: 'failed',
      detail: { items: 3, duplicates: ['evidence/1'], missing_content: [], missing_source: 1 },
    },
    'Of 3 items: 0 empty, 1 without a source, 1 twice',
  ],
  [
    { check: 'rubric_coverage', status: 'passed', detail: { criteria: 1, unassessed: [] } },
    '1 criterion, none left unassessed',
  ],
  [
    {
      check: 'evidence_freshness',
      status: 'failed',
      detail: { items: 2, stale: ['evidence/0'], undated: ['evidence/1'], in_the_future: [] },
    },
    'Of 2 items: 1 too old, 1 without a date, 0 dated later than the check',
  ],
  [
    { check: 'work_product_schema', status: 'failed', detail: { errors: [{}, {}] } },
    'The work breaks the schema that was sent, in 2 places',
  ],
  [
    { check: 'work_product_schema', status: 'failed', detail: { errors: [], reason: 'the schema cannot be applied' } },
    'The schema cannot be applied',
  ],
  [
    { check: 'evidence_freshness', status: 'skipped', detail: { reason: 'no max_evidence_age_seconds' } },
    'No maximum age was set',
  ],
];

it.each(cases)('says what $check did in one line', (outcome, sentence) => {
  expect(checkSentence(outcome)).toBe(sentence);
});
