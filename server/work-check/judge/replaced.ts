import type { Replaced } from '../engines/replaced.ts';
import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import { type Judgement, placeOf, quote, sourceName, where } from './ground.ts';

/** Contradicts a figure that a source replaces by another. */
export function judgeReplaced(
  statement: Statement,
  { claimed, known, passage }: Replaced,
  index: EvidenceIndex,
): Judgement {
  const beside = index.passages[passage];
  const said = beside === undefined ? '' : quote(passageText(index, beside));
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}, but ${sourceName(index, beside?.source ?? -1)} puts “${known}” in place of “${claimed}”: ${said}.`,
    passages: placeOf(index, passage),
    compared: { claimed, known },
  };
}
