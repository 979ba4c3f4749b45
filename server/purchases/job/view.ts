import type { Verb } from '../../door/verb.ts';
import type { Buyer, Member } from '../../identity/caller.ts';
import { methodRefusal } from '../../identity/grant.ts';
import type { Queries } from '../../kernel/database.ts';
import { currency, microcents, toWire } from '../../kernel/money.ts';
import { payableBy } from '../../payments/contract.ts';
import type { Rail, Rails } from '../../payments/rail.ts';
import type { Context } from '../../runtime.ts';
import { saleIsOff } from '../../service/switches.ts';
import * as contract from '../contract.ts';
import { type ActionName, type Authority, canAccept, isMoving, nextActions } from '../states.ts';
import { authorityOf } from './authority.ts';
import { loadJob } from './load.ts';
import { type LoadedJob, reviewStateAt, stateAt } from './row.ts';

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

export const job: Verb<typeof contract.job, LoadedJob | null> = async ({ ctx, caller, input, db, loaded }) =>
  replyWith(loaded ?? (await loadJob(db, input.job_key, caller)), caller, ctx);

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
  const authority = authorityOf(caller, runtime.rails);
  const actions = nextActions(
    {
      ...row,
      state,
      review_state,
      has_receipt: row.collected_at !== null,
      has_report: row.report_digest !== null,
      is_off: saleIsOff(row.off, runtime.rails),
      rail_is_up:
        row.state !== 'awaiting_payment' || row.credit_only || someRail(runtime.rails, (rail) => rail.seemsUp(now)),
      payment_is_withdrawable: row.withdrawable_after !== null && now > new Date(row.withdrawable_after),
    },
    authority,
  );
  return {
    job_key: row.job_key,
    quote_key: row.quote_key,
    state,
    payment_state: row.payment_state,
    charge_state: row.charge_state,
    review_state,
    price: priceView(row.price_microcents),
    payable_by: payableBy.filter((way) =>
      way === 'wallet_credit' ? true : !row.credit_only && runtime.rails.get(way)?.isSetUp === true,
    ),
    created_at: row.created_at.toISOString(),
    deadlines: {
      pay_by: row.pay_by.toISOString(),
      deliver_by: row.deliver_by?.toISOString() ?? null,
      review_by: row.review_by?.toISOString() ?? null,
    },
    progress: { stage: state === row.state ? row.stage : state, percent: row.percent },
    report_digest: row.report_digest,
    failure: row.failure,
    timeline: row.timeline,
    next_actions: actions.map((action) =>
      actionView(
        action,
        authority.actor,
        baseUrl,
        { job_key: row.job_key },
        bodyOf(action, row, authority, caller, runtime.rails),
        // An overdue review can still be accepted: nothing ends it.
        { ...row, review_by: review_state === 'open' ? row.review_by : null },
      ),
    ),
  };
}

function someRail(rails: Rails, is: (rail: Rail) => boolean): boolean {
  return [...rails.values()].some(is);
}

/** How an example pays: over the first rail that is there and that the grant covers, or out of credit. */
function wayToPay({ credit_only, off }: LoadedJob, caller: Buyer | Member, rails: Rails): Record<string, string> {
  const all = [...rails.values()];
  const spendsCredit = all.find(({ remedies }) => remedies.undelivered === 'wallet_credit');
  if (credit_only && spendsCredit) return { rail: spendsCredit.name, method: 'wallet_credit' };
  const covered = ({ methods }: Rail) =>
    methods.find((method) => caller.kind === 'member' || methodRefusal(caller.grant, method) === null);
  const usable = all.filter(({ isSetUp, name }) => isSetUp && !off.includes(name));
  const rail = usable.find(covered) ?? all.find(covered) ?? all[0];
  if (!rail) throw new Error('no rail takes this payment');
  const method = rail.hosted ? covered(rail) : undefined;
  return { rail: rail.name, ...(method ? { method } : {}) };
}

/** A body for an action on the job that works as it stands; none where nothing is sent. */
function bodyOf(
  action: ActionName,
  row: LoadedJob,
  authority: Authority,
  caller: Buyer | Member,
  rails: Rails,
): contract.NextAction['body'] {
  switch (action) {
    case 'pay':
      // One key for all tries of one payment, the same whenever it is looked up.
      return {
        ...wayToPay(row, caller, rails),
        idempotency_key: `pay-${row.job_key}`,
      };
    case 'cancel':
    case 'cancel_payment':
      return {};
    case 'review': {
      const digest = { report_digest: row.report_digest };
      return canAccept(row, authority)
        ? { decision: 'accept', ...digest }
        : { decision: 'dispute', reason: 'other', ...digest };
    }
    default:
      return undefined;
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

/** A next action on the wire, made from the operation it names. */
export function actionView(
  action: ActionName,
  actor: Authority['actor'],
  baseUrl: string,
  keys: Record<string, string>,
  body: contract.NextAction['body'],
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
    description: operation.summary,
    ...(body ? { body } : {}),
    ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
  };
}
