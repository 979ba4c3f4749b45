import { assessment } from '../availability/assessment.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { unseal } from '../kernel/seal.ts';
import { sql } from '../kernel/sql.ts';
import type { Operator } from '../operation/caller.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import type { CheckRequest, FindingStatus, Report } from '../work-check/contract.ts';
import { noteAct } from './acts.ts';
import { caseOf, textOf } from './cases.ts';
import type * as contract from './contract/quality.ts';
import { figuresBy, type HourlyFigure } from './hours.ts';
import { type Opened, openedBy } from './opened.ts';

const weekSeconds = 7 * 86_400;

export const consoleQuality: Verb<typeof contract.consoleQuality> = async ({ ctx, input, db }) => {
  const since = after(ctx.now, -input.weeks * weekSeconds);
  const { assessor, measured } = assessment(ctx.runtime.configuration.assessor);
  const labels = await db.many<{ status: FindingStatus; right: number; wrong: number }>(sql`
    select status, count(*) filter (where label = 'right')::int as right,
      count(*) filter (where label = 'wrong')::int as wrong
    from finding_labels group by status order by status`);
  return { body: { weeks: await weeksSince(ctx.runtime.prisma, since), labels, configuration: assessor, measured } };
};

/** Reports, reviews and corrections by the week in which they were made. */
async function weeksSince(prisma: PrismaClient, since: Date): Promise<contract.Week[]> {
  const figures = await figuresBy(prisma, since, 'week');
  const weeks = Map.groupBy(figures, ({ at }) => at.toISOString());
  return [...weeks].flatMap(([from, of]) => {
    const sum = (figure: HourlyFigure['figure'], ...labels: string[]) =>
      of.reduce(
        (total, one) =>
          total + (one.figure === figure && (!labels.length || labels.includes(one.label)) ? one.count : 0),
        0,
      );
    const reports = sum('report');
    const disputed = sum('step', 'dispute', 'dispute_again');
    const verdicts = [...new Set(of.flatMap(({ figure, label }) => (figure === 'report' ? [label] : [])))];
    const week = {
      from,
      verdicts: verdicts.map((value) => ({ value, count: sum('report', value) })),
      reports,
      reviewed: sum('step', 'accept') + disputed,
      disputed,
      rechecked: sum('step', 'redeliver'),
      corrected: sum('corrected'),
    };
    return reports + week.reviewed > 0 ? [week] : [];
  });
}

const subject = 'findings';

export const openFindings: Verb<typeof contract.openFindings> = async ({ ctx, caller, input, tx }) => {
  noteAct(tx, caller, { subject, action: 'open_findings', reason: input.reason }, ctx.now);
  return { body: { done: true } };
};

/** Throws `action_not_allowed` without a recent reason. */
async function requireOpened(db: Queries, caller: Operator, now: Date): Promise<Opened> {
  const opened = await openedBy(db, caller, { act: 'open_findings', subject }, now);
  if (!opened) throw new Problem('action_not_allowed', 'Give a reason for reading findings first.');
  return opened;
}

/** Findings and reports that one page of the queue considers. */
const shownMax = 10;
const reportsMax = 40;
const statementsMax = 4;

interface ReportRow {
  job_key: string;
  number: number;
  quote_key: string;
  body: string;
  input: string;
  delivered_at: Date;
  labeled: number[];
}

export const consoleFindings: Verb<typeof contract.consoleFindings> = async ({ ctx, caller, db }) => {
  const { until } = await requireOpened(db, caller, ctx.now);
  const reports = await db.many<ReportRow>(sql`
    select t.job_key, t.number, j.quote_key, t.body, q.input, t.at as delivered_at, array(
      select finding from finding_labels l where l.job_key = t.job_key and l.report_number = t.number) as labeled
    from job_texts t join jobs j on j.job_key = t.job_key join quotes q on q.quote_key = j.quote_key
    where q.input is not null and t.kind = 'reports' order by t.at desc limit ${reportsMax}`);
  const findings = reports.flatMap((row) => unjudgedIn(row, ctx.runtime.configuration.keyring));
  return { body: { until, findings: findings.slice(0, shownMax) } };
};

