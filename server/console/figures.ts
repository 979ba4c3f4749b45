import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import {
  accepted,
  chargeFee,
  disputeFee,
  disputeFeeReturned,
  providerFee,
  providerFeeReturned,
} from '../ledger/entries.ts';
import { readArchiveFigures } from '../purchases/archive/due.ts';
import { deadLetterQueue, letterQueue } from '../queue/queue.ts';

/** One number of the database: `label` is a word of the code or a network, null for a single number. */
export interface Figure {
  figure: FigureName;
  label: string | null;
  value: number;
}

/** Help texts of the metrics. */
export const figures = {
  jobs: [
    'state',
    'Purchases that can still change, by state. Ended ones are left out, because counting them would read them all.',
  ],
  queue_depth: ['queue', 'Checks and letters waiting for a worker.'],
  queue_oldest_seconds: ['queue', 'How long the oldest waiting check or letter has waited.'],
  payments_open: [
    'state',
    'Payments whose outcome is open, by state. Those that wait for their payer are not counted.',
  ],
  payments_open_oldest_seconds: [null, 'How long the oldest open payment has been open.'],
  refunds_open: ['state', 'Refunds not carried out yet, by state.'],
  refunds_open_oldest_seconds: [null, 'How long the oldest pending refund has waited.'],
  differences_open: ['book', 'Differences between the books and a provider or a chain.'],
  card_books_age_seconds: [null, 'How far back the last whole comparison with the card provider ends.'],
  transfers_unexplained: ['use', 'Transfers to us that match no payment, and from us that no refund explains.'],
  fees_day_microcents: [null, 'What the card provider kept in the last day, less what it gave back.'],
  revenue_day_microcents: [null, 'What became ours in the last day.'],
  purchase_blocks: ['cause', 'Blocks that keep an account or a payer from buying, by cause.'],
  newcomers_given_up_day: [
    'what',
    'Paid purchases of accounts without an accepted one that were waived or canceled in the last day, with the reports and refunds that these took.',
  ],
  disputes_unanswered: [null, 'Card disputes waiting for our answer.'],
  letters_dead: [null, 'Letters that could not be sent and need an operator.'],
  reviews_overdue: [null, 'Delivered reports with an overdue review.'],
  chain_head_block: ['network', 'The newest block seen on a chain.'],
  chain_search_lag_blocks: ['network', 'How many blocks the search is behind the head of the chain.'],
  chain_search_age_seconds: ['network', 'How long ago a chain was last searched.'],
  server_connections: ['state', 'Connections of all processes to PostgreSQL: those that are used, and their limit.'],
  log_archived_seconds: [null, 'How long ago PostgreSQL last archived its log; absent where it archives none.'],
  audit_months_ahead: [
    null,
    'Months to come whose tables of audit, books and texts are there; fewer than 1 comes too late.',
  ],
  archived_objects: [null, 'Objects in the archive; absent without one.'],
  archive_written_seconds: [null, 'How long ago a run of the archive last put a batch there; absent before the first.'],
  archive_waits_seconds: [
    null,
    'For how long the oldest purchase that could be archived is not; 0 when there is none, absent without an archive.',
  ],
  switches_off: ['name', 'Switches that an operator has turned off.'],
} as const satisfies Record<string, readonly [string | null, string]>;
export type FigureName = keyof typeof figures;

const daySeconds = 86_400;
const feeEvents = [chargeFee, disputeFee, disputeFeeReturned, providerFee, providerFeeReturned].map(
  ({ event }) => event,
);

/**
 * Reads the metrics of the database. Each uses an index over open rows, so their cost does not grow with history.
 *
 * @param archiveAfterDays how old a purchase is before it is archived; null without an archive
 */
export async function readFigures(db: Queries, now: Date, archiveAfterDays: number | null): Promise<Figure[]> {
  const [figures, archive] = await Promise.all([
    readOpen(db, now),
    archiveAfterDays === null ? [] : readArchiveFigures(db, now, archiveAfterDays),
  ]);
  return [...figures, ...archive];
}

