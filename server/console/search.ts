import type { z } from 'zod';
import type { Queries } from '../kernel/database.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import type * as contract from './contract/overview.ts';

type Result = z.infer<typeof contract.consoleSearch.output>['results'][number];

interface FoundRow {
  kind: Result['kind'];
  key: string;
  title: string;
  at: Date | null;
  /** The purchase or account that it belongs to, if any. */
  leads_to: string | null;
}

/** Finds the owners of a key, an address or a name, by index. Exact matches come first. */
export const consoleSearch: Verb<typeof contract.consoleSearch> = async ({ input, db }) => {
  const rows = await lookedUp(db, input.q);
  return {
    body: {
      results: rows.map(({ leads_to, at, ...row }) => ({
        ...row,
        at: at?.toISOString() ?? null,
        page: pageOf(row, leads_to),
      })),
    },
  };
};

function pageOf({ kind, key }: Pick<FoundRow, 'kind' | 'key'>, leadsTo: string | null): string {
  if (leadsTo === null)
    return kind === 'transfer' ? '/console/money' : `/console/found?${new URLSearchParams({ q: key })}`;
  const isCustomer = kind === 'customer' || kind === 'registration' || kind === 'card' || leadsTo.startsWith('acct_');
  return `/console/${isCustomer ? 'customers' : 'purchases'}/${leadsTo}`;
}

async function lookedUp(db: Queries, q: string): Promise<FoundRow[]> {
  const found = await Promise.all(questions(q).map((statement) => db.many<FoundRow>(statement)));
  return found.flat();
}

/** The look-ups to try for a text, by its form. */
function questions(text: string): Sql[] {
  const q = namedIn(text);
  const lower = q.toLowerCase();
  if (/^0x[0-9a-f]{64}$/.test(lower)) return [byTransaction(lower)];
  if (/^0x[0-9a-f]{40}$/.test(lower)) return [byWallet(lower), byPayer(lower)];
  if (/^0x[0-9a-f]{4,}$/.test(lower)) return byBeginning(lower).slice(0, 2);
  if (q.includes('@')) return [byEmail(lower), byRequest(q), ...byBeginning(lower).slice(2)];
  if (/^\d{4}$/.test(q)) return [byLastFour(q), byRequest(q), byName(q)];
  if (/^[a-z]+_\w+$/.test(q)) return [...byKey(q), ...byProviderKey(q), byRequest(q), byName(q)];
  return [byRequest(q), byName(q), ...(lower.length < shortest ? [] : byBeginning(lower).slice(2))];
}

/** The shortest beginning of an address that is looked for. */
const shortest = 3;

