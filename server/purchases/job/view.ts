import { saleIsOff } from '../../availability/switches.ts';
import type { Queries } from '../../kernel/database.ts';
import { currency, microcents, toWire } from '../../kernel/money.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { payAction, type RailName } from '../../payments/contract.ts';
import type { Context } from '../../runtime.ts';
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
import { openPaymentView, payableWays, payBodies } from './ways-to-pay.ts';

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

export const job: Verb<typeof contract.job> = ({ ctx, caller, input, db }) => jobReply(db, input.job_key, caller, ctx);

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
  const authority = authorityOf(caller, runtime.rails, now);
  const payments = payBodies(row, caller, runtime.rails, now);
  const payment = openPaymentView(row, runtime.rails);
  const cancelableFrom = row.open_payment?.withdrawable_after ?? null;
  const actions = nextActions(
    {
      ...row,
      state,
      review_state,
      has_receipt: row.collected_at !== null,
      has_report: row.report_digest !== null,
      is_off: saleIsOff(row.off, runtime.rails),
      rail_is_up: payments.length > 0,
      payment_is_withdrawable: cancelableFrom !== null && now > new Date(cancelableFrom),
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
    ...(payment ? { payment } : {}),
    payable_by: payableWays(row, state, caller, runtime.rails),
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
        {
          actor: authority.actor,
          keys: { job_key: row.job_key },
          bodies: action === 'pay' ? payments : bodiesOf(action, { ...row, review_state }, authority),
        },
        // An overdue review can still be accepted: nothing ends it.
        { ...row, review_by: review_state === 'open' ? row.review_by : null },
        baseUrl,
      ),
    ),
  };
  return { ...view, next_step: nextStepOf(view) };
}

/** Ended before delivery. */
function hasStopped(state: JobState): boolean {
  return state === 'failed' || state === 'canceled';
}

type Body = contract.Asked;

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
  { actor, keys, bodies }: { actor: Authority['actor']; keys: Record<string, string>; bodies: readonly Body[] },
  deadlines: { expires_at?: Date; pay_by?: Date; review_by?: Date | null },
  baseUrl: string,
): contract.NextAction {
  const [body, ...otherBodies] = bodies;
  const operation = actionOperations[action];
  const expires = { authorize: deadlines.expires_at, pay: deadlines.pay_by, review: deadlines.review_by };
  const expiresAt = action in expires ? expires[action as keyof typeof expires] : undefined;
  return {
    action,
    actor,
    method: operation.method,
    href: baseUrl + operation.path.replace(/\{(\w+)\}/g, (_, name: string) => keys[name] ?? ''),
    mcp_tool: operation.tool,
    description: body && 'rail' in body ? payAction(body.rail as RailName) : operation.summary,
    ...(body ? { body } : {}),
    ...(otherBodies.length > 0 ? { bodies: otherBodies } : {}),
    mcp_arguments: { ...keys, ...body },
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
  };
}
