import { expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

async function told(work: { [key: string]: JsonValue }): Promise<string> {
  const evidence = [{ source: 'Mail', text: 'We are 38 guests: 4 vegetarians, nobody vegan. There is no discount.' }];
  const request = { work_product: work, evidence };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') });
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

it('bears out a count of none where the evidence denies that there is any', async () => {
  expect(await told({ vegans: 0 })).toMatch(/^supported: .*nobody vegan/);
  expect(await told({ discount: 0 })).toMatch(/^supported: .*no discount/);
});

it('leaves another count open, with the sentence that denies it', async () => {
  expect(await told({ vegans: 2 })).toMatch(/^not_found: .*gives 2, and Mail says .*nobody vegan/);
});

it('says nothing of a count that no sentence denies', async () => {
  expect(await told({ children: 0 })).toMatch(/^not_found: .*stands nowhere/);
});
