import type { Queries } from '../kernel/database.ts';
import { repeatsCounted } from '../kernel/idempotency.ts';
import type { ObjectStore } from '../kernel/object-store.ts';
import { type Sql, sql, statement } from '../kernel/sql.ts';
import { checkQueue } from '../queue/queue.ts';
import { auditEntries } from './audit-entries.ts';
import { bookEntries } from './book-entries.ts';
import type { Entry } from './contract/purchases.ts';
import type { FoundPurchase, QuoteParts } from './found.ts';

/** An entry to show: `raw` is the record without content and secrets. */
interface EntryRow {
  id: string;
  at: Date;
  kind: Entry['kind'];
  title: string;
  detail: string | null;
  key: string | null;
  failed: boolean;
  /** What is wrong is still so, and waits for a person; not where there is nothing to do. */
  needs_look?: boolean;
  raw: Record<string, unknown>;
}

/** Everything recorded of a purchase, newest first. */
export async function timelineOf(
  { db, archive }: { db: Queries; archive: ObjectStore | null },
  { quote, job }: FoundPurchase,
  now: Date,
): Promise<Entry[]> {
  const keys = { quoteKey: quote.quote_key, jobKey: job?.job_key ?? null, principalKey: quote.principal_key };
  // What was switched off after the payment did not concern it.
  const until = job?.collected_at ?? job?.finalized_at ?? now;
  const found = await Promise.all(
    [
      await auditEntries(db, archive, keys.quoteKey),
      acts(keys.quoteKey),
      requests(keys.principalKey, [keys.quoteKey, ...(keys.jobKey === null ? [] : [keys.jobKey])]),
      firstRequest(quote),
      switches(quote, until),
      ...(keys.jobKey === null ? [] : [...ofJob(keys.jobKey), await bookEntries(db, archive, keys.jobKey)]),
    ].map((statement) => db.many<EntryRow>(statement)),
  );
  const names = await namesOf(db, quote.account_key);
  return found
    .flat()
    .map((row) => ({
      ...row,
      title: words(row.title),
      detail: (row.detail ?? '').replace(/\bmember_\w+/g, (key) => names.get(key) ?? key),
      at: row.at.toISOString(),
      needs_look: row.needs_look ?? false,
    }))
    .toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id, 'en', { numeric: true }));
}

/** The addresses of an account's members, by their keys. */
async function namesOf(db: Queries, accountKey: string): Promise<Map<string, string>> {
  const members = await db.many<{ member_key: string; email: string }>(sql`
    select member_key, email from members where account_key = ${accountKey} limit 200`);
  return new Map(members.map(({ member_key, email }) => [member_key, email]));
}

const ofJob = (jobKey: string): Sql[] => [
  payments(jobKey),
  decisions(jobKey),
  transfers(jobKey),
  refunds(jobKey),
  reports(jobKey),
  reviews(jobKey),
  receipts(jobKey),
  tries(jobKey),
  checkouts(jobKey),
  charges(jobKey),
  disputes(jobKey),
  webhooks(jobKey),
  letters(jobKey),
];

const words = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ');

const acts = (quoteKey: string): Sql => sql`
  select 'operator-' || sequence as id, at, 'operator' as kind, action as title, reason || ' (' || actor || ', ' || role
      || ')' as detail,
    null as key, false as failed,
    jsonb_build_object('subject', subject, 'sequence', sequence, 'actor', actor, 'role', role, 'reason', reason,
      'amount_microcents', amount_microcents, 'hash', hash) as raw
  from operator_acts where purchase_key = ${quoteKey}`;

const payments = (jobKey: string): Sql => sql`
  select 'payment-' || payment_key as id, created_at as at, 'payment' as kind, 'payment began' as title,
    rail || coalesce(', ' || nullif(method, rail), '') || coalesce(', ' || network || ', from ' || payer, '') as detail, payment_key as key,
    false as failed, jsonb_build_object('payment_key', payment_key, 'rail', rail, 'method', method, 'amount_microcents',
      amount_microcents, 'network', network, 'payer', payer, 'nonce', nonce, 'valid_before', valid_before) as raw
  from payments left join x402_transfers using (payment_key) where job_key = ${jobKey}`;

