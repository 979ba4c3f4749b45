import { type Verification, verifyBundle } from '../verify/verify.ts';
import type { PublishedKeys } from '../verify-receipt.ts';

/** What a page asks: a purchase as its buyer keeps it, and the seller's keys from wherever the buyer has them. */
export interface Asked {
  purchase: unknown;
  keys: PublishedKeys;
}

/** What a page is told; `unable` where the browser has no Ed25519. */
export type Told = { found: Verification } | { unable: true } | { failed: string };

/** Verifies in a browser, by the code of the command. The policy of this file lets it reach no network. */
globalThis.onmessage = async ({ data }: MessageEvent<Asked>) => {
  (globalThis as unknown as Worker).postMessage(await answerTo(data));
};

async function answerTo({ purchase, keys }: Asked): Promise<Told> {
  try {
    if (!(await canCheckSignatures())) return { unable: true };
    return { found: await verifyBundle(purchase, keys) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

async function canCheckSignatures(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['verify', 'sign']);
    return true;
  } catch {
    return false;
  }
}
