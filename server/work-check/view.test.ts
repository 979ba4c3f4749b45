import { describe, expect, it } from 'vitest';
import { Report, type ReportedStatement } from './contract.ts';
import { sampleReport } from './sample.ts';
import { summaryCharsMax, summaryView } from './view.ts';

const NEXT = '/api/agent/v1/jobs/job_1/report?view=whole';
const statement = (status: ReportedStatement['status'], why = 'It says so.'): ReportedStatement => ({
  start: 0,
  end: 9,
  kind: 'sentence',
  status,
  why,
});
const viewOf = async (changes: Partial<Report>): Promise<Report> =>
  summaryView({ ...(await sampleReport()), ...changes }, NEXT);
const lengthOf = (report: Report): number => JSON.stringify(report).length;

describe('the summary of a report', () => {
  it('leaves out what is proven, says how much and where the rest is, and keeps the numbers', async () => {
    const statements = [
      statement('supported'),
      statement('contradicted'),
      statement('supported'),
      statement('not_found'),
    ];
    const view = await viewOf({ statements });
    expect(view.statements.map(({ number, status }) => [number, status])).toEqual([
      [2, 'contradicted'],
      [4, 'not_found'],
    ]);
    expect([view.statements_omitted, view.next]).toEqual([2, NEXT]);
    expect(Report.safeParse(view).success).toBe(true);
  });

  it('keeps every finding and section within its length, however many statements are open', async () => {
    const statements = Array.from({ length: 400 }, () => statement('not_found', 'x'.repeat(300)));
    const whole = await sampleReport();
    const view = await viewOf({ statements });
    expect(lengthOf(view)).toBeLessThanOrEqual(summaryCharsMax);
    expect(view.statements.length).toBeGreaterThan(50);
    expect(view.statements.length + (view.statements_omitted ?? 0)).toBe(400);
    expect([view.findings, view.report]).toEqual([whole.findings, whole.report]);
  });

  it('cuts reasons where findings alone are too long', async () => {
    const { findings } = await sampleReport();
    const [finding] = findings;
    const many = Array.from({ length: 40 }, () => ({
      ...(finding as (typeof findings)[number]),
      reason: 'y '.repeat(2_000),
    }));
    const view = await viewOf({ findings: many });
    expect(lengthOf(view)).toBeLessThanOrEqual(summaryCharsMax);
    expect(view.findings).toHaveLength(40);
    expect(view.report.body).toContain('## Limitations');
  });
});
