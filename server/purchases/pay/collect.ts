import { blockAccount, payerRefusal } from '../../identity/blocked.ts';
import { inForce } from '../../identity/grant-decision.ts';
import { release } from '../../identity/limits.ts';
import { newKey } from '../../kernel/id.ts';
import { microcents, toText } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { collected, creditSpent, type Movement } from '../../ledger/entries.ts';
import { post, walletCreditLocked } from '../../ledger/ledger.ts';
import type { GrantRow } from '../../operation/caller.ts';
import { markUnknown, recordCreditPayment } from '../../payments/attempt.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import { type Attempt, type Outcome, type Rail, railOf } from '../../payments/rail.ts';
import { enqueueCheck, enqueueLetter } from '../../queue/queue.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, deliverBy, lockJob } from '../job/advance.ts';
import { type JobRow, notAllowed } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { giveUpCharge } from '../rounds/gone-back.ts';
import type { CardLetter } from './card-letter.ts';

/**
 * Records the state of an open attempt; returns whether that ended it here, because somebody else may have been first.
 * While the outcome is open, nobody retries the same payment before `tryAgainAt`.
 */
export async function recordOutcome(
  tx: Tx,
  runtime: Runtime,
  { attempt, outcome, tryAgainAt }: { attempt: Attempt; outcome: Outcome; tryAgainAt?: Date },
  now: Date,
): Promise<boolean> {
  switch (outcome.is) {
    case 'collected':
      return collect(tx, runtime, { attempt, proof: outcome.proof }, now);
    case 'never':
      return giveUp(tx, railOf(runtime.rails, attempt), { attempt, because: outcome.because }, now);
    case 'requires_payer':
    case 'open':
      markUnknown(tx, attempt.payment_key, tryAgainAt ?? now);
      waitForOutcome(tx, attempt, waitingFor(outcome), now);
      return false;
  }
}

type Waiting = 'unknown' | 'requires_payer' | 'processing';

function waitingFor(outcome: Extract<Outcome, { is: 'open' | 'requires_payer' }>): Waiting {
  if (outcome.is === 'requires_payer') return 'requires_payer';
  return outcome.isProcessing ? 'processing' : 'unknown';
}

/** The job waits for the payer, the provider, or the outcome of its payment. */
function waitForOutcome(tx: Tx, attempt: Attempt, state: Waiting, now: Date): void {
  const before = (['processing', 'unknown', 'requires_payer'] as const).filter((one) => one !== state);
  tx.write(sql`
    update jobs set payment_state = ${state}, updated_at = ${now}
    where job_key = ${attempt.job_key} and state = 'awaiting_payment' and payment_state = any(${before}::text[])`);
}

/**
 * Records an arrived payment in one transaction: uses the arrival, decides the attempt, starts the job, posts the
 * money, signs the receipt and queues the work. Whoever learns of it first records it (the paying request, its repeat,
 * or the reconciler); for the others it is done.
 */
async function collect(
  tx: Tx,
  runtime: Runtime,
  { attempt, proof }: { attempt: Attempt; proof: unknown },
  now: Date,
): Promise<boolean> {
  const rail = railOf(runtime.rails, attempt);
  // Pipelined: the job moves only with a payment collected here, and that only with an unused arrival.
  const decided = rail.collect(tx, attempt, proof, now);
  const started = start(tx, runtime, attempt, { movement: collected, now, decided: attempt.payment_key });
  started.catch(() => {});
  switch (await decided) {
    case 'collected':
      await started;
      if (rail.hosted) await refuseBlockedCard(tx, runtime, attempt, now);
      // Tell the account's members when an agent is charged to one of their cards for the first time.
      if (await rail.kept?.noteUse(tx, attempt, now)) {
        enqueueLetter<CardLetter>(tx, runtime.queue, { kind: 'card_used', payment_key: attempt.payment_key });
      }
      return true;
    case 'elsewhere':
      return giveUp(tx, rail, { attempt, because: 'What it paid has gone back.' }, now);
    case 'decided':
      return false;
  }
}

