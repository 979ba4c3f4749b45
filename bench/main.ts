/**
 * `npm run bench`: speed as ratios, in one run; `-- purchases` or `-- x402` runs one half. `-- quick` is a smoke run
 * whose figures mean nothing.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildApp } from '../commands/build.ts';
import { freePorts } from '../commands/ports.ts';
import { generateClient } from '../commands/prisma.ts';
import { benchPurchases } from './purchases.ts';
import { benchX402 } from './x402.ts';

const quick = process.argv.includes('quick');
await generateClient();
await buildApp();
const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
// PostgreSQL, which root starts as nobody, must be able to enter.
chmodSync(folder, 0o755);
try {
  const effort = quick ? { rounds: 1, seconds: 3, filled: 500 } : { rounds: 3, seconds: 10, filled: 10_000 };
  if (!process.argv.includes('x402')) console.log(await benchPurchases(await freePorts(), folder, effort));
  if (!process.argv.includes('purchases')) {
    const payments = quick ? { rounds: 1, payments: 10 } : { rounds: 3, payments: 60 };
    console.log(await benchX402(await freePorts(), path.join(folder, 'x402'), payments));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
