import { expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { checkAsRead as checkWork } from '../as-read-trial.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';

/** What is said of the hours of the first of two shifts. */
async function hours(text: string): Promise<string> {
  const work: JsonValue = [
    { shift: 'Early', hours: 36 },
    { shift: 'Late', hours: 24 },
  ];
  const evidence = [{ source: 'Plan', text: `${text}\nLate: three people for eight hours.` }];
  const request = { work_product: work, evidence };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  const found = report.statements.find(({ path }) => path === '/0/hours');
  return `${found?.status}: ${found?.why}`;
}

it('a field is not borne out by the product of figures of two sentences', async () => {
  expect(await hours('Early: four people. The gate opens at nine.')).not.toMatch(/^supported/);
});

/** What is said of the customers of feeder F2, which the evidence gives as 905. */
async function customers(...rows: string[]): Promise<(string | undefined)[]> {
  const work = ['| Feeder | Stage | Customers |', '|---|---|---|', '| F1 | 1 | 1,240 |', ...rows].join('\n');
  const text = '| Feeder | Bar | Customers |\n|---|---|---|\n| F1 | A | 1,240 |\n| F2 | A | 905 |\n| F3 | B | 1,102 |';
  const request = { work_product: `${work}\n`, evidence: [{ source: 'List', text }] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  return report.statements.map(({ status }) => status);
}

it('a record that the work parts into several rows is not accused by its whole', async () => {
  expect(await customers('| F2 | 1 | 610 |', '| F2 | 2 | 295 |')).not.toContain('contradicted');
  expect(await customers('| F2 | 1 | 610 |')).toContain('contradicted');
});

it('an empty cell or field claims nothing, and is not accused by a value that may have been taken back', async () => {
  const work: JsonValue = [
    { booking: 'B1', start: '09:00' },
    { booking: 'B2', start: null },
  ];
  const text = '| Booking | Start |\n|---|---|\n| B1 | 09:00 |\n| B2 | 09:30 |\n\nPhone, 12 January: B2 is off.';
  const request = { work_product: work, evidence: [{ source: 'Sheet', text }] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  expect(report.statements.map(({ status }) => status)).not.toContain('contradicted');
});
