/** What the package exports. */
export { Buyer } from './buyer.ts';
export type { Bundle, CheckRequest, InputOf, OperationName, OutputOf, Wallet } from './contract.ts';
export { type Kept, keptIn } from './kept.ts';
export { type Options, Refused } from './transport.ts';
export { links } from './verify/links.ts';
export { type Verification, verifyBundle } from './verify/verify.ts';
export { type PublishedKeys, type SignedReceipt, type Verified, verifyReceipt } from './verify-receipt.ts';
