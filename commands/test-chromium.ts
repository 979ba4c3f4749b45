import { findChromium } from './chromium.ts';

/** Before browser tests: unpacks Chromium once, so that no two workers write the same file. */
export default async function setup(): Promise<void> {
  await findChromium();
}
