import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { CheckRequest } from '../server/work-check/contract.ts';

/**
 * Measures pairs of single statements over the same evidence: a right one, and a twin in which one thing is exchanged
 * (value, period, unit, party, role, order, condition, hedge, quantity, comparison, attribution, membership).
 *
 * `npm run check:twins -- [FILE]`
 */
type Twin = {
  id: string;
  kind: string;
  form: string;
  evidence: CheckRequest['evidence'];
  right: string;
  wrong: string;
};
type Counts = { of: number; right_supported: number; wrong_supported: number; right_contradicted: number };

const file = process.argv[2] ?? join(import.meta.dirname, '../server/work-check/twins.jsonl');
const now = new Date('2026-01-15T12:00:00Z');
const counts = new Map<string, Counts>();

async function statuses(work_product: string, evidence: CheckRequest['evidence']): Promise<string[]> {
  const { statements } = await checkWork({ work_product, evidence }, { assessor: embeddedAssessor, now });
  return statements.flatMap(({ status }) => (status === 'not_checked' ? [] : [status]));
}

for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const { kind, form, evidence, right, wrong } = JSON.parse(line) as Twin;
  const [own, other] = [await statuses(right, evidence), await statuses(wrong, evidence)];
  const all = (given: readonly string[]): boolean => given.length > 0 && given.every((one) => one === 'supported');
  for (const name of ['all', kind, form]) {
    const count = counts.get(name) ?? { of: 0, right_supported: 0, wrong_supported: 0, right_contradicted: 0 };
    count.of += 1;
    if (all(own)) count.right_supported += 1;
    if (all(other)) count.wrong_supported += 1;
    if (own.includes('contradicted')) count.right_contradicted += 1;
    counts.set(name, count);
  }
}
console.table(Object.fromEntries(counts));
