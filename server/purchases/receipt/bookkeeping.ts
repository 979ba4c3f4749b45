import type { z } from 'zod';
import { billingOf } from '../../identity/billing.ts';
import type { Queries } from '../../kernel/database.ts';
import { toWire } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { collectionReference } from '../../payments/attempt-sql.ts';
import { Problem } from '../../problems/problem.ts';
import { readableBodies, rowsOfAPage } from '../archive/bodies.ts';
import * as contract from '../bookkeeping-contract.ts';
import type { Receipt } from '../contract.ts';
import { readAbout } from '../lists/bought.ts';
import { linkTo } from '../lists/lists.ts';
import { numberText, type SellerDetails, sellerNow } from './receipt-numbers.ts';

interface Row {
  job_key: string;
  issued_at: Date;
  year: number | null;
  number: number | null;
  details: SellerDetails | null;
  receipt_key: string;
  sequence: number;
  collected: bigint;
  charged: bigint;
  given_back: bigint;
  collected_at: Date;
  rail: Receipt['collection']['rail'];
  reference: string;
  charge_state: Receipt['charge']['state'];
  remedy_kind: Receipt['remedy']['kind'];
  body: string | null;
}

type Input = z.output<typeof contract.bookkeeping.input>;

/** What a caller's receipts are chosen by: its own, in a span of time or of one job. */
const chosen = `
  from receipt_numbers n join jobs using (job_key)
  where n.account_key = $1 and ($2::text is null or jobs.principal_key = $2)
    and ($3::timestamptz is null or n.issued_at >= $3) and ($4::timestamptz is null or n.issued_at < $4)
    and ($5::text is null or n.job_key = $5)`;

const newest = `
  join lateral (
    select receipt_key, sequence, collected_microcents, charged_microcents, given_back_microcents from receipts r
    where r.job_key = n.job_key order by r.sequence desc limit 1) r on true`;

/** What a receipt says of its remedy, by the rows that it was made of. */
const remedyKind = `
  case when jobs.payment_state = 'reversed' then 'reversal'
    when exists (select from refunds where refunds.payment_key = p.payment_key and reason <> 'late_payment'
      and settled_as is distinct from 'wallet_credit') then 'refund'
    when jobs.payment_state = 'credited' then 'wallet_credit'
    when exists (select from reviews where reviews.job_key = jobs.job_key and report_number = 1
      and decision = 'dispute') then 'correction'
    else 'none' end`;

const page = `
  select n.job_key, n.issued_at, n.year, n.number, n.details, r.receipt_key, r.sequence,
    text_of(n.job_key, 'receipts', r.sequence) as body,
    r.collected_microcents as collected, r.charged_microcents as charged, r.given_back_microcents as given_back,
    p.decided_at as collected_at, p.rail, coalesce(${collectionReference('p.payment_key')}, p.payment_key) as reference, jobs.charge_state,
    ${remedyKind} as remedy_kind
  ${chosen.replace('where', `${newest} join payments p on p.job_key = n.job_key and p.state = 'collected' where`)}
    and ($6::timestamptz is null or (n.issued_at, n.job_key) < ($6, $7::text))
  order by n.issued_at desc, n.job_key desc limit $8`;

const sums = `
  select count(*)::int as count,
    coalesce(sum(r.collected_microcents), 0)::bigint as collected,
    coalesce(sum(r.charged_microcents), 0)::bigint as charged,
    coalesce(sum(r.given_back_microcents), 0)::bigint as given_back
  ${chosen.replace('where', `${newest} where`)}`;

