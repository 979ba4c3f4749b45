import { blockedRefusal } from '../identity/blocked.ts';
import { type Buyer, type Member, ownedBy } from '../identity/caller.ts';
import { creditCovers, methodRefusal, outsideGrant, serviceRefusal, stillWithinLimits } from '../identity/grant.ts';
import { audit } from '../kernel/audit.ts';
import type { Queries } from '../kernel/database.ts';
import { currency, microcents, toWire } from '../kernel/money.ts';
import { type Packed, unpacking } from '../kernel/packed.ts';
import { Problem } from '../kernel/problem.ts';
import type { About } from '../kernel/rate-limit.ts';
import { assembled, sql, statement } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { hasRunOut } from '../payments/chain.ts';
import type { RefundReason } from '../payments/refund.ts';
import type { Verb } from '../perform.ts';
import type { Context } from '../runtime.ts';
import { saleIsOff } from '../service/switches.ts';
import { service } from '../service/terms.ts';
import * as contract from './contract.ts';
import { nextStepOf } from './next-step.ts';
import {
  type ActionName,
  type Authority,
  type ChargeState,
  canAccept,
  hasLapsed,
  isMoving,
  type JobState,
  type MoneyNote,
  mayDispute,
  nextActions,
  type PaymentState,
  type ReviewState,
  standing,
  type TransitionName,
  transitions,
} from './states.ts';

/** A job as stored. Its state moves through `advance` alone. */
export interface JobRow {
  job_key: string;
  quote_key: string;
  principal_key: string;
  account_key: string;
  grant_key: string;
  state: JobState;
  payment_state: PaymentState;
  charge_state: ChargeState;
  review_state: ReviewState;
  price_microcents: bigint;
  /** What it holds of its grant's limits now: its price, or nothing. */
  reserved_microcents: bigint;
  /** Authorized without room: credit may pay for it, cash may not. */
  credit_only: boolean;
  /** `YYYY-MM-DD`, UTC. */
  authorized_on: string;
  created_at: Date;
  pay_by: Date;
  collected_at: Date | null;
  deliver_by: Date | null;
  delivered_at: Date | null;
  review_by: Date | null;
  finalized_at: Date | null;
  fence: number;
  tries: number;
  stage: string;
  percent: number;
  report_digest: string | null;
  failure: string | null;
  waived_because: RefundReason | 'payment_reversed' | null;
}

export interface LoadedJob extends JobRow {
  buyer_is_producer: boolean;
  /** Whether the grant still covers it, or credit where it takes no room. Looked at as long as it can be paid. */
  within_limits: boolean;
  /** Whether the buyer's credit covers its price while it waits for a payment. */
  credit_covers: boolean;
  /** Whether new payments are switched off while it waits for one. */
  is_off: boolean;
  /** When the signature of its open payment runs out, as ISO 8601; null while none is open. */
  payment_until: string | null;
  timeline: { at: string; event: string; state: string }[];
}

/** A `LoadedJob` as `loadedJobs` reads it. */
export type PackedJob = { job: Packed<JobRow> } & Omit<LoadedJob, keyof JobRow>;

const unpackedRow = unpacking<JobRow>({
  instants: {
    created_at: true,
    pay_by: true,
    collected_at: true,
    deliver_by: true,
    delivered_at: true,
    review_by: true,
    finalized_at: true,
  },
  amounts: { price_microcents: true, reserved_microcents: true },
});

export function unpackedJob({ job, ...others }: PackedJob): LoadedJob {
  return Object.assign(unpackedRow(job), others);
}

/** What a transition may write besides the state; charge and review follow from it by `standing`. */
type Changes = Partial<
  Pick<
    JobRow,
    | 'payment_state'
    | 'review_state'
    | 'collected_at'
    | 'deliver_by'
    | 'delivered_at'
    | 'review_by'
    | 'finalized_at'
    | 'fence'
    | 'tries'
    | 'stage'
    | 'percent'
    | 'report_digest'
    | 'failure'
    | 'waived_because'
  > & { lease_until: Date | null }
>;

/**
 * Moves a job along the table of transitions: a compare-and-set, with its audit row in the same transaction.
 * `fence` makes it also depend on the worker that holds the job, `payment` on one that this transaction has collected.
 * Throws `action_not_allowed` when the job is elsewhere.
 */