/** The key, address or transaction that a pasted address names, as of our pages or of an explorer; else the text itself. */
function namedIn(text: string): string {
  if (!/^(?:https?:\/\/|\/)/i.test(text)) return text;
  const path = text.replace(/[?#].*$/s, '');
  return path.match(/0x[0-9a-f]{40,64}|\b[a-z]+_\w+/gi)?.at(-1) ?? text;
}

/** Sorts behind every letter that an address begins with. */
const lastLetter = '\u{10ffff}';

/** Wallets and payers that begin so, and members. */
const byBeginning = (start: string): [Sql, Sql, Sql] => [
  sql`select 'customer' as kind, principal_key as key, kind as title, created_at as at, account_key as leads_to
    from principals where principal_key >= ${start} and principal_key < ${start + lastLetter} limit 20`,
  sql`select 'payment' as kind, payment_key as key, state as title, created_at as at, job_key as leads_to
    from (select payment_key from x402_transfers where payer >= ${start} and payer < ${start + lastLetter} limit 20) paid
      join payments using (payment_key) order by created_at desc`,
  sql`select 'customer' as kind, email as key, role as title, created_at as at, account_key as leads_to
    from members where email >= ${start} and email < ${start + lastLetter} and email <> ${start} order by email limit 20`,
];

const byLastFour = (digits: string): Sql => sql`
  select 'card' as kind, card_key as key,
    brand || ' ending in ' || last4 || case when removed_at is null then '' else ', removed' end
      || coalesce(', of ' || (select email from members m where m.account_key = c.account_key
        order by role = 'owner' desc, created_at limit 1), '') as title, saved_at as at, account_key as leads_to
  from saved_cards c where last4 = ${digits} order by saved_at desc limit 20`;

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
  sql`select 'customer' as kind, member_key as key, email as title, created_at as at, account_key as leads_to
    from members where member_key = ${key}`,
  sql`select 'block' as kind, block_key as key, cause as title, b.created_at as at,
      coalesce(job_key, b.account_key) as leads_to
    from purchase_blocks b left join payments using (payment_key) where block_key = ${key}`,
];

/** The card provider's objects, and the objects of its events. */
const byProviderKey = (key: string): Sql[] => [
  sql`select 'payment' as kind, intent_id as key, p.state as title, created_at as at, job_key as leads_to
    from card_payments join payments p using (payment_key) where intent_id = ${key} or session_id = ${key}`,
  sql`select 'payment' as kind, declined_intent_id as key, 'declined: ' || declined_because as title, declined_at as at,
      job_key as leads_to
    from card_payments join payments using (payment_key)
    where declined_intent_id = ${key} and intent_id is distinct from declined_intent_id`,
  sql`select 'payment' as kind, charge_id as key, 'charge: ' || use as title, seen_at as at, job_key as leads_to
    from card_charges join payments using (payment_key) where charge_id = ${key} or intent_id = ${key}`,
  sql`select 'refund' as kind, provider_refund_id as key, state as title, created_at as at, job_key as leads_to
    from refunds where provider_refund_id = ${key}`,
  sql`select 'dispute' as kind, dispute_id as key, coalesce(outcome, 'open') as title, opened_at as at,
      job_key as leads_to
    from card_disputes join payments using (payment_key) where dispute_id = ${key}`,
  sql`select 'customer' as kind, customer_id as key, 'at the card provider' as title, created_at as at,
      account_key as leads_to
    from card_customers where customer_id = ${key}`,
  sql`select 'card' as kind, card_key as key, brand || ' ' || last4 as title, saved_at as at, account_key as leads_to
    from saved_cards where method_id = ${key} or card_key = ${key}`,
  sql`select 'webhook' as kind, event_id as key, type as title, received_at as at, coalesce(
      (select job_key from card_payments join payments using (payment_key)
        where intent_id = object_id or session_id = object_id),
      (select job_key from card_charges join payments using (payment_key) where charge_id = object_id),
      (select job_key from card_disputes join payments using (payment_key) where dispute_id = object_id),
      (select job_key from refunds where provider_refund_id = object_id)) as leads_to
    from card_events where event_id = ${key}`,
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

/** An idempotency key: its operation and who used it. */
const byRequest = (key: string): Sql => sql`
  select 'request' as kind, idempotency_key as key, operation as title, c.created_at as at,
    coalesce(nullif(path_keys, ''), c.body::jsonb ->> 'quote_key') as leads_to
  from idempotency_requests c
  where idempotency_key = ${key} and (path_keys ~ '^(job|quote)_\\w+$' or operation = 'check_work' and status = 201)
  order by c.created_at desc limit 20`;

/** Agents with similar names, the most similar first, by shared trigrams (pg_trgm). */
const byName = (name: string): Sql => sql`
  select 'customer' as kind, principal_key as key, name || coalesce(', of ' || (select email from members m
      where m.account_key = alike.account_key order by role = 'owner' desc, created_at limit 1), '') as title,
    created_at as at, account_key as leads_to
  from (
    select principal_key, name, created_at, account_key from principals
    where lower(name) %> lower(${name}) limit 200) alike
  order by lower(name) <->> lower(${name}), created_at desc limit 20`;
