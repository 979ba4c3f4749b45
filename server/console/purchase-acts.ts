import { Problem } from '../door/problem.ts';
import type { Verb } from '../door/verb.ts';
import type { Operator } from '../identity/caller.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { unseal } from '../kernel/seal.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { type JobRow, notAllowed } from '../purchases/job/row.ts';
import { waiveOverdue } from '../purchases/review/waive.ts';
import { askHowItStands } from '../purchases/rounds/reconcile.ts';
import { cancelHeld } from '../purchases/work/cancel.ts';
import { seconds } from '../service/terms.ts';
import { obstacleTo } from './actions.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract.ts';
import { type FoundPurchase, findPurchase } from './found.ts';

/** Whoever has said why may read the content for so long. */

type Acted = 'note_purchase' | 'open_content' | 'ask_again' | 'cancel_job' | 'waive_charge';

interface Asked {
  caller: Operator;
  input: { key: string; reason: string };
  now: Date;
}

/**
 * Holds the purchase, refuses what cannot be done to it now, and writes the act. Throws `not_found` and
 * `action_not_allowed`.
 */
async function begin(tx: Tx, name: Acted, { caller, input, now }: Asked): Promise<FoundPurchase> {
  const found = await findPurchase(tx, input.key, { held: true });
  const obstacle = obstacleTo(name, found, now);
  if (obstacle !== null) throw notAllowed(obstacle);
  const amount = name === 'waive_charge' || name === 'cancel_job' ? found.quote.price_microcents : null;
  const { quote_key } = found.quote;
  noteAct(tx, caller, { subject: quote_key, action: name, reason: input.reason, purchase: quote_key, amount }, now);
  return found;
}

function jobIn({ job }: FoundPurchase): JobRow {
  if (!job) throw notAllowed('The quote is not authorized.');
  return job;
}

export const notePurchase: Verb<typeof contract.notePurchase> = async ({ ctx, caller, input, tx }) => {
  await begin(tx, 'note_purchase', { caller, input, now: ctx.now });
  return { body: { done: true } };
};

export const cancelJob: Verb<typeof contract.cancelJob> = async ({ ctx, caller, input, tx }) => {
  const found = await begin(tx, 'cancel_job', { caller, input, now: ctx.now });
  await cancelHeld(tx, ctx.runtime, jobIn(found), { actor: 'operator', now: ctx.now });
  return { body: { done: true } };
};

export const waiveCharge: Verb<typeof contract.waiveCharge> = async ({ ctx, caller, input, tx }) => {
  const found = await begin(tx, 'waive_charge', { caller, input, now: ctx.now });
  await waiveOverdue(tx, ctx.runtime, { jobKey: jobIn(found).job_key, because: input.reason, now: ctx.now });
  return { body: { done: true } };
};

/** The act first, in a transaction of its own; then the provider, by the same steps as the worker's. */
export const askAgain: Verb<typeof contract.askAgain> = async ({ ctx, caller, input, db, steps }) => {
  const { runtime } = ctx;
  const job = jobIn(await steps.transact((tx) => begin(tx, 'ask_again', { caller, input, now: ctx.now })));
  await askHowItStands(runtime, job.job_key);
  const { payment_state } = await db.one<{ payment_state: string }>(sql`
    select payment_state from jobs where job_key = ${job.job_key}`);
  return { body: { payment_state } };
};

export const openContent: Verb<typeof contract.openContent> = async ({ ctx, caller, input, tx }) => {
  await begin(tx, 'open_content', { caller, input, now: ctx.now });
  return { body: { done: true } };
};

/** Work, evidence and reports. Throws `action_not_allowed` for who has not said why, or too long ago. */
export const readContent: Verb<typeof contract.readContent> = async ({ ctx, caller, input, db }) => {
  const { quote, job } = await findPurchase(db, input.key);
  const opened = await lastOpened(db, quote.quote_key, caller, after(ctx.now, -seconds.contentOpen));
  if (!opened) throw new Problem('action_not_allowed', 'Say first why the content has to be read.');
  const reports = await db.many<{ number: number; body: string }>(sql`
    select number, body from reports where job_key = ${job?.job_key ?? null} order by number`);
  const place = { column: 'quotes.input', row: quote.quote_key } as const;
  return {
    body: {
      opened_because: opened.reason,
      until: after(opened.at, seconds.contentOpen).toISOString(),
      input: quote.input === null ? null : unseal(quote.input, ctx.runtime.configuration.keyring, place),
      reports,
    },
  };
};

function lastOpened(db: Queries, purchase: string, { name }: Operator, since: Date) {
  return db.maybe<{ at: Date; reason: string }>(sql`
    select at, reason from operator_acts
    where purchase_key = ${purchase} and action = 'open_content' and actor = ${name} and at > ${since}
    order by at desc limit 1`);
}
