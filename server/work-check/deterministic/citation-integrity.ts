import { resolveCitation } from '../citations.ts';
import type { CheckOutcome, Citation } from '../contract.ts';
import type { EvidenceSource } from '../reading/evidence-index.ts';

/**
 * Every citation leads to a passage of a supplied or retrieved source, byte for byte. `dropped` citations were refused
 * before the report was written and count as unknown.
 */
export function checkCitationIntegrity(
  citations: readonly Citation[],
  dropped: number,
  sources: readonly EvidenceSource[],
): CheckOutcome {
  const unresolved = citations.filter((citation) => resolveCitation(citation, sources) === undefined).length;
  const unknown = unresolved + dropped;
  const reason =
    unknown > 0
      ? `${unknown} named no passage of the evidence and ${dropped === unknown ? 'were dropped' : 'do not resolve'}`
      : citations.length === 0
        ? 'the findings cite no passage'
        : 'every citation resolves to a passage of the evidence';
  return {
    check: 'citation_integrity',
    status: unknown > 0 ? 'failed' : 'passed',
    detail: { cited: citations.length, unknown, reason },
  };
}