function readOpen(db: Queries, now: Date): Promise<Figure[]> {
  return db.many<Figure>(sql`
    with moving as (
      select state, updated_at, lease_until is null or lease_until <= ${now} as waits from jobs
      where state in ('queued', 'running', 'rechecking')),
    letters as (
      select count(*) as depth, min(created_on) as oldest from pgboss.job where name = ${letterQueue} and state < 'active'),
    payments_open as (
      select p.state, p.created_at from payments p join jobs using (job_key)
      where p.state in ('settling', 'unknown') and jobs.payment_state <> 'requires_payer'),
    chains as (
      select network, max(head) as head, min(searched_to) as searched_to, min(searched_at) as searched_at
      from searched_chains s
      -- Not an address that was empty when it was searched last, while others are searched on.
      where not (balance_microcents = 0 and exists (select from searched_chains other
        where other.network = s.network and other.searched_at > s.searched_at + make_interval(mins => 5)))
      group by network),
    given_up as (
      select job_key, state from jobs gone
      where (state = 'waived' or ended_by = 'buyer') and finalized_at > ${after(now, -daySeconds)} and collected_at is not null
        and not exists (select from jobs had where had.account_key = gone.account_key and had.state = 'accepted'))
    select 'jobs' as figure, state as label, count(*)::float8 as value from moving group by state
    union all select 'jobs', 'awaiting_payment', count(*) from jobs where state = 'awaiting_payment'
    union all select 'jobs', state, count(*) from jobs where state in ('delivered', 'redelivered') group by state
    union all select 'queue_depth', 'check', count(*) from moving where waits
    union all select 'queue_oldest_seconds', 'check', coalesce(extract(epoch from ${now} - min(updated_at)), 0)
      from moving where waits
    union all select 'queue_depth', 'letter', depth from letters
    union all select 'queue_oldest_seconds', 'letter', coalesce(extract(epoch from ${now} - oldest), 0) from letters
    union all select 'payments_open', known.state, count(o.state)
      from unnest(array['settling', 'unknown']) known (state) left join payments_open o using (state) group by known.state
    union all select 'payments_open_oldest_seconds', null, coalesce(extract(epoch from ${now} - min(created_at)), 0)
      from payments_open
    union all select 'refunds_open', 'refund_pending', count(*) from refunds where state = 'refund_pending'
    union all select 'refunds_open', 'refund_failed', count(*) from refunds
      where state = 'refund_failed' and dropped_at is null
    union all select 'refunds_open_oldest_seconds', null, coalesce(extract(epoch from ${now} - min(created_at)), 0)
      from refunds where state = 'refund_pending'
    union all select 'transfers_unexplained', known.use, count(c.use) from unnest(array['unmatched', 'outgoing']) known (use)
      left join (select use from chain_transfers where use in ('unmatched', 'outgoing') and removed_at is null) c using (use)
      group by known.use
    union all select 'differences_open', book, count(*) from reconciliation_differences where gone_at is null group by book
    union all select 'card_books_age_seconds', null, extract(epoch from ${now} - searched_to) from card_searches where list = 'books'
    union all select 'fees_day_microcents', null, coalesce(sum(
        case when label like '%returned' then -amount_microcents else amount_microcents end), 0)
      from hourly_figures where hour > ${after(now, -daySeconds)} and figure = 'posted' and label = any(${feeEvents}::text[])
    union all select 'revenue_day_microcents', null, coalesce(sum(amount_microcents), 0)
      from hourly_figures where hour > ${after(now, -daySeconds)} and figure = 'posted' and label = ${accepted.event}
    union all select 'purchase_blocks', cause, count(*) from purchase_blocks where lifted_at is null group by cause
    union all select 'newcomers_given_up_day', known.state, count(g.job_key) from unnest(array['waived', 'canceled']) known (state)
      left join given_up g using (state) group by known.state
    union all select 'newcomers_given_up_day', 'reports', count(*) from given_up join reports using (job_key)
    union all select 'newcomers_given_up_day', 'refunds', count(*) from given_up join refunds using (job_key)
    union all select 'disputes_unanswered', null, count(*) from card_disputes where closed_at is null and answered_at is null
    union all select 'letters_dead', null, count(*) from pgboss.job where name = ${deadLetterQueue} and state < 'active'
    union all select 'reviews_overdue', null, count(*) from jobs
      where state in ('delivered', 'redelivered') and review_by <= ${now}
    union all select 'chain_head_block', network, head from chains
    union all select 'chain_search_lag_blocks', network, greatest(head - searched_to, 0) from chains
    union all select 'chain_search_age_seconds', network, extract(epoch from ${now} - searched_at) from chains
    union all select 'server_connections', 'used', sum(numbackends) from pg_stat_database
    union all select 'server_connections', 'limit', current_setting('max_connections')::float8
    union all select 'log_archived_seconds', null, extract(epoch from ${now} - last_archived_time)
      from pg_stat_archiver where last_archived_time is not null
    union all select 'audit_months_ahead', null, min(ahead) from (select count(relname) as ahead
      from unnest(array['audit_rows', 'ledger_transfers', 'job_texts']) parted left join (pg_inherits join pg_class on pg_class.oid = inhrelid)
        on inhparent = parted::regclass
          and relname > parted || to_char(month_of(${now}), '_YYYY_MM') and relname < parted || '_9999' group by parted)
    union all select 'switches_off', name, 1 from switches where state = 'off'`);
}