export const bookkeeping: Verb<typeof contract.bookkeeping> = async ({ ctx, caller, input, db }) => {
  const { accountKey } = caller;
  const values = [accountKey, ownedBy(caller).principalKey, ...spanOf(input.month), input.job_key ?? null];
  const from = input.after === undefined ? null : await placeOf(db, caller, input.after);
  const at = [from?.issued_at ?? null, from?.job_key ?? null, input.limit + 1];
  const rows = await db.many<Row>(statement(page, [...values, ...at]));
  const isSigned = input.view === 'signed';
  const all = rows.map((row) => ({ ...row, number: row.sequence }));
  const shown = rows.slice(0, Math.min(input.limit, isSigned ? rowsOfAPage(all) : rows.length));
  const keys = shown.map(({ job_key }) => job_key);
  const kept = isSigned ? all.slice(0, shown.length) : [];
  const bodies = await readableBodies(db, ctx.runtime.archive, 'receipts', kept);
  const about = await readAbout(db, ctx.runtime, keys, accountKey);
  const buyer = await billingOf(db, accountKey);
  const last = rows.length > shown.length ? shown.at(-1)?.job_key : undefined;
  return {
    body: {
      receipts: shown.flatMap((row, index) => {
        const found = about.get(row.job_key);
        if (!found) return [];
        const { title, bought_by, verdict } = found;
        const body = bodies[index] ?? null;
        const receipt: Receipt | null = body === null ? null : JSON.parse(body);
        const left_out = receipt ? null : isSigned ? ('archive_unreachable' as const) : ('not_asked' as const);
        const booked = forTheBooks(row, sellerNow(ctx.runtime.configuration));
        return [{ ...booked, buyer, title, bought_by, verdict, receipt, left_out }];
      }),
      sums: await sumsOf(db, values),
      next_after: last ?? null,
    },
    headers: last === undefined ? {} : linkTo(addressOf(ctx.baseUrl, input), last, input.limit),
  };
};

type Sums = z.output<typeof contract.bookkeeping.output>['sums'];

/** The sums of one month of an account, such as `2026-11`. */
export function sumsOfMonth(db: Queries, accountKey: string, month: string): Promise<Sums> {
  return sumsOf(db, [accountKey, null, ...spanOf(month), null]);
}

async function sumsOf(db: Queries, values: readonly unknown[]): Promise<Sums> {
  const row = await db.one<Record<'collected' | 'charged' | 'given_back', bigint> & { count: number }>(
    statement(sums, [...values]),
  );
  return {
    count: row.count,
    collected_microcents: toWire(row.collected),
    charged_microcents: toWire(row.charged),
    given_back_microcents: toWire(row.given_back),
  };
}

function addressOf(baseUrl: string, { month, job_key, view }: Input): string {
  const query = new URLSearchParams({
    ...(month ? { month } : {}),
    ...(job_key ? { job_key } : {}),
    ...(view === 'signed' ? {} : { view }),
  });
  return `${baseUrl}/api/agent/v1/bookkeeping${query.size > 0 ? `?${query}` : ''}`;
}

/** A month's first instant and the next one's. */
function spanOf(month: string | undefined): [Date | null, Date | null] {
  if (month === undefined) return [null, null];
  const [year = 0, number = 0] = month.split('-').map(Number);
  return [new Date(Date.UTC(year, number - 1, 1)), new Date(Date.UTC(year, number, 1))];
}

async function placeOf(
  db: Queries,
  caller: Buyer | Member,
  jobKey: string,
): Promise<{ issued_at: Date; job_key: string }> {
  const { principalKey } = ownedBy(caller);
  const row = await db.maybe<{ issued_at: Date; job_key: string }>(sql`
    select n.issued_at, job_key from receipt_numbers n join jobs using (job_key)
    where job_key = ${jobKey} and n.account_key = ${caller.accountKey}
      and (${principalKey}::text is null or jobs.principal_key = ${principalKey})`);
  if (!row) throw new Problem('not_found', 'after does not name an existing page of this caller.');
  return row;
}

/** Until a worker has numbered it, the seller is the one of now. */
function forTheBooks({ job_key, issued_at, year, number, details, ...row }: Row, seller: SellerDetails) {
  const { name, email, address, tax_id, tax_hundredths, untaxed_because } = details ?? seller;
  const amount = toWire(row.collected);
  const tax = contract.taxWithin(amount, tax_hundredths);
  return {
    number: year === null || number === null ? null : numberText(year, number),
    job_key,
    issued_at: issued_at.toISOString(),
    seller: name === '' ? null : { name, email, address, tax_id },
    amount_microcents: amount,
    net_microcents: amount - tax,
    tax_microcents: tax,
    tax_percent: tax_hundredths / 100,
    untaxed_because: tax_hundredths === 0 ? untaxed_because : null,
    receipt_key: row.receipt_key,
    collected_at: row.collected_at.toISOString(),
    rail: row.rail,
    reference: row.reference,
    charge_state: row.charge_state,
    charged_microcents: toWire(row.charged),
    remedy_kind: row.remedy_kind,
    given_back_microcents: toWire(row.given_back),
  };
}