const decisions = (jobKey: string): Sql => sql`
  select 'decision-' || payment_key as id, coalesce(reversed_at, decided_at, p.lease_until) as at, 'payment' as kind,
    case when p.state = 'unknown' and payment_state = 'requires_payer' then 'waits for the payer'
      else 'payment ' || case when reversed_at is not null then 'reversed' else p.state end end as title,
    coalesce(p.failure, case when decided_at is not null then ''
      when payment_state = 'requires_payer' then 'the provider is asked again at this time'
      else 'outcome not known yet; the provider is asked again at this time' end) as detail,
    payment_key as key,
    p.state = 'failed' or p.state = 'unknown' and payment_state <> 'requires_payer' or reversed_at is not null as failed,
    p.state = 'unknown' and payment_state in ('processing', 'unknown') and p.lease_until < now() - make_interval(mins => 5)
      as needs_look,
    jsonb_build_object('payment_key', payment_key, 'state', p.state, 'failure', p.failure, 'decided_at', decided_at,
      'reversed_at', reversed_at, 'lease_until', p.lease_until) as raw
  from payments p join jobs using (job_key) where job_key = ${jobKey} and p.state <> 'settling'`;

const transfers = (jobKey: string): Sql => sql`
  select 'chain-' || c.transaction || '-' || c.position as id, coalesce(c.removed_at, c.seen_at) as at, 'chain' as kind,
    case when c.removed_at is not null then 'transfer gone from the chain' else 'transfer seen on the chain' end as title,
    c.use || ', block ' || c.block_number || ', ' || c.network || ', from ' || c.sender as detail, c.transaction as key,
    c.removed_at is not null as failed,
    jsonb_build_object('network', c.network, 'transaction', c.transaction, 'position', c.position, 'sender', c.sender,
      'recipient', c.recipient, 'amount_microcents', c.amount_microcents, 'block_number', c.block_number, 'block_hash',
      c.block_hash, 'use', c.use, 'moves', c.moves) as raw
  from chain_transfers c
  where c.payment_key = any(array(select payment_key from payments where job_key = ${jobKey}))
    or c.refund_key = any(array(select refund_key from refunds where job_key = ${jobKey}))`;

const refunds = (jobKey: string): Sql => sql`
  select 'refund-' || refund_key as id, coalesce(decided_at, created_at) as at, 'refund' as kind, state as title,
    replace(reason, '_', ' ') || ', ' || tries || ' tries' || coalesce(', ' || failure, '')
      || coalesce(', ' || replace(settled_as, '_', ' ') || coalesce(' ' || settled_reference, ''), '') as detail, refund_key as key,
    state = 'refund_failed' as failed, state = 'refund_failed' and dropped_at is null as needs_look,
    jsonb_build_object('refund_key', refund_key, 'state', state, 'reason', reason, 'tries', tries, 'next_try_at',
      next_try_at, 'failure', failure, 'amount_microcents', amount_microcents, 'network', network) as raw
  from refunds where job_key = ${jobKey}`;

const reports = (jobKey: string): Sql => sql`
  select 'report-' || number as id, delivered_at as at, 'report' as kind, 'report ' || number as title, verdict as detail,
    digest as key, false as failed, jsonb_build_object('number', number, 'verdict', verdict, 'digest', digest, 'bytes',
      octet_length(text_of(job_key, 'reports', number))) as raw
  from reports where job_key = ${jobKey}`;

const reviews = (jobKey: string): Sql => sql`
  select 'review-' || review_key as id, at, 'review' as kind, 'review: ' || decision as title,
    'report ' || report_number || ', by ' || reviewer || coalesce(', ' || replace(reason, '_', ' '), '') as detail, review_key as key,
    decision = 'dispute' as failed, jsonb_build_object('review_key', review_key, 'decision', decision, 'reviewer',
      reviewer, 'reason', reason, 'report_number', report_number) as raw
  from reviews where job_key = ${jobKey}`;

const receipts = (jobKey: string): Sql => sql`
  select 'receipt-' || sequence as id, issued_at as at, 'receipt' as kind, 'receipt ' || sequence as title,
    digest as detail, receipt_key as key, false as failed,
    jsonb_build_object('receipt_key', receipt_key, 'sequence', sequence, 'digest', digest) as raw
  from receipts where job_key = ${jobKey}`;