export async function advance(
  tx: Queries,
  transition: TransitionName,
  jobKey: string,
  by: { actor: string; now: Date; fence?: number; payment?: string },
  changes: Changes = {},
): Promise<JobRow> {
  const { from, to } = transitions[transition];
  const columns = Object.entries({ ...standing[to], ...changes, state: to, updated_at: by.now });
  const values = [jobKey, from, by.fence ?? null, by.now, by.actor, transition, to, by.payment ?? null];
  // Column names come from the type above, never from input.
  const names = columns.map(([column]) => column);
  const text = () => `
    with moved as (
      update jobs set ${names.map((column, index) => `${column} = $${index + values.length + 1}`).join(', ')}
      where job_key = $1 and state = any($2::text[]) and ($3::int is null or fence = $3)
        and ($8::text is null or exists (
          select 1 from payments where payment_key = $8 and state = 'collected' and decided_at = $4))
      returning new.job_key, new.quote_key, new.principal_key, new.account_key, new.grant_key, new.state,
        new.payment_state, new.charge_state, new.review_state, new.price_microcents, new.reserved_microcents,
        new.credit_only, new.authorized_on,
        new.created_at, new.pay_by, new.collected_at, new.deliver_by, new.delivered_at, new.review_by,
        new.finalized_at, new.fence, new.tries, new.stage, new.percent, new.report_digest, new.failure,
        new.waived_because, old.state as state_before),
    noted as (
      insert into audit_rows (purchase_key, at, actor, action, state_from, state_to)
      select quote_key, $4, $5, $6, state_before, $7 from moved)
    select to_json(moved) as job from moved`;
  const moved = await tx.maybe<{ job: Packed<JobRow> }>(
    assembled(`advance ${names}`, text, [...values, ...columns.map(([, value]) => value)]),
  );
  if (!moved) throw notAllowed(`${transition} is not possible now.`);
  return unpackedRow(moved.job);
}

/** Writes into a job's history what happened to its money while its state stayed. */
export function noteOnJob(tx: Tx, job: JobRow, action: MoneyNote, now: Date): void {
  audit(tx, { purchase: job.quote_key, actor: 'system', action, from: job.state, to: job.state, at: now });
}

/** The refusal of an action that the state does not allow. */
export function notAllowed(detail: string): Problem {
  return new Problem('action_not_allowed', detail);
}

/** An instant as answers carry it: making a `Date` of each would cost more than the rest of a job's history. */
const onWire = (instant: string): string => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What a `PackedJob` is read from, behind `select`; `jobs` is the table, or the name of some of its rows. */
export function loadedJobs(jobs: 'jobs' | 'page'): string {
  return `to_json(${jobs}) as job, quotes.buyer_is_producer,
      ${jobs}.state <> 'awaiting_payment' or ${stillWithinLimits(jobs)} as within_limits,
      ${jobs}.state = 'awaiting_payment' and ${creditCovers(jobs, `${jobs}.price_microcents`)} as credit_covers,
      ${jobs}.state = 'awaiting_payment' and ${saleIsOff} as is_off,
      case when ${jobs}.payment_state in ('processing', 'unknown') then (
        select ${onWire('valid_before')} from payments join x402_transfers using (payment_key)
        where payments.job_key = ${jobs}.job_key and payments.state in ('settling', 'unknown')) end as payment_until,
      timeline.events as timeline
    from ${jobs} join quotes using (quote_key),
      lateral (select coalesce(json_agg(json_build_object('at', ${onWire('at')}, 'event', action, 'state', state_to)
        order by sequence), '[]') as events from audit_rows where purchase_key = ${jobs}.quote_key) timeline`;
}

const ownJob = `
    select ${loadedJobs('jobs')}
    where job_key = $1 and (jobs.principal_key = $2 or jobs.account_key = $3)`;

/** The job, if it is one of the caller's. */
export async function findJob(db: Queries, jobKey: string, caller: Buyer | Member): Promise<LoadedJob | undefined> {
  const { principalKey, accountKey } = ownedBy(caller);
  const packed = await db.maybe<PackedJob>(statement(ownJob, [jobKey, principalKey, accountKey]));
  return packed && unpackedJob(packed);
}

/** The same. Throws `not_found`: a stranger's job looks like no job. */
export async function loadJob(db: Queries, jobKey: string, caller: Buyer | Member): Promise<LoadedJob> {
  const job = await findJob(db, jobKey, caller);
  if (!job) throw new Problem('not_found', 'There is no such job for this caller.');
  return job;
}

/** Jobs told of at once where a refusal names those that hold room. */
const unpaidMax = 5;

const ownUnpaid = `
    select ${loadedJobs('jobs')}
    where jobs.state = 'awaiting_payment' and (jobs.principal_key = $1 or jobs.account_key = $2)
    order by jobs.created_at desc limit ${unpaidMax}`;

/** The caller's newest jobs that wait for their payment. */
export async function unpaidJobs(db: Queries, caller: Buyer | Member): Promise<LoadedJob[]> {
  const { principalKey, accountKey } = ownedBy(caller);
  return (await db.many<PackedJob>(statement(ownUnpaid, [principalKey, accountKey]))).map(unpackedJob);
}

