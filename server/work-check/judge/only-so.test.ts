import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { checkAsRead as checkWork } from '../as-read-trial.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';

async function told(work: { [key: string]: JsonValue }, text: string): Promise<string> {
  const request = { work_product: work, evidence: [{ source: 'Mail', text }] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

const terms =
  'The price per person is EUR 46 from 40 guests, EUR 49 below that. Payment by card or transfer, no cheques.';

describe('a value that stands in a source does not bear out its field', () => {
  it.each<[string, { [key: string]: JsonValue }, string, RegExp]>([
    ['where it is denied', { payment: 'cheques' }, terms, /^not_found: .*only to deny it: .*no cheques/],
    [
      'where it is denied of a place',
      { city: 'Antwerp' },
      'Send it to our shop in Ghent, not to the warehouse in Antwerp.',
      /^not_found: .*only to deny it/,
    ],
    ['where it is former', { seats: 40 }, 'The hall has 52 seats (before: 40).', /^not_found: .*of the past/],
    ['where it is one of two', { price_per_person: 46 }, terms, /^not_found: .*under a condition, beside “49”/],
  ])('%s', async (_, work, text, expected) => {
    expect(await told(work, text)).toMatch(expected);
  });
});

describe('a value that stands in a source bears out its field', () => {
  it.each<[string, { [key: string]: JsonValue }, string]>([
    ['which is one of exclusions', { not_accepted: 'cheques' }, terms],
    ['which is of the past', { previous_seats: 40 }, 'The hall has 52 seats (before: 40).'],
    ['that is given elsewhere too', { payment: 'cheque' }, 'No cheque came. Payment by cheque was agreed on 5 June.'],
    ['and another sentence confirms it', { price_per_person: 49 }, `${terms} We agree to EUR 49 for each.`],
    [
      'and is one of two without a condition',
      { price_adult: 12 },
      'The price is EUR 12 for an adult and EUR 8 for a child.',
    ],
  ])('%s', async (_, work, text) => {
    expect(await told(work, text)).toMatch(/^supported/);
  });
});
