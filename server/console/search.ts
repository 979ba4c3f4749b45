import type { Verb } from '../door/verb.ts';
import type { Queries } from '../kernel/database.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import type * as contract from './contract.ts';

interface FoundRow {
  kind: 'purchase' | 'quote' | 'payment' | 'refund' | 'receipt' | 'registration' | 'customer' | 'transfer' | 'request';
  key: string;
  title: string;
  at: Date | null;
  /** The purchase or the account that it belongs to; null for a transfer that belongs to none. */
  leads_to: string | null;
}

/** Finds what a key, an address or a name belongs to, by index. What matches exactly comes first. */
export const consoleSearch: Verb<typeof contract.consoleSearch> = async ({ input, db }) => {
  const rows = await lookedUp(db, input.q);
  return {
    body: {
      results: rows.map(({ leads_to, at, ...row }) => ({
        ...row,
        at: at?.toISOString() ?? null,
        page: pageOf(row.kind, leads_to),
      })),
    },
  };
};

function pageOf(kind: FoundRow['kind'], leadsTo: string | null): string {
  if (leadsTo === null) return '/console/money';
  return `/console/${kind === 'customer' || kind === 'registration' ? 'customers' : 'purchases'}/${leadsTo}`;
}

async function lookedUp(db: Queries, q: string): Promise<FoundRow[]> {
  const found = await Promise.all(questions(q).map((statement) => db.many<FoundRow>(statement)));
  return found.flat();
}

/** The look-ups that something may be worth, by its form. */
function questions(q: string): Sql[] {
  const lower = q.toLowerCase();
  if (/^0x[0-9a-f]{64}$/.test(lower)) return [byTransaction(lower)];
  if (/^0x[0-9a-f]{40}$/.test(lower)) return [byWallet(lower), byPayer(lower)];
  if (q.includes('@')) return [byEmail(lower), byRequest(q)];
  if (/^[a-z]+_\w+$/.test(q)) return [...byKey(q), byRequest(q)];
  return [byRequest(q), byName(q)];
}

const byKey = (key: string): Sql[] => [
  sql`select 'purchase' as kind, job_key as key, state as title, created_at as at, job_key as leads_to
    from jobs where job_key = ${key}`,
  sql`select 'quote' as kind, quote_key as key, state as title, created_at as at, quote_key as leads_to
    from quotes where quote_key = ${key}`,
  sql`select 'payment' as kind, payment_key as key, state as title, created_at as at, job_key as leads_to
    from payments where payment_key = ${key}`,
  sql`select 'refund' as kind, refund_key as key, state as title, created_at as at, job_key as leads_to
    from refunds where refund_key = ${key}`,
  sql`select 'receipt' as kind, receipt_key as key, 'receipt ' || sequence as title, issued_at as at, job_key as leads_to
    from receipts where receipt_key = ${key}`,
  sql`select 'registration' as kind, registration_key as key, state as title, created_at as at, account_key as leads_to
    from registrations where registration_key = ${key}`,
  sql`select 'customer' as kind, account_key as key, 'account' as title, created_at as at, account_key as leads_to
    from accounts where account_key = ${key}`,
  sql`select 'customer' as kind, principal_key as key, coalesce(name, kind) as title, created_at as at,
      account_key as leads_to
    from principals where principal_key = ${key}`,
];

const byTransaction = (hash: string): Sql => sql`
  select 'transfer' as kind, transaction as key, use || ' on ' || c.network as title, seen_at as at,
    coalesce(p.job_key, r.job_key) as leads_to
  from chain_transfers c left join payments p using (payment_key) left join refunds r using (refund_key)
  where transaction = ${hash} order by position limit 20`;

const byWallet = (address: string): Sql => sql`
  select 'customer' as kind, principal_key as key, kind as title, created_at as at, account_key as leads_to
  from principals where principal_key = ${address}`;

const byPayer = (address: string): Sql => sql`
  select 'payment' as kind, payment_key as key, state as title, created_at as at, job_key as leads_to
  from x402_transfers join payments using (payment_key) where payer = ${address} order by created_at desc limit 20`;

const byEmail = (email: string): Sql => sql`
  select 'customer' as kind, email as key, role as title, created_at as at, account_key as leads_to
  from members where email = ${email} order by created_at desc limit 20`;

/** An idempotency key is looked up under its operation, with who used it. */
const byRequest = (key: string): Sql => sql`
  select 'request' as kind, idempotency_key as key, operation as title, c.created_at as at,
    coalesce(nullif(path_keys, ''), c.body::jsonb ->> 'quote_key') as leads_to
  from idempotency_claims c
  where idempotency_key = ${key} and (path_keys ~ '^(job|quote)_\\w+$' or operation = 'check_work' and status = 201)
  order by c.created_at desc limit 20`;

/** Names of agents that sound alike are found by their beginning. */
const byName = (name: string): Sql => sql`
  select 'customer' as kind, principal_key as key, name as title, created_at as at, account_key as leads_to
  from principals where lower(name) like ${`%${name.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`}
  order by created_at desc limit 20`;