/** The job of this key, to be read with the buyer it belongs to. */
export function jobAbout(key: string): About {
  return {
    name: 'job',
    select: (parameter) =>
      `select ${loadedJobs('jobs')} where job_key = ${parameter} and jobs.principal_key = who.principal_key`,
    key,
  };
}

/** The job that the request names, as it was when the request came. Throws `not_found`. */
export async function namedJob(db: Queries, jobKey: string, caller: Buyer | Member): Promise<LoadedJob> {
  if (caller.kind !== 'member' && caller.about) return unpackedJob(caller.about as PackedJob);
  return loadJob(db, jobKey, caller);
}

/** The same, held until the transaction ends: twins of a request take their turns, and each sees what came before. */
export function holdJob(tx: Tx, jobKey: string, caller: Buyer | Member): Promise<LoadedJob> {
  const { principalKey, accountKey } = ownedBy(caller);
  tx.write(sql`
    select 1 from jobs where job_key = ${jobKey} and (principal_key = ${principalKey} or account_key = ${accountKey})
    for no key update`);
  return loadJob(tx, jobKey, caller);
}

/** A job that this service itself works on, held until the transaction ends. */
export function lockJob(tx: Tx, jobKey: string): Promise<JobRow> {
  return tx.one<JobRow>(sql`
    select job_key, quote_key, principal_key, account_key, grant_key, state, payment_state, charge_state,
      review_state, price_microcents, reserved_microcents, credit_only, authorized_on, created_at, pay_by, collected_at, deliver_by,
      delivered_at, review_by, finalized_at, fence, tries, stage, percent, report_digest, failure,
      waived_because
    from jobs where job_key = ${jobKey} for no key update`);
}

/** Reads the job again and answers with it, as every verb on a job does. */
export async function jobReply(
  db: Queries,
  jobKey: string,
  caller: Buyer | Member,
  request: Asking,
): Promise<JobReply> {
  return replyWith(await loadJob(db, jobKey, caller), caller, request);
}

interface JobReply {
  body: contract.Job;
  headers: Record<string, string>;
}

/** Answers with the job as it was read. */
export function replyWith(row: LoadedJob, caller: Buyer | Member, request: Asking): JobReply {
  return { body: jobView(row, caller, request), headers: isMoving(row) ? { 'Retry-After': '1' } : {} };
}

export const job: Verb<typeof contract.job> = async ({ ctx, caller, input, db }) =>
  replyWith(await namedJob(db, input.job_key, caller), caller, ctx);

/** What of a request an answer about a purchase depends on. */
export type Asking = Pick<Context, 'baseUrl' | 'now' | 'runtime'>;

/** The price as answers carry it. */
export function priceView(amount: bigint): contract.Quote['price'] {
  return { amount_microcents: toWire(microcents(amount)), currency, price_type: 'fixed', pricing_status: 'approved' };
}

/** A job as this caller sees it. */
export function jobView(row: LoadedJob, caller: Buyer | Member, { baseUrl, now, runtime }: Asking): contract.Job {
  const state = stateAt(row, now);
  const review_state = reviewStateAt(row, now);
  const authority = authorityOf(caller);
  const takesCash = !row.credit_only && (row.state !== 'awaiting_payment' || railIsUp(runtime, now));
  const actions = nextActions(
    {
      ...row,
      state,
      review_state,
      has_receipt: row.collected_at !== null,
      has_report: row.report_digest !== null,
      rail_is_up: takesCash || row.credit_only || row.credit_covers,
      payment_has_run_out: row.payment_until !== null && hasRunOut(new Date(row.payment_until), now),
    },
    authority,
  );
  const view = {
    job_key: row.job_key,
    quote_key: row.quote_key,
    state,
    payment_state: row.payment_state,
    charge_state: row.charge_state,
    review_state,
    price: priceView(row.price_microcents),
    payable_by: payableBy(row, state),
    created_at: row.created_at.toISOString(),
    deadlines: {
      pay_by: row.pay_by.toISOString(),
      deliver_by: row.deliver_by?.toISOString() ?? null,
      review_by: row.review_by?.toISOString() ?? null,
    },
    progress: { stage: state === row.state ? row.stage : state, percent: hasStopped(state) ? 0 : row.percent },
    report_digest: row.report_digest,
    failure: row.failure,
    timeline: row.timeline,
    next_actions: actions.map((action) =>
      actionView(
        action,
        authority.actor,
        baseUrl,
        { job_key: row.job_key },
        bodiesOf(action, { ...row, review_state }, authority, takesCash),
        // An overdue review can still be accepted: nothing ends it.
        { ...row, review_by: review_state === 'open' ? row.review_by : null },
      ),
    ),
  };
  return { ...view, next_step: nextStepOf(view) };
}

function railIsUp({ x402 }: Context['runtime'], now: Date): boolean {
  return x402?.seemsReachable(now) ?? false;
}

