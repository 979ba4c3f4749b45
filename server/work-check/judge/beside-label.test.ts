import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { checkAsRead as checkWork } from '../as-read-trial.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';

type Fields = { [key: string]: JsonValue };

/** How the first field of a work stands, and why. */
async function told(work: Fields, text: string): Promise<string> {
  const request = { work_product: work, evidence: [{ source: 'Text', text }] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

const lease = `Signed on 12 January 2026. Deposit: GBP 9,625. Service charge: GBP 4,200 per year.
Broker: Siobhan Reilly. Claims contact: Aidan Moore.
Break option on 28 February 2029 with six months' notice.`;
const flight = `Outbound: 14 August 2026, departs 06:55, arrives 10:40.
Return: 21 August 2026, departs 18:20, arrives 23:55.`;
const job = 'Salary: EUR 4,800 to EUR 5,900 a month. 36 hours per week, 27 days of leave per year.';

describe('a value beside the label of another field is wrong', () => {
  it.each<[string, Fields, string, RegExp]>([
    [
      'where a line gives another value',
      { deposit_gbp: 4200 },
      lease,
      /“4200” \(deposit_gbp\) where Text gives “9,625”/,
    ],
    ['where a line gives another name', { broker: 'Aidan Moore' }, lease, /where Text gives “Siobhan Reilly”/],
    [
      'where the work itself gives it for the other',
      { break_date: '2026-01-12', signed_on: '2026-01-12' },
      lease,
      /where Text gives “28 February 2029”/,
    ],
    [
      'where the object around tells which is meant',
      { outbound: { departs: '18:20' }, return: { departs: '18:20' } },
      flight,
      /“18:20” \(outbound.departs\) where Text gives “06:55”/,
    ],
  ])('%s', async (_, work, text, expected) => {
    expect(await told(work, text)).toMatch(expected);
    expect(await told(work, text)).toMatch(/^contradicted/);
  });
});

describe('a value beside the label of another field is not borne out', () => {
  it.each<[string, Fields, string, RegExp]>([
    [
      'where only the other has a label',
      { handover: '2026-01-12', signed_on: '2026-01-12' },
      lease,
      /Text gives “12 January 2026” for “signed on”: “Signed on/,
    ],
    ['at the other end of a range', { salary_min: 5900, salary_max: 5900 }, job, /gives “5,900” for “salary max”/],
    ['where prose gives another', { notice_days: 36 }, 'Notice of 14 days. It ran 36 days.', /closer to “notice days”/],
  ])('%s', async (_, work, text, expected) => {
    expect(await told(work, text)).toMatch(expected);
    expect(await told(work, text)).toMatch(/^not_found/);
  });
});

describe('a value is borne out', () => {
  it.each<[string, Fields, string]>([
    ['beside its own label', { deposit_gbp: 9625, service_charge_gbp: 4200 }, lease],
    ['in brackets with its label', { contact: 'Britta Lohse', club: 'TV Hafen' }, 'TV Hafen (contact: Britta Lohse).'],
    [
      'that another source puts right',
      { price_eur: 45 },
      'Price: EUR 40 per unit.\n\nSorry, that was a mistake. The unit costs EUR 45.',
    ],
    [
      'where the line tells of the former one too',
      { manager: 'Omar Haddad' },
      'Manager: Ruth Keller left; Omar Haddad followed.',
    ],
    ['beside a rate of the same name', { discount: 11.85 }, 'Subtotal 118.50, discount of 10% -11.85.'],
    ['beside a figure in its own name', { hba1c: 5.4 }, 'HbA1c 5.4 % (below 5.7).'],
    ['counted out of another', { members_present: 9, members_total: 12 }, 'Present: 9 of 12 members.'],
    ['where a comma parts it from the next label', { prep_minutes: 25 }, '25 minutes to prepare, 40 minutes to bake.'],
    [
      'beside a word of the same stem',
      { claim_gbp: 410000 },
      'It sued for GBP 410,000. The claimant is owed GBP 262,500.',
    ],
    ['told in words', { start: '2026-05-01', end: '2027-04-30' }, 'The policy runs from 1 May 2026 to 30 April 2027.'],
  ])('%s', async (_, work, text) => {
    expect(await told(work, text)).toMatch(/^supported/);
  });
});
