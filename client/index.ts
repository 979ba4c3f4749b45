/** What the package exports. */
export { Buyer } from './buyer.ts';
export { type Kept, keptIn } from './kept.ts';
export { Refused } from './transport.ts';
export { links } from './verify/bundle.ts';
export { type Verification, verifyBundle } from './verify/verify.ts';
export { verifyReceipt } from './verify-receipt.ts';