/** What may still pay for the job. */
function payableBy(row: LoadedJob, state: JobState): contract.Job['payable_by'] {
  if (state !== 'awaiting_payment') return [];
  return row.credit_only ? ['wallet_credit'] : ['x402', 'wallet_credit'];
}

/** Ended before anything was delivered. */
function hasStopped(state: JobState): boolean {
  return state === 'failed' || state === 'canceled';
}

type Body = NonNullable<contract.NextAction['body']>;

/** Bodies for an action on the job that work as they stand, the wanted one first; none where nothing is sent. */
function bodiesOf(action: ActionName, row: LoadedJob, authority: Authority, takesCash: boolean): Body[] {
  switch (action) {
    case 'pay': {
      // One key for all tries of one payment, the same whenever it is looked up. What is there already goes first.
      const credit = { rail: 'x402', method: 'wallet_credit', idempotency_key: `credit-${row.job_key}` };
      const cash = { rail: 'x402', idempotency_key: `pay-${row.job_key}` };
      return [...(row.credit_only || row.credit_covers ? [credit] : []), ...(takesCash ? [cash] : [])];
    }
    case 'cancel':
    case 'cancel_payment':
      return [{}];
    case 'review': {
      const digest = { report_digest: row.report_digest };
      return [
        ...(canAccept(row, authority) ? [{ decision: 'accept', ...digest }] : []),
        ...(mayDispute(row) ? [{ decision: 'dispute', reason: 'other', ...digest }] : []),
      ];
    }
    default:
      return [];
  }
}

/** Where the job stands now: one that nobody paid for in time is canceled, whether or not a sweep was there. */
export function stateAt(row: JobRow, now: Date): JobState {
  return hasLapsed(row, now) ? transitions.lapse.to : row.state;
}

/** An open review whose window has passed is overdue: it stays possible to accept, and nothing accepts by itself. */
export function reviewStateAt(row: JobRow, now: Date): ReviewState {
  return row.review_state === 'open' && row.review_by && now > row.review_by ? 'overdue' : row.review_state;
}

/** What the caller may do at all, before the state of the job is looked at. */
export function authorityOf(caller: Buyer | Member): Authority {
  if (caller.kind === 'member')
    return { actor: 'customer', mayBuy: false, mayReview: true, mayAccept: true, mayCancel: false };
  return {
    actor: 'agent',
    mayBuy: purchaseRefusal(caller) === null,
    mayReview: reviewRefusal(caller) === null,
    mayAccept: acceptRefusal(caller) === null,
    mayCancel: true,
  };
}

/** Why this agent may not begin a purchase or pay for one; null when it may, as far as no limit stands in the way. */
export function purchaseRefusal(caller: Buyer): Problem | null {
  const { grant } = caller;
  return serviceRefusal(grant, service.serviceKey) ?? methodRefusal(grant, 'x402') ?? blockedRefusal(caller);
}

/** Why this agent may not decide on a delivery; null when it may. */
export function reviewRefusal({ grant }: Buyer): Problem | null {
  return grant.review_authority ? null : outsideGrant('The grant does not let the agent review deliveries.');
}

/** Why this agent may not accept a delivery though it may dispute it; null when it may. */
export function acceptRefusal({ grant }: Buyer): Problem | null {
  return grant.paused_at ? outsideGrant('The customer has paused this agent: it may dispute, and not accept.') : null;
}

const actionOperations = {
  authorize: contract.authorize,
  pay: contract.pay,
  cancel_payment: contract.cancelPayment,
  cancel: contract.cancel,
  report: contract.report,
  review: contract.review,
  receipt: contract.receipt,
} as const;

/** Of both doors: each says besides how the payment is sent there. */
const payWords =
  'Pay for the job. From wallet credit it is paid at once; otherwise the first answer says what to sign (x402 version 2), ' +
  'and the call is repeated unchanged with the signed payment, under the same idempotency key.';

/** A next action on the wire, made from the operation it names. */
export function actionView(
  action: ActionName,
  actor: Authority['actor'],
  baseUrl: string,
  keys: Record<string, string>,
  [body, ...otherBodies]: readonly Body[],
  deadlines: { expires_at?: Date; pay_by?: Date; review_by?: Date | null },
): contract.NextAction {
  const operation = actionOperations[action];
  const expires = { authorize: deadlines.expires_at, pay: deadlines.pay_by, review: deadlines.review_by };
  const expiresAt = action in expires ? expires[action as keyof typeof expires] : undefined;
  return {
    action,
    actor,
    method: operation.method,
    href: baseUrl + operation.path.replace(/\{(\w+)\}/g, (_, name: string) => keys[name] ?? ''),
    mcp_tool: operation.tool,
    description: action === 'pay' ? payWords : operation.summary,
    ...(body ? { body } : {}),
    ...(otherBodies.length > 0 ? { other_bodies: otherBodies } : {}),
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
  };
}
