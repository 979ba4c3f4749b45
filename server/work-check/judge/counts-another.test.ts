import { expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { checkAsRead as checkWork } from '../as-read-trial.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';

async function told(work: { [key: string]: JsonValue }, text: string): Promise<string> {
  const request = { work_product: work, evidence: [{ source: 'Mail', text }] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

const mail = 'For the new office we need 24 desks and 26 chairs by the end of March.';

it('contradicts a count that the passage gives of another thing', async () => {
  expect(await told({ desks: 26 }, mail)).toMatch(/^contradicted: .*gives “24 desks” and “26 chairs”/);
});

it('bears out the count of the thing itself, wherever it stands', async () => {
  expect(await told({ desks: 24 }, mail)).toMatch(/^supported/);
  expect(await told({ desks: 26 }, `${mail} Two came later, so it was 26 desks in the end.`)).toMatch(/^supported/);
  expect(await told({ office_chairs: 26 }, mail)).toMatch(/^supported/);
});
