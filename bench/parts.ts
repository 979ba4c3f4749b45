/** The parts of `npm run bench`: runs those that its arguments name, or all, and prints their tables. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '../commands/ports.ts';
import { type Arena, openArena } from './arena.ts';
import { benchBytes } from './bytes.ts';
import { benchCards } from './cards.ts';
import { benchConsole } from './console.ts';
import { benchGrowth } from './growth.ts';
import { benchHotGrant } from './limits.ts';
import { benchMcp } from './mcp.ts';
import { benchPages } from './pages.ts';
import { benchPickUp } from './pick-up.ts';
import { benchPurchases } from './purchases.ts';
import { benchReads } from './reads.ts';
import { benchTransactions } from './transactions.ts';
import { benchTricks } from './tricks.ts';
import { benchX402 } from './x402.ts';

const quick = process.argv.includes('quick');
const effort = quick ? { rounds: 1, seconds: 8 } : { rounds: 3, seconds: 10 };
const [filled, grown] = quick ? [2_000, 20_000] : [10_000, 1_000_000];

const inArena: Record<string, (arena: Arena) => Promise<string>> = {
  purchases: (arena) => benchPurchases(arena, effort),
  cards: (arena) => benchCards(arena, effort),
  transactions: (arena) => benchTransactions(arena, effort),
  reads: (arena) => benchReads(arena, effort),
  mcp: (arena) => benchMcp(arena, effort),
  limits: (arena) => benchHotGrant(arena, effort),
  pickup: (arena) => benchPickUp(arena, quick ? 10 : 200),
  bytes: (arena) => benchBytes(arena),
  growth: (arena) => benchGrowth(arena, { ...effort, from: filled, to: grown }),
};
const parts = [...Object.keys(inArena), 'console', 'pages', 'tricks', 'x402'];
const named = parts.filter((part) => process.argv.includes(part));
const wanted = named.length > 0 ? named : parts;

const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
// PostgreSQL, which root starts as nobody, must be able to enter.
chmodSync(folder, 0o755);
try {
  const benches = wanted.flatMap((part) => inArena[part] ?? []);
  if (benches.length > 0) {
    const arena = await openArena(await freePorts(), folder, filled);
    for (const bench of benches) console.log(`${await bench(arena)}\n`);
    await arena.close();
  }
  if (wanted.includes('console')) {
    const measured = { sizes: [filled, grown], rounds: quick ? 3 : 9 };
    console.log(`${await benchConsole(await freePorts(), path.join(folder, 'console'), measured)}\n`);
  }
  if (wanted.includes('pages')) {
    console.log(`${await benchPages(await freePorts(), path.join(folder, 'pages'))}\n`);
  }
  if (wanted.includes('tricks')) console.log(`${await benchTricks(quick ? 1 : 9)}\n`);
  if (wanted.includes('x402')) {
    const payments = quick ? { rounds: 1, payments: 10 } : { rounds: 3, payments: 180 };
    console.log(await benchX402(await freePorts(), path.join(folder, 'x402'), payments));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
