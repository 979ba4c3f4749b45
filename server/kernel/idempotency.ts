import { constraintOf, type Queries, sqlState, uniqueViolation } from './database.ts';
import { sql } from './sql.ts';
import type { Tx } from './transaction.ts';

/** Identifies a request: who asks for what under which key, with the body's digest. Specification 3.3. */
export interface Claim {
  scope: string;
  operation: string;
  pathKeys: string;
  key: string;
  fingerprint: string;
}

/** An answer kept for replay, byte for byte. */
export interface StoredAnswer {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** A claim as stored. */
export interface ClaimRow {
  fingerprint: string;
  status: number | null;
  body: string | null;
  headers: Record<string, string> | null;
  repeats: number;
  repeated_at: Date | string | null;
}

export type Recalled =
  | { state: 'unknown' }
  | { state: 'conflict' }
  | { state: 'claimed' }
  | { state: 'answered'; answer: StoredAnswer; repeats: number; repeatedAt: Date | null };

/** Repeats are counted up to here, and then noted once a minute at most, so that they stay reads. */
export const repeatsCounted = 20;
const noteRepeatEveryMs = 60_000;

/** Expired answers are deleted in batches of this size. */
const forgottenAtOnce = 1_000;

/**
 * Makes the tables of answers for this week and the next five, where they are missing, and drops those of which
 * `forgetAnswers` has left no claim. Answers of a week without a table go to the default one, so nothing waits for this.
 */
export async function keepAnswerWeeks({ db }: { db: Queries }): Promise<void> {
  await db.many(sql`select keep_answer_weeks()`);
}

/** Deletes claims made before an instant: their answers are given no more, and go with their week. */
export async function forgetAnswers(db: Queries, before: Date): Promise<void> {
  let deleted: unknown[];
  do {
    deleted = await db.many(sql`
      delete from idempotency_claims where ctid = any(array(
        select ctid from idempotency_claims where created_at < ${before} limit ${forgottenAtOnce}))
      returning 1`);
  } while (deleted.length === forgottenAtOnce);
}

/** Looks up a request's claim. */
export async function recall(db: Queries, claim: Claim): Promise<Recalled> {
  const row = await db.maybe<ClaimRow>(sql`
    select fingerprint, status, body, headers, repeats, repeated_at from idempotency_requests
    where scope = ${claim.scope} and operation = ${claim.operation}
      and path_keys = ${claim.pathKeys} and idempotency_key = ${claim.key}`);
  return recalled(row ?? null, claim);
}

/** What the row of its key says about a request. */
export function recalled(row: ClaimRow | null, claim: Claim): Recalled {
  if (!row) return { state: 'unknown' };
  if (row.fingerprint !== claim.fingerprint) return { state: 'conflict' };
  if (row.status === null || row.body === null) return { state: 'claimed' };
  return {
    state: 'answered',
    answer: { status: row.status, body: row.body, headers: row.headers ?? {} },
    repeats: row.repeats,
    repeatedAt: row.repeated_at === null ? null : new Date(row.repeated_at),
  };
}

/** Notes that an answered request came again. A crash of the database may lose the last notes. */
export async function noteRepeat(
  db: Queries,
  claim: Claim,
  { repeats, repeatedAt }: { repeats: number; repeatedAt: Date | null },
  now: Date,
): Promise<void> {
  if (repeats >= repeatsCounted && repeatedAt && now.getTime() - repeatedAt.getTime() < noteRepeatEveryMs) return;
  await db.many(sql`
    update idempotency_claims set repeats = repeats + 1, repeated_at = greatest(repeated_at, ${now}::timestamptz)
    where scope = ${claim.scope} and operation = ${claim.operation}
      and path_keys = ${claim.pathKeys} and idempotency_key = ${claim.key} and status is not null`);
}

/**
 * Takes the key in the caller's transaction, which fails (`isTaken`) if it is taken. Waits for a running twin to
 * commit, so one of many equal requests does the work and the others find its answer. Sent without waiting for the
 * answer: the work goes on meanwhile.
 */
export function takeKey(tx: Tx, claim: Claim, now: Date): void {
  tx.write(sql`
    insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, created_at)
    values (${claim.scope}, ${claim.operation}, ${claim.pathKeys}, ${claim.key}, ${claim.fingerprint}, ${now})`);
}

/** Whether `takeKey` failed because the key is taken. */
export function isTaken(error: unknown): boolean {
  return sqlState(error) === uniqueViolation && constraintOf(error) === 'idempotency_claims_pkey';
}

/** Takes the key for a request of several transactions. False when it is taken. */
export async function claimKey(db: Queries, claim: Claim, now: Date): Promise<boolean> {
  const row = await db.maybe(sql`
    insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, created_at)
    values (${claim.scope}, ${claim.operation}, ${claim.pathKeys}, ${claim.key}, ${claim.fingerprint}, ${now})
    on conflict do nothing returning scope`);
  return row !== undefined;
}

/** Frees a key that was taken for nothing. */
export async function releaseKey(db: Queries, claim: Claim): Promise<void> {
  await db.many(sql`
    delete from idempotency_claims
    where scope = ${claim.scope} and operation = ${claim.operation} and path_keys = ${claim.pathKeys}
      and idempotency_key = ${claim.key} and fingerprint = ${claim.fingerprint} and status is null`);
}

/** Keeps the answer in the transaction of its effect. */
export function remember(tx: Tx, claim: Claim, answer: StoredAnswer, now: Date): void {
  tx.write(sql`
    with answered as (
      update idempotency_claims set status = ${answer.status}, answered_at = ${now}
      where scope = ${claim.scope} and operation = ${claim.operation}
        and path_keys = ${claim.pathKeys} and idempotency_key = ${claim.key} and status is null
      returning week, number)
    insert into idempotency_answers (week, number, body, headers)
    select week, number, ${answer.body}, ${JSON.stringify(answer.headers)}::jsonb from answered`);
}

/** Keeps an answer without an effect: a permanent refusal. */
export async function keepAnswer(db: Queries, claim: Claim, answer: StoredAnswer, now: Date): Promise<void> {
  await db.many(sql`
    with answered as (
      insert into idempotency_claims
        (scope, operation, path_keys, idempotency_key, fingerprint, status, created_at, answered_at)
      values (${claim.scope}, ${claim.operation}, ${claim.pathKeys}, ${claim.key}, ${claim.fingerprint},
        ${answer.status}, ${now}, ${now})
      on conflict (scope, operation, path_keys, idempotency_key) do update
      set status = excluded.status, answered_at = excluded.answered_at
      where idempotency_claims.status is null and idempotency_claims.fingerprint = excluded.fingerprint
      returning week, number)
    insert into idempotency_answers (week, number, body, headers)
    select week, number, ${answer.body}, ${JSON.stringify(answer.headers)}::jsonb from answered`);
}

/** The part of an outcome that is kept. */
export function answerOf(outcome: { status: number; text: string; headers: Record<string, string> }): StoredAnswer {
  return { status: outcome.status, body: outcome.text, headers: outcome.headers };
}
