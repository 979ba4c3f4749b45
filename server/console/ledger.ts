import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { accountSums } from '../ledger/closing.ts';
import type { Verb } from '../operation/verb.ts';
import { readCardBooks } from '../payments/card/unsettled.ts';
import { told, toldMax } from '../payments/told.ts';
import { readChainBooks } from '../payments/x402/unsettled.ts';
import { Problem } from '../problems/problem.ts';
import type * as contract from './contract/records.ts';
import { chainView } from './money.ts';
import { onWire, wired } from './wire.ts';

export const consoleLedger: Verb<typeof contract.consoleLedger> = async ({ ctx, db }) => {
  const { closed_at, sums } = await accountSums(db);
  const { mode } = ctx.runtime.configuration.card;
  const differences = await openDifferences(db);
  const card = await readCardBooks(db);
  return {
    body: {
      closed_at: closed_at?.toISOString() ?? null,
      accounts: sums.map(({ account, debited, credited, entries }) => ({
        account,
        debited_microcents: toWire(debited),
        credited_microcents: toWire(credited),
        balance_microcents: toWire(debited - credited),
        entries: Number(entries),
      })),
      difference_microcents: toWire(sums.reduce((sum, { debited, credited }) => sum + debited - credited, 0n)),
      differences: onWire({
        total: differences.total,
        rows: differences.rows.map(({ page, ...row }) => ({
          ...row,
          provider_page: page && `https://dashboard.stripe.com${mode === 'live' ? '' : '/test'}/${page}`,
        })),
      }),
      card: card ? wired(card) : null,
      chains: (await readChainBooks(db)).map(chainView),
    },
  };
};

interface DifferenceRow {
  book: string;
  kind: string;
  object_id: string;
  ours: string | null;
  theirs: string | null;
  first_seen_at: Date;
  last_seen_at: Date;
  job_key: string | null;
  /** Base of links to the card provider's pages. */
  page: string | null;
}

/** Differences between the books and a provider's or a chain's, with our purchase, if any. */
function openDifferences(db: Queries) {
  return told<DifferenceRow>(
    db,
    sql`
      select d.book, d.kind, d.object_id, d.ours, d.theirs, d.first_seen_at, d.last_seen_at, p.job_key,
        count(*) over () as total,
        case when d.book <> 'card' then null when d.kind = 'balance' then 'balance/overview'
          when d.kind = 'dispute' then 'disputes/' || d.object_id
          else 'payments/' || coalesce(charge.intent_id, refund.intent_id, d.object_id) end as page
      from reconciliation_differences d
        left join card_charges charge on charge.charge_id = d.object_id
        left join refunds refund on refund.provider_refund_id = d.object_id
        left join card_disputes dispute on dispute.dispute_id = d.object_id
        left join card_charges paid on paid.intent_id = coalesce(charge.intent_id, refund.intent_id, dispute.intent_id)
        left join payments p on p.payment_key = paid.payment_key
      where d.gone_at is null order by d.first_seen_at, d.object_id limit ${toldMax}`,
  );
}

interface EntryRow {
  event_key: string;
  event: string;
  at: Date;
  job_key: string | null;
  debit_account: string;
  credit_account: string;
  amount_microcents: bigint;
}

export const consoleEntries: Verb<typeof contract.consoleEntries> = async ({ input, db }) => {
  const { account, after, limit } = input;
  const last =
    after === null
      ? null
      : await db.maybe<{ at: Date }>(sql`
    select at from ledger_transfers where event_key = ${after}`);
  if (last === undefined) throw new Problem('not_found', 'after does not name an existing page.');
  const behind = { at: last?.at ?? new Date('9999-01-01'), key: after ?? '' };
  const rows = await db.many<EntryRow>(entriesOf(account, behind, limit + 1));
  const shown = rows.slice(0, limit);
  return {
    body: {
      entries: shown.map(wired),
      next_after: rows.length > limit ? (shown.at(-1)?.event_key ?? null) : null,
      archived: await archivedOf(db, account),
    },
  };
};

/** How many entries of an account, or of all, the archive has, and of which months (`2026-08`); null before the first. */
async function archivedOf(db: Queries, account: string | null) {
  const { entries, months } = await db.one<{ entries: number; months: string[] | null }>(sql`
    select (coalesce(sum(entries), 0) / case when ${account}::text is null then 2 else 1 end)::float8 as entries,
      array_agg(distinct to_char(month, 'YYYY-MM')) as months
    from ledger_left where ${account}::text is null or account = ${account}`);
  return months && { entries, months };
}

/** One account's postings: each side has an index. */
function entriesOf(account: string | null, { at, key }: { at: Date; key: string }, limit: number): Sql {
  if (account === null) {
    return sql`
      select event_key, event, at, job_key, debit_account, credit_account, amount_microcents from ledger_transfers
      where at <= ${at} and (at, event_key) < (${at}::timestamptz, ${key})
      order by at desc, event_key desc limit ${limit}`;
  }
  return sql`
    select event_key, event, at, job_key, debit_account, credit_account, amount_microcents from (
      (select event_key, event, at, job_key, debit_account, credit_account, amount_microcents from ledger_transfers
        where debit_account = ${account} and (at, event_key) < (${at}::timestamptz, ${key})
        order by at desc, event_key desc limit ${limit})
      union all
      (select event_key, event, at, job_key, debit_account, credit_account, amount_microcents from ledger_transfers
        where credit_account = ${account} and (at, event_key) < (${at}::timestamptz, ${key})
        order by at desc, event_key desc limit ${limit})) sides
    order by at desc, event_key desc limit ${limit}`;
}
