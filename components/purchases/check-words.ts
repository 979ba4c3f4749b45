import { counted } from '@/components/ui/counted.ts';
import type { CheckOutcome, DeterministicCheck } from '@/server/work-check/contract.ts';

/** Each deterministic check's name on pages. */
export const checkNames: Record<DeterministicCheck, string> = {
  evidence_integrity: 'Evidence integrity',
  evidence_freshness: 'Evidence age',
  work_product_schema: 'Structure',
  rubric_coverage: 'Criteria coverage',
  citation_integrity: 'Citation integrity',
  source_corroboration: 'Corroboration',
};

const skipReasons: Partial<Record<DeterministicCheck, string>> = {
  evidence_freshness: 'No maximum age was set',
  work_product_schema: 'No schema was sent',
  source_corroboration: 'No governed sources were shared',
};

/** `every citation resolves` as `Every citation resolves`; null without a reason. */
function givenReason(outcome: CheckOutcome): string | null {
  const { reason } = outcome.detail;
  if (typeof reason !== 'string' || reason === '') return null;
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`;
}

function passedSentence(outcome: CheckOutcome, count: (name: string) => number): string {
  switch (outcome.check) {
    case 'evidence_integrity':
      return `${counted(count('items'), 'item')}, none empty, none twice, each with a source`;
    case 'evidence_freshness':
      return `${counted(count('items'), 'item')}, each within the maximum age`;
    case 'work_product_schema':
      return 'The work fits the schema that was sent';
    case 'rubric_coverage':
      return `${counted(count('criteria'), 'criterion', 'criteria')}, none left unassessed`;
    case 'citation_integrity':
      return `${counted(count('cited'), 'citation')}, each leads to a passage of the evidence`;
    case 'source_corroboration':
      return `${counted(count('independent_sources'), 'source')} retrieved and compared, none contradicts`;
  }
}

function failedSentence(outcome: CheckOutcome, count: (name: string) => number): string {
  switch (outcome.check) {
    case 'evidence_integrity':
      return `Of ${counted(count('items'), 'item')}: ${count('missing_content')} empty, ${count('missing_source')} without a source, ${count('duplicates')} twice`;
    case 'evidence_freshness':
      return `Of ${counted(count('items'), 'item')}: ${count('stale')} too old, ${count('undated')} without a date, ${count('in_the_future')} dated later than the check`;
    case 'work_product_schema':
      return `The work breaks the schema that was sent${count('errors') > 0 ? `, in ${counted(count('errors'), 'place')}` : ''}`;
    case 'rubric_coverage':
      return `Of ${counted(count('criteria'), 'criterion', 'criteria')}: ${count('unassessed')} left unassessed`;
    case 'citation_integrity':
      return `${counted(count('unknown'), 'citation')} led to no passage of the evidence`;
    case 'source_corroboration':
      return `${counted(count('contradicted'), 'statement')} contradicted by a retrieved source`;
  }
}

/** What a check did, why it failed, or why it was skipped: one line. */
export function checkSentence(outcome: CheckOutcome): string {
  // A detail has either a count or a list.
  const count = (name: string) => {
    const value = outcome.detail[name];
    return Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0;
  };
  if (outcome.status === 'passed') return passedSentence(outcome, count);
  if (outcome.status === 'skipped') return skipReasons[outcome.check] ?? givenReason(outcome) ?? 'Not asked for';
  return outcome.check === 'work_product_schema'
    ? (givenReason(outcome) ?? failedSentence(outcome, count))
    : failedSentence(outcome, count);
}