/** The queue deletes messages an hour after they end. */
const tries = (jobKey: string): Sql => sql`
  select 'queue-' || id as id, coalesce(completed_on, started_on, created_on) as at, 'queue' as kind,
    'queue: ' || state as title, 'the check, ' || retry_count || ' repeats' as detail, id::text as key,
    state = 'failed' as failed, jsonb_build_object('id', id, 'state', state, 'created_on', created_on, 'started_on',
      started_on, 'completed_on', completed_on, 'retry_count', retry_count) as raw
  from pgboss.job where name = ${checkQueue} and singleton_key = ${jobKey}`;

/** An answer, and how often the same request came again since and got it. */
const claimParts = `'asked: ' || operation as title, case when status is null then 'asked to try again; repeats are not counted'
      else 'answered ' || status || case when repeats = 0 then ', not repeated since'
        else ', repeated ' || case when repeats = 1 then 'once since, at '
            when repeats < ${repeatsCounted} then repeats || ' times since, last at '
            else 'at least ' || repeats || ' times since, last noted at ' end
          || to_char(repeated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' end end as detail,
    idempotency_key as key, coalesce(status >= 400, false) as failed,
    jsonb_build_object('operation', operation, 'idempotency_key', idempotency_key, 'scope', scope, 'status', status,
      'created_at', created_at, 'answered_at', answered_at, 'repeats', repeats, 'repeated_at', repeated_at,
      'fingerprint', fingerprint) as raw`;

const requestsText = `
  select 'request-' || operation || '-' || idempotency_key as id, created_at as at, 'request' as kind, ${claimParts}
  from idempotency_requests
  where scope in (select $1 union all select member_key from members join principals using (account_key)
      where principal_key = $1)
    and operation in ('authorize', 'pay', 'review', 'cancel', 'cancel_payment', 'delete_content')
    and path_keys = any($2::text[])`;

/** Requests of the buyer and its members on the purchase with an idempotency key. */
const requests = (principalKey: string, keys: string[]): Sql => statement(requestsText, [principalKey, keys]);

const firstRequestText = `
  select 'request-' || operation || '-' || idempotency_key as id, created_at as at, 'request' as kind, ${claimParts}
  from idempotency_requests
  where scope = $1 and operation = 'check_work' and created_at between $2::timestamptz - interval '1 minute'
      and $2::timestamptz + interval '1 minute'
    and status = 201 and body::jsonb ->> 'quote_key' = $3`;

/** The request that the quote answered. */
const firstRequest = ({ principal_key, created_at, quote_key }: QuoteParts): Sql =>
  statement(firstRequestText, [principal_key, created_at, quote_key]);

/** Requests to the card provider, as recorded before the call. */
const checkouts = (jobKey: string): Sql => sql`
  select 'provider-' || payment_key as id, coalesce(session_asked_at, created_at) as at, 'provider' as kind,
    case when method = 'card_saved' then 'card provider: charge a saved card' else 'card provider: open the page' end
      as title,
    concat_ws(', ', case when failed_calls > 0 then failed_calls || ' calls failed' end,
      'declined: ' || coalesce(decline_code, declined_because)) as detail,
    coalesce(session_id, intent_id) as key,
    failed_calls > 0 or coalesce(decline_code, declined_because) is not null as failed,
    jsonb_build_object('payment_key', payment_key, 'intent_id', intent_id, 'session_id', session_id, 'customer_id',
      customer_id, 'card_key', card_key, 'failed_calls', failed_calls, 'decline_code', decline_code, 'declined_intent_id', declined_intent_id,
      'declined_because', declined_because, 'declined_at', declined_at, 'session_expires_at',
      session_expires_at, 'withdrawn_at', withdrawn_at) as raw
  from card_payments join payments using (payment_key) where job_key = ${jobKey}`;

