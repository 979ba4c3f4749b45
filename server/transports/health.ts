import { readdirSync } from 'node:fs';
import path from 'node:path';
import { skewMaxSeconds } from '../kernel/database-clock.ts';
import { isDiskFull } from '../kernel/disk.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Runtime } from '../runtime.ts';
import type { Answer } from './exchange.ts';

/** Why to send a process no requests. No provider is among them: a restart would not help. */
type Reason =
  | 'stopping'
  | 'database_unreachable'
  | 'database_full'
  | 'clock_differs'
  | 'migrations_missing'
  | 'receipt_keys_missing';

/** A slower database is of no use to requests either. */
const patienceMs = 1_000;
/** Anybody may ask: query the database at most this often. */
const rememberMs = 500;

const migrations = readdirSync(path.resolve(import.meta.dirname, '../../prisma/migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/**
 * `/livez`: the process answers. `/readyz`: it can serve and is not stopping; else 503 with the reasons. Null for other
 * addresses.
 */
export async function healthAnswer(runtime: Runtime, address: string): Promise<Answer | null> {
  if (address === '/livez') return said(200, { status: 'alive' });
  if (address !== '/readyz') return null;
  const reasons = await reasonsOf(runtime);
  return reasons.length === 0 ? said(200, { status: 'ready' }) : said(503, { status: 'not_ready', reasons });
}

function said(status: number, body: object): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...headers, 'x-request-id': newKey('req') }, text: JSON.stringify(body) };
}

const remembered = new WeakMap<Runtime, { at: number; reasons: Promise<Reason[]> }>();

async function reasonsOf(runtime: Runtime): Promise<Reason[]> {
  if (runtime.stopping.aborted) return ['stopping'];
  const at = performance.now();
  const known = remembered.get(runtime);
  if (known && at - known.at < rememberMs) return known.reasons;
  const reasons = look(runtime);
  remembered.set(runtime, { at, reasons });
  return reasons;
}

async function look(runtime: Runtime): Promise<Reason[]> {
  const keys = await Promise.race([missing(runtime), later()]).catch(() => null);
  if (keys === null) return ['database_unreachable'];
  return [
    ...(isDiskFull(runtime.db) ? (['database_full'] as const) : []),
    ...(Math.abs(runtime.skewSeconds()) > skewMaxSeconds ? (['clock_differs'] as const) : []),
    ...keys,
  ];
}

async function missing({ db, receiptSigner }: Runtime): Promise<Reason[]> {
  const { is_closed, applied, has_key } = await db.shared.one<{
    is_closed: boolean;
    applied: string[];
    has_key: boolean;
  }>(sql`
    select current_setting('transaction_read_only') = 'on' as is_closed, array(select migration_name::text from _prisma_migrations where finished_at is not null) as applied,
      exists (select from receipt_keys where kid = ${receiptSigner.kid} and revoked_at is null
        and (valid_to is null or valid_to > now())) as has_key`);
  return [
    // It answers, and takes no writes: a replica, or one that somebody closed.
    ...(is_closed ? (['database_unreachable'] as const) : []),
    ...(migrations.every((name) => applied.includes(name)) ? [] : (['migrations_missing'] as const)),
    ...(has_key ? [] : (['receipt_keys_missing'] as const)),
  ];
}

function later(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, patienceMs, null).unref());
}
