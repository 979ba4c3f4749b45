import type { CheckOutcome, DeterministicCheck } from '@/server/work-check/contract.ts';

/** What each deterministic check is called on a page. */
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

/** A count in a check's detail, which is a number or the list of what was counted. */
function countOf(detail: Record<string, unknown>, name: string): number {
  const value = detail[name];
  return Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function sentence(outcome: CheckOutcome): string {
  const count = (name: string) => countOf(outcome.detail, name);
  switch (outcome.check) {
    case 'evidence_integrity':
      return outcome.status === 'passed'
        ? `${plural(count('items'), 'item')}, none empty, none twice, each with a source`
        : `${plural(count('items'), 'item')}: ${count('missing_content')} empty, ${count('missing_source')} without a source, ${count('duplicates')} twice`;
    case 'evidence_freshness':
      return outcome.status === 'passed' ? 'Every item is within the maximum age' : 'An item is too old or has no date';
    case 'work_product_schema':
      return outcome.status === 'passed'
        ? 'The work fits the schema that was sent'
        : 'The work does not fit the schema';
    case 'rubric_coverage':
      return outcome.status === 'passed'
        ? `${plural(count('criteria'), 'criterion', 'criteria')}, none left unassessed`
        : `${count('unassessed')} of ${plural(count('criteria'), 'criterion', 'criteria')} left unassessed`;
    case 'citation_integrity':
      return outcome.status === 'passed'
        ? `${plural(count('cited'), 'citation')}, each names a source of this check`
        : `${count('unknown')} of ${plural(count('cited'), 'citation')} name no source of this check`;
    case 'source_corroboration':
      return `${plural(count('independent_sources'), 'source')} retrieved by the service and compared`;
  }
}

/** One line on what a check did, why it failed, or why it was skipped. */
export function checkSentence(outcome: CheckOutcome): string {
  if (outcome.status === 'skipped') {
    const given = outcome.detail.reason;
    return skipReasons[outcome.check] ?? (typeof given === 'string' ? given : 'Not asked for');
  }
  return sentence(outcome);
}
