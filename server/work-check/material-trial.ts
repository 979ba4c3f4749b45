import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import type { CheckRequest } from './contract.ts';
import { type EvidenceIndex, evidenceSource, indexEvidence } from './reading/evidence-index.ts';
import { readWork, type Statement } from './statements.ts';

/** A source as tests write it: a text, or a text under a name. */
export type Given = string | { source: string; text: string; observed_at?: string };

export function evidenceOf(...given: readonly Given[]): EvidenceIndex {
  return indexEvidence(
    given.map((one, at) => {
      const { source, text, observed_at = null } = typeof one === 'string' ? { source: `S${at}`, text: one } : one;
      return evidenceSource({ ref: `evidence/${at}`, source, text, observed_at }, 'supplied');
    }),
  );
}

/** The only statement, or the one at a path, of a work. */
export function statementOf(work: Parameters<typeof readWork>[0], path?: string): Statement {
  const found = readWork(work).statements.find(
    ({ place }) => path === undefined || ('path' in place && place.path === path),
  );
  if (found === undefined) throw new Error(`No statement ${path ?? ''} in ${JSON.stringify(work)}`);
  return found;
}

/** How a criterion is answered of a work, as "status: reason". */
export async function answerTo(
  criterion: string,
  work_product: CheckRequest['work_product'],
  ...given: readonly Given[]
): Promise<string> {
  const evidence = given.map((one, at) => (typeof one === 'string' ? { source: `S${at}`, text: one } : one));
  const request = { work_product, evidence, criteria: [criterion] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  const [finding] = report.findings;
  return `${finding?.status}: ${finding?.reason}`;
}
