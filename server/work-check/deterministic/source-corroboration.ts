import type { CheckOutcome } from '../contract.ts';
import { judgeStatements } from '../judge/judge-statements.ts';
import { type EvidenceSource, indexEvidence } from '../reading/evidence-index.ts';
import { readWork } from '../statements.ts';

const STATEMENTS_MAX = 400;

/**
 * Compares what the buyer supplied with what the service retrieved itself. Passes only when a retrieved source proves a
 * supplied statement and none contradicts one; a retrieved copy of something supplied confirms nothing.
 */
export function checkSourceCorroboration(
  supplied: readonly EvidenceSource[],
  retrieved: readonly EvidenceSource[],
  refs: number,
): CheckOutcome {
  const independent = retrieved.filter(({ digest }) => !supplied.some((source) => source.digest === digest));
  const base = { independent_sources: independent.length, identical: retrieved.length - independent.length };
  const outcome = (status: CheckOutcome['status'], reason: string, counts = {}): CheckOutcome => ({
    check: 'source_corroboration',
    status,
    detail: { ...base, ...counts, reason },
  });
  if (refs === 0) return outcome('skipped', 'no governed context refs were supplied');
  if (independent.length === 0) return outcome('failed', 'what was retrieved are copies of what was supplied');
  const index = indexEvidence(independent);
  let [compared, agreeing, contradicted] = [0, 0, 0];
  for (const source of supplied) {
    const work = readWork(source.text);
    const statements = work.statements.slice(0, STATEMENTS_MAX - compared);
    for (const { status, compared: pair } of judgeStatements({ ...work, statements }, index, undefined, () => {})
      .judged) {
      compared += 1;
      if (status === 'supported') agreeing += 1;
      // Another figure or a denial in the place of the supplied one: which of the two holds is not settled here.
      else if (pair !== undefined) contradicted += 1;
    }
  }
  const counts = { compared, agreeing, contradicted };
  if (contradicted > 0)
    return outcome(
      'failed',
      `${contradicted} of ${compared} supplied statements are contradicted by a retrieved source`,
      counts,
    );
  return agreeing === 0
    ? outcome('failed', `no retrieved source confirms any of ${compared} supplied statements`, counts)
    : outcome(
        'passed',
        `${agreeing} of ${compared} supplied statements stand in a retrieved source too; none is contradicted there`,
        counts,
      );
}
