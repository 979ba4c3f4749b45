import type { CheckOutcome } from '../contract.ts';
import type { EvidenceSource } from '../reading/evidence-index.ts';

/**
 * Every item has content and a named source. The same text given twice is counted and does not fail: it adds no weight,
 * because a passage is only cited once.
 */
export function checkEvidenceIntegrity(sources: readonly EvidenceSource[]): CheckOutcome {
  const missing_content = sources.filter(({ text }) => text.trim() === '').length;
  const missing_source = sources.filter(({ source }) => source.trim() === '').length;
  const duplicates = sources.length - new Set(sources.map(({ digest }) => digest)).size;
  const failed = missing_content > 0 || missing_source > 0;
  return {
    check: 'evidence_integrity',
    status: failed ? 'failed' : 'passed',
    detail: { duplicates, items: sources.length, missing_content, missing_source },
  };
}