const payerOf = `select payer, account_key from (${attemptPayers}) payers join payments using (payment_key)
  join jobs using (job_key) where payment_key = $1 and payer is not null`;

/**
 * On a page a payer who is blocked is known only once it is paid: then that goes back before any work, and the account buys
 * nothing more.
 */
async function refuseBlockedCard(tx: Tx, runtime: Runtime, attempt: Attempt, now: Date): Promise<void> {
  const { payment_key: paymentKey } = attempt;
  const paid = await tx.maybe<{ payer: string; account_key: string }>(statement(payerOf, [paymentKey]));
  if (!paid || (await payerRefusal(tx, paid.payer)) === null) return;
  blockAccount(tx, paid.account_key, { cause: 'blocked_card', paymentKey, behindPayer: paid.payer, now });
  const failure = 'Nothing is taken from the card that paid until it is settled why.';
  await giveUpCharge(tx, runtime, { job: await lockJob(tx, attempt.job_key), failure }, now);
}

const takingFromCredit = `
  update jobs set grant_digest = case when above_limits then grant_digest else $2 end
  where job_key = $1 and state = 'awaiting_payment' and payment_state = 'none' and ${inForce('jobs.grant_key', '$2')}
  returning job_key`;

/**
 * Pays for a job from its principal's credit, in one transaction: no provider is involved. False when the job cannot be
 * paid now. Throws `action_not_allowed` when the credit does not cover the price.
 */
export async function spendCredit(
  tx: Tx,
  runtime: Runtime,
  job: JobRow,
  { rail, grant, now }: { rail: Rail; grant: GrantRow; now: Date },
): Promise<boolean> {
  const payable = await tx.maybe(statement(takingFromCredit, [job.job_key, grant.grant_digest]));
  if (!payable) return false;
  const credit = await walletCreditLocked(tx, job.principal_key);
  if (credit < job.price_microcents) {
    const [have, need] = [toText(credit), toText(job.price_microcents)];
    throw notAllowed(
      `Your credit of ${have} does not cover the price of ${need}. Without method the job is paid in USDC.`,
    );
  }
  const { job_key, price_microcents: amount_microcents } = job;
  const payment = { payment_key: newKey('pay'), rail: rail.name, job_key, amount_microcents };
  recordCreditPayment(tx, rail.name, payment, now);
  await start(tx, runtime, payment, { movement: creditSpent, now });
  release(tx, job.job_key);
  return true;
}

/** Starts a paid job; with `decided`, only if this transaction collected that payment. */
async function start(
  tx: Tx,
  runtime: Runtime,
  payment: Pick<Attempt, 'payment_key' | 'rail' | 'job_key' | 'amount_microcents'>,
  { movement, now, decided }: { movement: Movement; now: Date; decided?: string },
): Promise<void> {
  const job = await advance(
    tx,
    'collect',
    { jobKey: payment.job_key, actor: 'system', now, ...(decided ? { payment: decided } : {}) },
    {
      payment_state: 'collected',
      last_rail: payment.rail,
      collected_at: now,
      deliver_by: deliverBy(now),
      stage: 'queued',
    },
  );
  post(tx, {
    ...movement,
    key: payment.payment_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  enqueueCheck(tx, runtime.queue, job.job_key);
  // Pipelined with what the caller reads for its answer, which is not part of the receipt.
  tx.join(() => issueReceipt(tx, runtime.receiptSigner, job, now));
}

/** Records that a payment will never arrive: the job can be paid again. */
async function giveUp(
  tx: Tx,
  rail: Rail,
  { attempt, because }: { attempt: Attempt; because: string },
  now: Date,
): Promise<boolean> {
  if (!(await rail.giveUp(tx, attempt, because, now))) return false;
  tx.write(sql`
    update jobs set payment_state = 'none', updated_at = ${now}
    where job_key = ${attempt.job_key} and state = 'awaiting_payment'`);
  return true;
}
