import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { unseal } from '../kernel/seal.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Operator } from '../operation/caller.ts';
import { needsFreshSignIn } from '../operation/operator-roles.ts';
import type { Steps, Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { bodiesOf, type Kept } from '../purchases/archive/bodies.ts';
import { type JobRow, notAllowed } from '../purchases/job/row.ts';
import { refundAccepted, waiveOverdue } from '../purchases/review/waive.ts';
import { askHowItStands } from '../purchases/rounds/reconcile.ts';
import { cancelHeld } from '../purchases/work/cancel.ts';
import { runFromTheStart } from '../purchases/work/take.ts';
import type { Context, Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { obstacleTo } from './actions.ts';
import { noteAct } from './acts.ts';
import type * as acts from './contract/acts.ts';
import type * as purchases from './contract/purchases.ts';
import { type FoundPurchase, findPurchase } from './found.ts';

interface Asked {
  caller: Operator;
  input: { key: string; reason: string };
  now: Date;
}

/**
 * Locks the purchase, refuses what is impossible on it now, and records the act. Throws `not_found` and
 * `action_not_allowed`.
 */
async function begin(tx: Tx, name: purchases.ActionName, { caller, input, now }: Asked): Promise<FoundPurchase> {
  const found = await findPurchase(tx, input.key, { held: true });
  const obstacle = obstacleTo(name, found, now);
  if (obstacle !== null) throw notAllowed(obstacle);
  const amount = needsFreshSignIn(name) ? found.quote.price_microcents : null;
  const { quote_key } = found.quote;
  noteAct(tx, caller, { subject: quote_key, action: name, reason: input.reason, purchase: quote_key, amount }, now);
  return found;
}

function jobIn({ job }: FoundPurchase): JobRow {
  if (!job) throw notAllowed('The quote is not authorized.');
  return job;
}

type InDatabase = Exclude<purchases.ActionName, 'ask_again'>;

/** What each action writes besides its act. */
const writes: { [Name in InDatabase]: (tx: Tx, runtime: Runtime, found: FoundPurchase, asked: Asked) => unknown } = {
  note_purchase: () => undefined,
  open_content: () => undefined,
  run_again: (tx, { queue }, found, { now }) => runFromTheStart(tx, queue, jobIn(found), now),
  cancel_job: (tx, runtime, found, { now }) =>
    cancelHeld(tx, runtime, jobIn(found), { actor: 'operator', ended: 'operator', now }),
  waive_charge: (tx, runtime, found, { input, now }) =>
    waiveOverdue(tx, runtime, { jobKey: jobIn(found).job_key, because: input.reason, now }),
  refund_charge: (tx, runtime, found, { now }) => refundAccepted(tx, runtime, jobIn(found), now),
};

/** Does an action and records its act in one transaction. Throws `not_found` and `action_not_allowed`. */
export async function actIn(tx: Tx, runtime: Runtime, name: InDatabase, asked: Asked): Promise<void> {
  const found = await begin(tx, name, asked);
  await writes[name](tx, runtime, found, asked);
}

/** Records the act in its own transaction, then calls the provider by the worker's own steps. */
export async function askProvider(runtime: Runtime, { transact }: Steps, asked: Asked): Promise<string> {
  const { job_key } = jobIn(await transact((tx) => begin(tx, 'ask_again', asked)));
  await askHowItStands(runtime, job_key);
  return job_key;
}

type Done = { ctx: Context; caller: Operator; input: Asked['input']; tx: Tx };

const doing =
  (name: InDatabase) =>
  async ({ ctx, caller, input, tx }: Done) => {
    await actIn(tx, ctx.runtime, name, { caller, input, now: ctx.now });
    return { body: { done: true } as const };
  };

export const notePurchase: Verb<typeof acts.notePurchase> = doing('note_purchase');
export const openContent: Verb<typeof acts.openContent> = doing('open_content');
export const runAgain: Verb<typeof acts.runAgain> = doing('run_again');
export const cancelJob: Verb<typeof acts.cancelJob> = doing('cancel_job');
export const waiveCharge: Verb<typeof acts.waiveCharge> = doing('waive_charge');
export const refundCharge: Verb<typeof acts.refundCharge> = doing('refund_charge');

export const askAgain: Verb<typeof acts.askAgain> = async ({ ctx, caller, input, db, steps }) => {
  const jobKey = await askProvider(ctx.runtime, steps, { caller, input, now: ctx.now });
  const { payment_state } = await db.one<{ payment_state: string }>(sql`
    select payment_state from jobs where job_key = ${jobKey}`);
  return { body: { payment_state } };
};

/** Work, evidence and reports. Throws `action_not_allowed` without a recent reason. */
export const readContent: Verb<typeof acts.readContent> = async ({ ctx, caller, input, db }) => {
  const { quote, job } = await findPurchase(db, input.key);
  const opened = await lastOpened(db, quote.quote_key, caller, after(ctx.now, -seconds.contentOpen));
  if (!opened) throw new Problem('action_not_allowed', 'Give a reason for reading the content first.');
  const reports = await db.many<Kept>(sql`
    select job_key, number, text_of(job_key, 'reports', number) as body from reports
    where job_key = ${job?.job_key ?? null} order by number`);
  const bodies = await bodiesOf(db, ctx.runtime.archive, 'reports', reports);
  const place = { column: 'quotes.input', row: quote.quote_key } as const;
  return {
    body: {
      opened_because: opened.reason,
      until: after(opened.at, seconds.contentOpen).toISOString(),
      input: quote.input === null ? null : unseal(quote.input, ctx.runtime.configuration.keyring, place),
      reports: reports.map(({ number }, index) => ({ number, body: bodies[index] ?? '' })),
    },
  };
};

function lastOpened(db: Queries, purchase: string, { name }: Operator, since: Date) {
  return db.maybe<{ at: Date; reason: string }>(sql`
    select at, reason from operator_acts
    where purchase_key = ${purchase} and action = 'open_content' and actor = ${name} and at > ${since}
    order by at desc limit 1`);
}
