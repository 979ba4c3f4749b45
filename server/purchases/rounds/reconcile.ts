import { buyerOfPrincipal, buyersMethods } from '../../identity/buyer-behind.ts';
import { after } from '../../kernel/clock.ts';
import { statement } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { takeLease, whileCalling } from '../../payments/attempt.ts';
import type { Attempt, Rail, Refund } from '../../payments/rail.ts';
import { waitWithRefund, whileTrying } from '../../payments/refund.ts';
import { each, guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { recordOutcome } from '../pay/collect.ts';
import { withdrawn } from '../pay/withdraw.ts';
import { recordRefunded, recordRefundFailed } from './refund.ts';
import { throughAll } from './rounds.ts';

/** Rows of each kind per round. */
const batch = 50;
/** Pause before a failed payment is tried again. */
const tryAgainSeconds = 5;

/**
 * Reconciles our books with the providers: open payments and owed refunds. Uses the steps of the ordinary path, so
 * running beside a request or another round changes nothing twice.
 */
export async function reconcile(runtime: Runtime): Promise<void> {
  await Promise.all([
    endForStopped(runtime),
    ...[...runtime.rails.values()].flatMap((rail) => [
      reconcilePayments(runtime, rail),
      carryOutRefunds(runtime, rail),
    ]),
  ]);
}

const waitingForStopped = `
  select job_key from jobs join payments p using (job_key) join (${buyersMethods('$3')}) buyer using (principal_key)
  where jobs.state = 'awaiting_payment' and payment_state = 'requires_payer' and job_key > $1
    and p.state in ('settling', 'unknown') and not p.method = any (buyer.payment_methods)
  order by job_key limit $2`;

/**
 * Ends payments that wait for their payer while their buyer may not pay this way: a page that was open when its agent was
 * paused or revoked, its account blocked, or cards taken from its grant, takes no more money. Tries again in each round until the provider answers.
 */
async function endForStopped(runtime: Runtime): Promise<void> {
  await throughAll(
    ({ after: last, limit }) =>
      runtime.db.many<{ job_key: string }>(statement(waitingForStopped, [last, limit, runtime.clock()])),
    ({ job_key }) =>
      guarded('payment_not_ended', { job_key }, async () => {
        const open = await withdrawn(runtime, job_key);
        if (!open) return;
        const now = runtime.clock();
        await transact(runtime.db, (tx) => recordOutcome(tx, runtime, open, now));
      }),
  );
}

/**
 * A round for one job, at once: looks up its open payment, and carries out a refund that is due. Changes nothing when
 * the provider does not answer.
 */
export async function askHowItStands(runtime: Runtime, jobKey: string): Promise<void> {
  await each([...runtime.rails.values()], (rail) =>
    guarded('payment_not_reconciled', { job_key: jobKey }, async () => {
      const attempt = await rail.openAttempt(runtime.db, jobKey);
      if (attempt) await reconcilePayment(runtime, rail, attempt);
      const due = await rail.refunds.due(runtime.db, runtime.clock(), batch);
      for (const refund of due) if (refund.job_key === jobKey) await carryOut(runtime, rail, refund);
    }),
  );
}

async function reconcilePayments(runtime: Runtime, rail: Rail): Promise<void> {
  await each(await rail.openAttempts(runtime.db, runtime.clock(), batch), (attempt) =>
    guarded('payment_not_reconciled', { payment_key: attempt.payment_key }, () =>
      reconcilePayment(runtime, rail, attempt),
    ),
  );
}

/** Carries an attempt out again if no request is on it; else looks it up. */
async function reconcilePayment(runtime: Runtime, rail: Rail, attempt: Attempt): Promise<void> {
  const leased = await takeLease(runtime.db, attempt.payment_key, runtime.clock());
  const outcome = leased
    ? await whileCalling(runtime, attempt.payment_key, async () => {
        const { payment_methods: methods } = await buyerOfPrincipal(runtime.db, attempt.principal_key, runtime.clock());
        return rail.settle(runtime, attempt, (method) => methods.includes(method));
      })
    : await rail.lookUp(runtime, attempt);
  if (!leased && outcome.is !== 'collected' && outcome.is !== 'never') return;
  const now = runtime.clock();
  await transact(runtime.db, (tx) =>
    recordOutcome(tx, runtime, { attempt, outcome, tryAgainAt: after(now, tryAgainSeconds) }, now),
  );
}

async function carryOutRefunds(runtime: Runtime, rail: Rail): Promise<void> {
  await each(await rail.refunds.due(runtime.db, runtime.clock(), batch), (refund) =>
    guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () => carryOut(runtime, rail, refund)),
  );
  await rail.refunds.mend(runtime);
}

/** Intent, call, fact. */
async function carryOut(runtime: Runtime, rail: Rail, due: Refund): Promise<void> {
  const refund = await rail.refunds.take(runtime.db, due, runtime.clock());
  if (!refund) return;
  const fate = await whileTrying(runtime, refund, () => rail.refunds.carryOut(runtime.db, refund));
  const now = runtime.clock();
  switch (fate.is) {
    case 'open':
      return waitWithRefund(runtime.db, refund, now);
    case 'refunded':
      return transact(runtime.db, (tx) => recordRefunded(tx, runtime, { refund, proof: fate.proof }, now));
    case 'refund_failed':
      return transact(runtime.db, (tx) => recordRefundFailed(tx, runtime, { refund, failure: fate.because }, now));
    default:
      return fate satisfies never;
  }
}
