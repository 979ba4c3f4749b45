import type { CheckOutcome, DeterministicCheck, FindingStatus, StatementStatus, Verdict } from './contract.ts';

/** From best to worst. A cap or a rule may only move a verdict to the right. */
const SEVERITY: readonly Verdict[] = ['supported', 'insufficient_evidence', 'escalate', 'revise'];

/** The best verdict a report may carry when this check failed. */
const CAPS: Record<DeterministicCheck, Verdict> = {
  evidence_integrity: 'insufficient_evidence',
  evidence_freshness: 'insufficient_evidence',
  work_product_schema: 'revise',
  rubric_coverage: 'escalate',
  citation_integrity: 'escalate',
  source_corroboration: 'escalate',
};

/** The worst of several verdicts. */
export function lowest(first: Verdict, ...others: Verdict[]): Verdict {
  return others.reduce((worst, next) => (SEVERITY.indexOf(next) > SEVERITY.indexOf(worst) ? next : worst), first);
}

/** Whether `verdict` is no better than `cap`. */
export function isWithin(verdict: Verdict, cap: Verdict): boolean {
  return SEVERITY.indexOf(verdict) >= SEVERITY.indexOf(cap);
}

/** The best verdict that the failed checks leave possible. */
export function capOfChecks(checks: readonly CheckOutcome[]): Verdict {
  return lowest('supported', ...checks.filter(({ status }) => status === 'failed').map(({ check }) => CAPS[check]));
}

/** The best verdict that the findings leave possible. */
export function capOfFindings(findings: readonly { status: FindingStatus }[]): Verdict {
  const has = (status: FindingStatus): boolean => findings.some((finding) => finding.status === status);
  if (has('contradicted') || has('missing')) return 'revise';
  if (has('partly_met') || has('not_assessable')) return 'insufficient_evidence';
  return 'supported';
}

/** The best verdict that the statements leave possible: nothing is supported while one of them is open. */
export function capOfStatements(statements: readonly { status: StatementStatus }[]): Verdict {
  const has = (status: StatementStatus): boolean => statements.some((statement) => statement.status === status);
  if (has('contradicted')) return 'revise';
  if (has('undecided')) return 'escalate';
  return has('not_found') ? 'insufficient_evidence' : 'supported';
}
