import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { assembled, sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { CardMethod } from '../contract.ts';
import type { Attempt, Decline, PageRefusal, PaymentRequest, TakingJob } from '../rail.ts';
import { accountNow, isOfFormer } from './account.ts';

/** One attempt to pay for a job by card: on the provider's page, or with a kept card. */
export interface CardAttempt extends Attempt {
  rail: 'card';
  method: CardMethod;
  account_key: string;
  idempotency_key: string;
  customer_id: string | null;
  /** The provider's id of the kept card to charge; null once removed. */
  method_id: string | null;
  card_key: string | null;
  intent_id: string | null;
  /** When a payer was first sent to the provider's page. */
  begun_at: Date | null;
  session_expires_at: Date | null;
  /** Whether that page asks the payer's bank for the holder; null before it was asked for. */
  asks_holder: boolean | null;
  session_id: string | null;
  session_url: string | null;
  failed_calls: number;
  expires_at: Date;
  withdrawn_at: Date | null;
  decline: Decline | null;
  /** The bank's newest refusal on the provider's page, as its payer may read it. */
  refused: PageRefusal | null;
}

interface Row extends Omit<CardAttempt, 'decline' | 'refused'> {
  decline_code: string | null;
  declined_because: string | null;
  declined_at: Date | null;
}

const columns = `select 'card' as rail, p.payment_key, p.job_key, j.principal_key, j.account_key, p.method, p.state,
  p.amount_microcents, p.created_at, p.decided_at, p.reversed_at, c.idempotency_key, c.customer_id, c.card_key,
  case when s.removed_at is null then s.method_id end as method_id,
  c.intent_id, case when c.session_id is not null then c.session_asked_at end as begun_at, c.session_expires_at,
  c.asks_holder, c.session_id, c.session_url, c.failed_calls, c.expires_at,
  c.withdrawn_at, c.decline_code, c.declined_because, c.declined_at
  from card_payments c join payments p using (payment_key) join jobs j using (job_key)
  left join saved_cards s using (card_key)`;

/** A bank's code for "ask the holder". */
const holderIsNeeded = 'authentication_required';

/** What banks say that helps a payer. Other codes accuse, or say nothing (docs.stripe.com/declines/codes). */
const helpful: ReadonlySet<string> = new Set([
  holderIsNeeded,
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'card_not_supported',
  'card_velocity_exceeded',
  'processing_error',
  'try_again_later',
]);

function unpacked({ decline_code: code, declined_because: because, declined_at: at, ...row }: Row): CardAttempt {
  return {
    ...row,
    decline: code === null ? null : { code, needsHolder: code === holderIsNeeded },
    refused: because === null || at === null ? null : { code: helpful.has(because) ? because : 'card_declined', at },
  };
}

async function maybe(db: Queries, text: string, values: readonly unknown[]): Promise<CardAttempt | undefined> {
  const row = await db.maybe<Row>(statement(text, values));
  return row && unpacked(row);
}

const byKey = `${columns} where p.payment_key = $1`;
export const attemptByKey = (db: Queries, paymentKey: string) => maybe(db, byKey, [paymentKey]);

const openOfJob = `${columns} where p.job_key = $1 and p.state in ('settling', 'unknown')`;
/** The job's open attempt, if any. */
export const openAttempt = (db: Queries, jobKey: string) => maybe(db, openOfJob, [jobKey]);

const byCharge = `${columns} where p.payment_key = (select payment_key from card_charges where intent_id = $1)`;
/** The attempt of an intent whose charge is in our books. */
export const attemptOfCharge = (db: Queries, intentId: string) => maybe(db, byCharge, [intentId]);

const keptCharge = `select payment_key from card_charges c where intent_id = $1 and use = 'payment'
  and not exists (select from refunds where refunds.intent_id = c.intent_id)`;
const byKeptCharge = `${columns} where p.state = 'collected' and p.payment_key = (${keptCharge})`;
/** The same, where the charge pays and nothing is known to go back of it. */
export const attemptKeeping = (db: Queries, intentId: string) => maybe(db, byKeptCharge, [intentId]);

const byRequest = `${columns} where p.job_key = $1 and (c.idempotency_key = $2
    or (p.state in ('settling', 'unknown') and p.method = $3))
  order by p.state in ('settling', 'unknown') desc, c.idempotency_key = $2 desc, p.created_at desc limit 1`;
/** The attempt that a request means: by its key, or an open one of its kind. */
export const attemptOfRequest = (db: Queries, jobKey: string, key: string, method: CardMethod) =>
  maybe(db, byRequest, [jobKey, key, method]);

/** A normal request to pay finishes within this. */
const settlingForSeconds = 3;

const unattended = `${columns}
  where p.state in ('settling', 'unknown') and (p.lease_until <= $1 or (p.state = 'settling' and p.created_at <= $2))
    and (c.look_at is null or c.look_at <= $1)
  order by p.lease_until limit $3`;

/** Open attempts that need help, longest unattended first. Those that wait for their payer are checked rarely. */
export async function openAttempts(db: Queries, now: Date, limit: number): Promise<CardAttempt[]> {
  const rows = await db.many<Row>(statement(unattended, [now, after(now, -settlingForSeconds), limit]));
  return rows.map(unpacked);
}

/** How long a page lives, at least and at most (Stripe: 30 minutes to 24 hours, by its clock). */
const pageSecondsMin = 40 * 60;
const pageSecondsMax = 86_400 - 600;

/** When a page opened now ends. */
export function pageEnd(now: Date, wanted: Date): Date {
  return new Date(
    Math.min(Math.max(wanted.getTime(), after(now, pageSecondsMin).getTime()), after(now, pageSecondsMax).getTime()),
  );
}

/** What an attempt is opened with. */
export interface Opening {
  readonly paymentKey: string;
  readonly taking: TakingJob;
}

const intentText = (taking: string): string => `
  with taken as (${taking}),
  intent as (
    insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until)
    select $7, job_key, 'card', $8, $9, $10, $3, $11 from taken returning payment_key)
  insert into card_payments (payment_key, idempotency_key, customer_id, card_key, expires_at, look_at)
  select payment_key, $12, $13, $14, $15, $16 from intent returning payment_key`;

/**
 * Records the intent in one statement: takes the job and writes the attempt, or neither. Undefined when the job cannot
 * be paid now. A checkout waits for its payer; the provider does not know it yet.
 */
export async function recordIntent(
  db: Queries,
  opening: Opening,
  { jobKey, principalKey, grantDigest, price, idempotencyKey, payBy, now }: PaymentRequest,
  by: { method: 'card_checkout' } | { method: 'card_saved'; cardKey: string; customerId: string },
): Promise<CardAttempt | undefined> {
  const { paymentKey, taking } = opening;
  const isSaved = by.method === 'card_saved';
  const ends = pageEnd(now, payBy);
  const job = [isSaved ? 'processing' : 'requires_payer', 'card', now, jobKey, principalKey, grantDigest];
  const attempt = [paymentKey, by.method, isSaved ? 'settling' : 'unknown', price, leaseUntil(now), idempotencyKey];
  const card = [isSaved ? by.customerId : null, isSaved ? by.cardKey : null, ends, isSaved ? null : ends];
  const taken = await db.maybe(assembled(intentText, [taking], [...job, ...attempt, ...card]));
  return taken ? attemptByKey(db, paymentKey) : undefined;
}

/** Postpones the next look at a waiting attempt. */
export async function lookAgainAt(db: Queries, paymentKey: string, at: Date): Promise<void> {
  await db.many(sql`update card_payments set look_at = ${at} where payment_key = ${paymentKey}`);
}

/** Counts a call that failed at the provider, so that the next one gets a new key. */
export async function countFailedCall(db: Queries, paymentKey: string): Promise<void> {
  await db.many(sql`update card_payments set failed_calls = failed_calls + 1 where payment_key = ${paymentKey}`);
}

/** Records an attempt's intent, once; returns the recorded one. */
export async function noteIntent(db: Queries, paymentKey: string, intentId: string): Promise<string> {
  const { intent_id } = await db.one<{ intent_id: string }>(sql`
    update card_payments set intent_id = coalesce(intent_id, ${intentId}) where payment_key = ${paymentKey}
    returning intent_id`);
  return intent_id;
}

/** Decides that an open attempt will never collect. False when it was decided before. */
export async function giveUp(tx: Tx, attempt: CardAttempt, failure: string, now: Date): Promise<boolean> {
  const given = await tx.maybe(sql`
    update payments set state = 'failed', decided_at = ${now}, failure = ${failure}
    where payment_key = ${attempt.payment_key} and state in ('settling', 'unknown') returning payment_key`);
  return given !== undefined;
}

/** Keeps the bank's reason, so that a repeat of the request gets the same answer. */
export async function noteDecline(db: Queries, paymentKey: string, { code }: Decline): Promise<void> {
  await db.many(sql`
    update card_payments set decline_code = ${code} where payment_key = ${paymentKey} and decline_code is null`);
}

/** Keeps what the bank refused last for people who ask why: the payer may still pay the attempt. */
export async function notePageDecline(
  db: Queries,
  paymentKey: string,
  { intentId, code }: { intentId: string; code: string },
  now: Date,
): Promise<void> {
  await db.many(sql`
    update card_payments set declined_intent_id = ${intentId}, declined_because = ${code}, declined_at = ${now}
    where payment_key = ${paymentKey}`);
}

/** The card that each attempt collected from, by its fingerprint. */
export const cardPayers = "select payment_key, payer from card_charges where use = 'payment'";

/**
 * Whether the card refund `r` can be left to an operator at `now`, as SQL: none was tried, or another account of ours than
 * was charged has been in use for a day (`card-account`). Of others the provider must be asked.
 */
export const cardRefundRests = (r: string, now: string): string => `(
  ${r}.intent_id is not null and (${r}.tries = 0 or exists (
    select from card_accounts a join card_charges c on a.account_id = ${accountNow}
    where c.intent_id = ${r}.intent_id and ${isOfFormer('c')}
      and a.since <= ${now} - make_interval(days => 1))))`;

/** When an open card attempt becomes cancelable (on the page, while it waits for its payer), and its page ends. */
export const cardEnds = `
  select payment_key,
    case when p.method = 'card_checkout' then p.created_at - interval '1 second' end as withdrawable_after,
    case when p.method = 'card_checkout' then coalesce(session_expires_at, expires_at) end as expires_at
  from card_payments join payments p using (payment_key)`;

/** A card collection's outside reference, as SQL. */
export const cardReference = (paymentKey: string): string =>
  `(select charge_id from card_charges k where k.payment_key = ${paymentKey} and k.use = 'payment')`;

/** A card refund's outside reference, as SQL; null until it was carried out. */
export const cardRefundReference = (refundKey: string): string =>
  `(select provider_refund_id from refunds back where back.refund_key = ${refundKey} and back.state = 'refunded')`;
