import { type CheckRequest, evidenceManifest } from '@/server/work-check/contract.ts';
import type { EvidenceText } from './PassagePanel.tsx';

/** The texts of a check request's evidence, under the references that citations use. */
export function evidenceTexts(request: Pick<CheckRequest, 'evidence'>): EvidenceText[] {
  return evidenceManifest(request).map(({ ref }, index) => {
    const item = request.evidence[index];
    return { ref, text: typeof item === 'string' ? item : (item?.text ?? '') };
  });
}
