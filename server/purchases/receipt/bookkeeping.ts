import type { z } from 'zod';
import { billingOf } from '../../identity/billing.ts';
import type { Queries } from '../../kernel/database.ts';
import { toWire } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { bodiesOf, type Kept } from '../archive/bodies.ts';
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
  sequence: number;
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
    select sequence, body, collected_microcents, charged_microcents, given_back_microcents from receipts r
    where r.job_key = n.job_key order by r.sequence desc limit 1) r on true`;

const page = `
  select n.job_key, n.issued_at, n.year, n.number, n.details, r.sequence, r.body
  ${chosen.replace('where', `${newest} where`)}
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
  const shown = rows.slice(0, input.limit);
  const keys = shown.map(({ job_key }) => job_key);
  const kept: Kept[] = shown.map(({ job_key, sequence, body }) => ({ job_key, number: sequence, body }));
  const bodies = await bodiesOf(db, ctx.runtime.archive, 'receipts', kept);
  const about = await readAbout(db, ctx.runtime, keys, accountKey);
  const buyer = await billingOf(db, accountKey);
  const last = rows.length > input.limit ? shown.at(-1)?.job_key : undefined;
  return {
    body: {
      receipts: shown.flatMap((row, index) => {
        const found = about.get(row.job_key);
        if (!found) return [];
        const { title, bought_by, verdict } = found;
        const receipt: Receipt = JSON.parse(bodies[index] ?? '');
        const booked = forTheBooks(row, receipt, sellerNow(ctx.runtime.configuration));
        return [{ ...booked, buyer, title, bought_by, verdict }];
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

function addressOf(baseUrl: string, { month, job_key }: Input): string {
  const query = new URLSearchParams({ ...(month ? { month } : {}), ...(job_key ? { job_key } : {}) });
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
function forTheBooks({ job_key, issued_at, year, number, details }: Row, receipt: Receipt, seller: SellerDetails) {
  const { name, email, address, tax_id, tax_hundredths, untaxed_because } = details ?? seller;
  const amount = receipt.collection.amount_microcents;
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
    receipt,
  };
}