const charges = (jobKey: string): Sql => sql`
  select 'charge-' || intent_id as id, seen_at as at, 'provider' as kind, 'charge seen at the card provider' as title,
    use || ', fee ' || to_char(fee_microcents / 1e8, 'FM999999990.00999999') as detail, charge_id as key,
    use = 'late' as failed, jsonb_build_object('intent_id', intent_id, 'charge_id', charge_id, 'amount_microcents',
      c.amount_microcents, 'fee_microcents', fee_microcents, 'use', use) as raw
  from card_charges c join payments using (payment_key) where job_key = ${jobKey}`;

const disputes = (jobKey: string): Sql => sql`
  select 'dispute-' || dispute_id as id, coalesce(closed_at, opened_at) as at, 'provider' as kind,
    'dispute ' || coalesce(outcome, 'opened by the bank') as title,
    to_char(withdrawn_microcents / 1e8, 'FM999999990.00999999') || ' USD held by the bank' as detail, dispute_id as key,
    outcome is distinct from 'won' as failed, closed_at is null and answered_at is null as needs_look, jsonb_build_object('dispute_id', dispute_id, 'intent_id', intent_id,
      'opened_at', opened_at, 'told_at', told_at, 'closed_at', closed_at, 'outcome', outcome, 'withdrawn_microcents',
      withdrawn_microcents, 'fee_microcents', fee_microcents) as raw
  from card_disputes join payments using (payment_key) where job_key = ${jobKey}`;

/** Events are stored by their object. */
const webhooks = (jobKey: string): Sql => sql`
  with paid as (select payment_key from payments where job_key = ${jobKey}),
    named as (
      select unnest(array[session_id, intent_id, declined_intent_id]) as object_id from card_payments join paid using (payment_key)
      union select unnest(array[intent_id, charge_id]) from card_charges join paid using (payment_key)
      union select dispute_id from card_disputes join paid using (payment_key)
      union select provider_refund_id from refunds where job_key = ${jobKey})
  select 'webhook-' || event_id as id, received_at as at, 'webhook' as kind, 'webhook: ' || type as title,
    case when handled_at is null then 'waits, ' || tries || ' tries' else 'handled after '
      || round(extract(epoch from handled_at - received_at)::numeric, 1) || ' s' end as detail,
    event_id as key, handled_at is null and tries > 0 as failed, handled_at is null and tries > 0 as needs_look,
    jsonb_build_object('event_id', event_id, 'type', type, 'object_id', object_id, 'created_at', created_at, 'received_at',
      received_at, 'handled_at', handled_at, 'tries', tries, 'next_try_at', next_try_at) as raw
  from card_events join named using (object_id)`;

/** Letters about its payments. The customer's page says to whom. */
const letters = (jobKey: string): Sql => sql`
  select 'letter-' || letter_key as id, coalesce(sent_at, l.created_at) as at, 'letter' as kind,
    'letter: ' || case when kind in ('purchase', 'important') then split_part(about, ':', 1) else kind end as title,
    case when sent_at is null then 'not sent yet' else 'sent' end as detail,
    letter_key as key, false as failed, jsonb_build_object('letter_key', letter_key, 'kind', kind, 'created_at',
      l.created_at, 'sent_at', sent_at) as raw
  from letters l where kind = 'notice' and about in (
      select payment_key from payments where job_key = ${jobKey} union select ${jobKey})
    or kind in ('purchase', 'important') and about in (
      select told.name || ':' || ${jobKey}::text || ':' || sequence
      from audit_steps, unnest(array[action, 'review_ends']) as told (name)
      where purchase_key = (select quote_key from jobs where job_key = ${jobKey}))`;

/** Of the rail that it was paid over, once that is known, and of the whole service. */
const switches = ({ quote_key, created_at }: QuoteParts, to: Date): Sql => sql`
  select 'switch-' || sequence as id, changed_at as at, 'switch' as kind, 'switch ' || name || ' turned ' || state as title,
    reason || ' (' || actor || ')' as detail, null as key, state = 'off' as failed,
    jsonb_build_object('name', name, 'state', state, 'reason', reason, 'actor', actor) as raw
  from switch_changes where changed_at between ${created_at} and ${to} and (name = 'service'
    or name in ('x402', 'card') and name = coalesce((select last_rail from jobs where quote_key = ${quote_key}), name))`;
