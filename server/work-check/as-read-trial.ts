import { checkWork } from './check.ts';
import type { Report, ReportedStatement } from './contract.ts';

/**
 * A report with each statement as the rules alone read it, before the kernel asked for a proof: what a rule found borne
 * out or told otherwise, and could not prove, is `undecided` in the report itself. For trials of single rules.
 */
export async function checkAsRead(...given: Parameters<typeof checkWork>): Promise<Report> {
  const report = await checkWork(...given);
  return { ...report, statements: report.statements.map(asRead) };
}

function asRead(statement: ReportedStatement): ReportedStatement {
  if (statement.status !== 'undecided') return statement;
  const closest = /^Whether .+? follows was not proven\. Closest: (.*)$/su.exec(statement.why)?.[1];
  if (closest !== undefined) return { ...statement, status: 'supported', why: closest };
  const isAccused = statement.compared !== undefined && /^(?:The work |As )/.test(statement.why);
  return { ...statement, status: isAccused ? 'contradicted' : 'not_found' };
}