function unjudgedIn(row: ReportRow, keyring: Keyring): contract.Judged[] {
  const report = JSON.parse(row.body) as Report;
  const request = requestIn(row, keyring);
  return report.findings.flatMap(({ criterion, status, reason, statements = [] }, finding) => {
    if (row.labeled.includes(finding)) return [];
    const rests = statements.slice(0, statementsMax).flatMap((index) => report.statements[index] ?? []);
    return [
      {
        job_key: row.job_key,
        report_number: row.number,
        finding,
        criterion,
        status,
        reason,
        delivered_at: row.delivered_at.toISOString(),
        statements: rests.map((one) => ({ text: textOf(request, one), status: one.status, why: one.why })),
        work: shownText(request.work_product),
        evidence: request.evidence.map((item, index) =>
          typeof item === 'string'
            ? { source: `Evidence ${index + 1}`, text: item }
            : { source: item.source, text: item.text },
        ),
      },
    ];
  });
}

const shownText = (work: unknown): string => (typeof work === 'string' ? work : JSON.stringify(work, null, 1));

function requestIn({ quote_key, input }: { quote_key: string; input: string }, keyring: Keyring): CheckRequest {
  return JSON.parse(unseal(input, keyring, { column: 'quotes.input', row: quote_key })) as CheckRequest;
}

export const labelFinding: Verb<typeof contract.labelFinding> = async ({ ctx, caller, input, tx }) => {
  const { job_key, report_number, finding, label } = input;
  await requireOpened(tx, caller, ctx.now);
  const found = await tx.maybe<{ body: string; quote_key: string }>(sql`
    select body, quote_key from job_texts join jobs using (job_key)
    where job_key = ${job_key} and kind = 'reports' and number = ${report_number}`);
  const status = found && (JSON.parse(found.body) as Report).findings[finding]?.status;
  if (!found || !status) throw new Problem('not_found', 'There is no such finding.');
  const error = label === 'right' ? input.error : null;
  tx.write(sql`
    insert into finding_labels (job_key, report_number, finding, label, status, error, labeled_by, labeled_at)
    values (${job_key}, ${report_number}, ${finding}, ${label}, ${status}, ${error}, ${caller.name}, ${ctx.now})
    on conflict (job_key, report_number, finding) do update set label = excluded.label, error = excluded.error,
      labeled_by = excluded.labeled_by, labeled_at = excluded.labeled_at`);
  const reason = `finding ${finding} of report ${report_number} is ${label}: ${input.reason}`;
  const { quote_key: purchase } = found;
  noteAct(tx, caller, { subject: purchase, action: 'label_finding', reason, purchase }, ctx.now);
  return { body: { done: true } };
};

const exportedMax = 500;

type LabelRow = Omit<ReportRow, 'labeled' | 'delivered_at'> & {
  finding: number;
  label: 'right' | 'wrong';
  error: contract.CaseError | null;
};

export const exportCases: Verb<typeof contract.exportCases> = async ({ ctx, caller, db }) => {
  await requireOpened(db, caller, ctx.now);
  const { keyring } = ctx.runtime.configuration;
  const labels = await db.many<LabelRow>(sql`
    select l.job_key, l.report_number as number, j.quote_key, t.body, q.input, l.finding, l.label, l.error
    from finding_labels l join job_texts t on t.job_key = l.job_key and t.kind = 'reports' and t.number = l.report_number
      join jobs j on j.job_key = l.job_key join quotes q on q.quote_key = j.quote_key
    where q.input is not null order by l.labeled_at desc limit ${exportedMax}`);
  const cases = labels.map((row) =>
    caseOf({
      ...row,
      key: `${row.job_key}-${row.number}-${row.finding}`,
      request: requestIn(row, keyring),
      report: JSON.parse(row.body) as Report,
    }),
  );
  const made = cases.filter((one) => one !== null);
  return { body: { cases: made, left_out: cases.length - made.length } };
};
