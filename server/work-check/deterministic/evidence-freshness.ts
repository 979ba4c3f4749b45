import type { CheckOutcome } from '../contract.ts';
import type { EvidenceSource } from '../reading/evidence-index.ts';

/** A clock of the buyer may run ahead of ours by this much before an item counts as dated in the future. */
const CLOCK_SKEW_SECONDS = 300;

/** Every item was observed within `maxAgeSeconds` before `now`; an item without `observed_at` fails. */
export function checkEvidenceFreshness(
  sources: readonly EvidenceSource[],
  maxAgeSeconds: number | undefined,
  now: Date,
): CheckOutcome {
  if (maxAgeSeconds === undefined)
    return { check: 'evidence_freshness', status: 'skipped', detail: { reason: 'no max_evidence_age_seconds' } };
  const [undated, stale, future]: [string[], string[], string[]] = [[], [], []];
  for (const { ref, observed_at } of sources) {
    if (observed_at === null) {
      undated.push(ref);
      continue;
    }
    const age = (now.getTime() - Date.parse(observed_at)) / 1000;
    if (age > maxAgeSeconds) stale.push(ref);
    else if (age < -CLOCK_SKEW_SECONDS) future.push(ref);
  }
  const failed = undated.length + stale.length + future.length > 0;
  return {
    check: 'evidence_freshness',
    status: failed ? 'failed' : 'passed',
    detail: { max_evidence_age_seconds: maxAgeSeconds, items: sources.length, stale, undated, in_the_future: future },
  };
}
