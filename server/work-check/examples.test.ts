import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { CheckRequest } from './contract.ts';
import { workedExamples } from './examples.ts';

describe('ten pieces of work as agents really write them', () => {
  it.each(workedExamples)('$name: finds what a careful reader would', async ({ request, expected, verdict }) => {
    expect(CheckRequest.safeParse(request).success).toBe(true);
    const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-08-05T00:00:00Z') });
    for (const { criterion, status, says } of expected) {
      const finding = report.findings.find((candidate) => candidate.criterion.startsWith(criterion));
      expect(finding, report.report.body).toMatchObject({ status });
      if (says !== undefined) expect(finding?.reason).toContain(says);
    }
    expect(report.verdict, report.report.body).toBe(verdict);
  });
});
