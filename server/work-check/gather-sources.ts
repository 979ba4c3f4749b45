import { type CheckRequest, evidenceManifest } from './contract.ts';
import { CheckFailure } from './failure.ts';
import { type EvidenceSource, evidenceSource, measuresOf } from './reading/evidence-index.ts';

/** A governed document that the service fetched itself for one of the request's `context.refs`. */
export type RetrievedSource = { ref: string; source: string; text: string; observed_at?: string | null };

/** Supplied items in the order sent, then the retrieved ones. */
export function gatherSources(request: CheckRequest, retrieved: readonly RetrievedSource[]): EvidenceSource[] {
  const wanted = request.context?.refs ?? [];
  const gone = wanted.filter((ref) => !retrieved.some((source) => source.ref === ref));
  if (gone.length > 0)
    throw new CheckFailure(
      'source_unavailable',
      `${gone.length} of ${wanted.length} governed sources could not be retrieved.`,
    );
  const texts = request.evidence.map((item) => (typeof item === 'string' ? item : item.text));
  const supplied = evidenceManifest(request, measuresOf).map((entry, index) =>
    evidenceSource({ ...entry, text: texts[index] ?? '' }, 'supplied', entry),
  );
  const own = retrieved.map(({ source, text, observed_at }, index) =>
    evidenceSource({ ref: `retrieved/${index}`, source, text, observed_at: observed_at ?? null }, 'retrieved'),
  );
  return [...supplied, ...own];
}
