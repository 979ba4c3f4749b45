import type { Verb } from '../../door/verb.ts';
import type { Buyer, Member } from '../../identity/caller.ts';
import { methodRefusal } from '../../identity/grant.ts';
import type { Queries } from '../../kernel/database.ts';
import { currency, microcents, toWire } from '../../kernel/money.ts';
import { payAction, payableBy } from '../../payments/contract.ts';
import type { Rail, Rails } from '../../payments/rail.ts';
import type { Context } from '../../runtime.ts';
import { saleIsOff } from '../../service/switches.ts';
import * as contract from '../contract.ts';
import {
  type ActionName,
  type Authority,
  canAccept,
  isMoving,
  type JobState,
  mayDispute,
  nextActions,
} from '../states.ts';
import { authorityOf } from './authority.ts';
import { loadJob } from './load.ts';
import { nextStepOf } from './next-step.ts';
import { type LoadedJob, reviewStateAt, stateAt } from './row.ts';

/** Reads the job again and answers with it, as verbs on jobs do. */
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

/** Answers with the job as read. */
export function replyWith(row: LoadedJob, caller: Buyer | Member, request: Asking): JobReply {
  return { body: jobView(row, caller, request), headers: isMoving(row) ? { 'Retry-After': '1' } : {} };
}

export const job: Verb<typeof contract.job, LoadedJob | null> = async ({ ctx, caller, input, db, loaded }) =>
  replyWith(loaded ?? (await loadJob(db, input.job_key, caller)), caller, ctx);

/** The parts of a request that an answer depends on. */
export type Asking = Pick<Context, 'baseUrl' | 'now' | 'runtime'>;

/** The price as answers carry it. */
export function priceView(amount: bigint): contract.Quote['price'] {
  return { amount_microcents: toWire(microcents(amount)), currency, price_type: 'fixed', pricing_status: 'approved' };
}

/** A job as this caller sees it. */
export function jobView(row: LoadedJob, caller: Buyer | Member, { baseUrl, now, runtime }: Asking): contract.Job {
  const state = stateAt(row, now);
  const review_state = reviewStateAt(row, now);
  const authority = authorityOf(caller, runtime.rails);
  const payments = paymentsOf(row, caller, runtime.rails, now);
  const actions = nextActions(
    {
      ...row,
      state,
      review_state,
      has_receipt: row.collected_at !== null,
      has_report: row.report_digest !== null,
      is_off: saleIsOff(row.off, runtime.rails),
      rail_is_up: payments.length > 0,
      payment_is_withdrawable: row.withdrawable_after !== null && now > new Date(row.withdrawable_after),
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
    payable_by: waysToPay(row, state, runtime.rails),
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
        action === 'pay' ? payments : bodiesOf(action, { ...row, review_state }, authority),
        // An overdue review can still be accepted: nothing ends it.
        { ...row, review_by: review_state === 'open' ? row.review_by : null },
      ),
    ),
  };
  return { ...view, next_step: nextStepOf(view) };
}

/** The methods that can still pay for the job. */
function waysToPay(row: LoadedJob, state: JobState, rails: Rails): contract.Job['payable_by'] {
  if (state !== 'awaiting_payment') return [];
  return payableBy.filter((way) => way === 'wallet_credit' || (!row.credit_only && rails.get(way)?.isSetUp === true));
}

/** Ended before delivery. */
function hasStopped(state: JobState): boolean {
  return state === 'failed' || state === 'canceled';
}

type Body = NonNullable<contract.NextAction['body']>;

/** Request bodies that pay for the job now, the best first: credit before new money. */
function paymentsOf(row: LoadedJob, caller: Buyer | Member, rails: Rails, now: Date): Body[] {
  if (row.state !== 'awaiting_payment') return [];
  const usable = [...rails.values()].filter(({ isSetUp, name }) => isSetUp && !row.off.includes(name));
  const covered = ({ methods }: Rail) =>
    methods.find((method) => caller.kind === 'member' || methodRefusal(caller.grant, method) === null);
  const bodies: Body[] = [];
  // One key for all tries of one payment, stable between reads.
  if (row.credit_only || row.credit_covers) {
    const rail = usable.find((one) => one.remedies.undelivered === 'wallet_credit' && covered(one));
    if (rail) bodies.push({ rail: rail.name, method: 'wallet_credit', idempotency_key: `credit-${row.job_key}` });
  }
  const rail = row.credit_only ? undefined : usable.find((one) => one.seemsUp(now) && covered(one));
  if (rail) {
    const method = rail.hosted ? covered(rail) : undefined;
    bodies.push({ rail: rail.name, ...(method ? { method } : {}), idempotency_key: `pay-${row.job_key}` });
  }
  return bodies;
}

/** Request bodies for another action that work as they are, the best first; none where nothing is sent. */
function bodiesOf(action: ActionName, row: LoadedJob, authority: Authority): Body[] {
  switch (action) {
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

const actionOperations = {
  authorize: contract.authorize,
  pay: contract.pay,
  cancel_payment: contract.cancelPayment,
  cancel: contract.cancel,
  report: contract.report,
  review: contract.review,
  receipt: contract.receipt,
} as const;

/** A next action on the wire, built from its operation. */
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
    description: action === 'pay' ? payAction(body?.rail) : operation.summary,
    ...(body ? { body } : {}),
    ...(otherBodies.length > 0 ? { other_bodies: otherBodies } : {}),
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
  };
}
