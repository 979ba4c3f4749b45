import type { JudgedStatement } from './assessors/port.ts';
import { checkWork } from './check.ts';
import type { Report, ReportedStatement } from './contract.ts';

/**
 * A report with each statement as its rule alone read it, before the kernel asked for a proof: what a rule found borne out
 * or told otherwise, and could not prove, is `undecided` in the report itself. For trials of single rules.
 */
export async function checkAsRead(...[request, options]: Parameters<typeof checkWork>): Promise<Report> {
  let judged: readonly JudgedStatement[] = [];
  const { assessor } = options;
  const report = await checkWork(request, {
    ...options,
    assessor: {
      ...assessor,
      assess: async (task) => {
        judged = task.judged;
        return assessor.assess(task);
      },
    },
  });
  return { ...report, statements: report.statements.map((one, at) => asRead(one, judged[at]?.unproven)) };
}

const asRead = (statement: ReportedStatement, found: JudgedStatement['unproven']): ReportedStatement =>
  statement.status === 'undecided' ? { ...statement, status: found ?? 'not_found' } : statement;
