import type { DisputeReason } from '@/server/purchases/contract.ts';

/** The reasons for a dispute in a person's words. */
export const disputeReasonWords: Record<DisputeReason, string> = {
  check_not_performed: 'A check was not performed',
  criteria_not_evaluated: 'A criterion was not evaluated',
  citation_invalid: 'A citation is wrong',
  report_incomplete: 'The report is incomplete',
  wrong_input_assessed: 'The wrong input was assessed',
  other: 'Another reason',
};

/** The same for a reason in a report. */
export function disputeReasonText(reason: string): string {
  const known: Record<string, string> = disputeReasonWords;
  return Object.hasOwn(known, reason) ? (known[reason] ?? reason) : reason.replaceAll('_', ' ');
}
