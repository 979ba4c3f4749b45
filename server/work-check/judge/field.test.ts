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
