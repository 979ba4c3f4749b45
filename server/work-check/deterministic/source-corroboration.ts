import type { CheckOutcome } from '../contract.ts';
import { readStatement } from '../contradictions.ts';
import { type EvidenceSource, indexEvidence } from '../reading/evidence-index.ts';
import { readWork } from '../statements.ts';

const STATEMENTS_MAX = 400;

/**
 * Compares what the buyer supplied with what the service retrieved itself: fails when a supplied statement is
 * contradicted there. Agreement is counted, never assumed.
 */
export function checkSourceCorroboration(
  supplied: readonly EvidenceSource[],
  retrieved: readonly EvidenceSource[],
  refs: number,
): CheckOutcome {
  if (refs === 0)
    return {
      check: 'source_corroboration',
      status: 'skipped',
      detail: { independent_sources: 0, reason: 'no governed context refs were supplied' },
    };
  const index = indexEvidence([...retrieved]);
  const identical = supplied.filter(({ digest }) => retrieved.some((source) => source.digest === digest)).length;
  let [compared, agreeing] = [0, 0];
  const contradicted: { ref: string; supplied: string; retrieved: string }[] = [];
  for (const source of supplied) {
    for (const statement of readWork(source.text).statements.slice(0, STATEMENTS_MAX - compared)) {
      const reading = readStatement(statement, index);
      compared += 1;
      const fault = reading.faults.find(({ contradicts }) => contradicts);
      if (fault !== undefined) contradicted.push({ ref: source.ref, supplied: fault.claimed, retrieved: fault.known });
      else if (reading.faults.length === 0 && reading.coverage >= 0.7) agreeing += 1;
    }
  }
  const reason =
    contradicted.length > 0
      ? `${contradicted.length} supplied statements are contradicted by a retrieved source`
      : `${agreeing} of ${compared} supplied statements stand in a retrieved source too; none is contradicted there`;
  return {
    check: 'source_corroboration',
    status: contradicted.length > 0 ? 'failed' : 'passed',
    detail: {
      independent_sources: retrieved.length,
      identical,
      compared,
      agreeing,
      contradicted: contradicted.length,
      reason,
    },
  };
}
