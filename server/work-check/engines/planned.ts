import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';

const PLANS = /\b(?:re)?(?:order|purchas|buy|plan|propos|recommend|request)/i;

/** "To order: 15 sacks" beside a count of 6 sacks in store: what is to be says nothing of what is. */
export function isPlanned(
  { text, under }: Pick<Statement, 'text' | 'under'>,
  passage: Passage,
  index: EvidenceIndex,
): boolean {
  const source = index.sources[passage.source]?.source ?? '';
  return PLANS.test(`${under} ${text}`) && !PLANS.test(`${source} ${passageText(index, passage)}`);
}
