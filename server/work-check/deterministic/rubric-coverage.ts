import type { CheckOutcome } from '../contract.ts';
import type { Entry } from '../entries.ts';

/** Every criterion, or else the request, has a finding of its own with a reason. */
export function checkRubricCoverage(
  entries: readonly Entry[],
  findings: readonly { criterion: string; reason: string }[],
): CheckOutcome {
  const unassessed = entries.filter(({ label }, index) => {
    const finding = findings[index];
    return finding === undefined || finding.criterion !== label || finding.reason.trim() === '';
  }).length;
  return {
    check: 'rubric_coverage',
    status: unassessed > 0 ? 'failed' : 'passed',
    detail: { criteria: entries.length, unassessed },
  };
}
