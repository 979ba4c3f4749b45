import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';
import { align } from './alignment.ts';
import type { Versions } from './versions.ts';

/** A figure that only the older version of a source gives, and what the newer one gives in its place. */
export type Superseded = { claimed: string; known: string; older: number; newer: number };

/** How much of a passage its newer wording must share. */
const SAME_PASSAGE = 0.45;

/** Whether a statement rests on a figure that a newer version of its source has replaced. */
export function findSuperseded(statement: Statement, index: EvidenceIndex, versions: Versions): Superseded | undefined {
  if (versions.size === 0) return undefined;
  for (const figure of statement.quantities) {
    const holding = index.passages.flatMap((passage, at) =>
      !passage.instruction && passage.quantities.some((known) => isSame(figure, known)) ? [at] : [],
    );
    if (holding.length === 0 || holding.some((at) => !versions.has(index.passages[at]?.source ?? -1))) continue;
    for (const older of holding) {
      const found = replacementOf(figure, older, statement, index, versions);
      if (found !== undefined) return { ...found, claimed: statement.text.slice(figure.start, figure.end), older };
    }
  }
  return undefined;
}

const isSame = (figure: Quantity, known: Quantity): boolean => compareQuantities(figure, known) === 'same';

function replacementOf(
  figure: Quantity,
  older: number,
  statement: Statement,
  index: EvidenceIndex,
  versions: Versions,
): { known: string; newer: number } | undefined {
  const old = index.passages[older];
  if (old === undefined || align(statement.tokens, old.tokens).share < 0.3) return undefined;
  const source = versions.get(old.source);
  let best: { at: number; share: number } | undefined;
  for (const [at, passage] of index.passages.entries()) {
    if (passage.source !== source || passage.instruction) continue;
    const { share } = align(old.tokens, passage.tokens);
    if (share >= SAME_PASSAGE && share > (best?.share ?? 0)) best = { at, share };
  }
  const passage = best === undefined ? undefined : index.passages[best.at];
  if (best === undefined || passage === undefined || passage.quantities.some((known) => isSame(figure, known)))
    return undefined;
  const other = passage.quantities.find(
    (known) => known.kind === figure.kind && !old.quantities.some((one) => isSame(known, one)),
  );
  if (other === undefined) return undefined;
  return {
    known: passageText(index, passage).slice(other.start - passage.start, other.end - passage.start),
    newer: best.at,
  };
}
