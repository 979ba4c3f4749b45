import type { Link } from '@/client/verify/links.ts';

/** What each link of a purchase says, in the order that they are checked. */
export const linkWords: readonly (readonly [Link, string])[] = [
  ['bundle', 'The file is a whole purchase.'],
  ['signatures', 'Each receipt is signed by a key that you gave.'],
  ['receipts', 'The receipts are one chain without a gap.'],
  ['offer', 'What was collected is what was offered.'],
  ['grant', 'The customer had allowed the purchase.'],
  ['input', 'The offer was for this request and this evidence.'],
  ['reports', 'The receipts name these reports, none more and none fewer.'],
  ['sources', 'The reports were made of these texts.'],
  ['citations', 'Each citation leads to a passage.'],
  ['checks', 'The checks that need no judgement come out the same again.'],
  ['proofs', 'Each proof holds again.'],
  ['verdict', 'The verdict is no better than the findings allow.'],
  ['form', 'The reports say all that their contract asks.'],
];
