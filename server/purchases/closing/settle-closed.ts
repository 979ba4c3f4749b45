import { closedAccounts, closedBy } from '../../identity/closed.ts';
import { statement } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { removeSourcesOf } from '../../sources/sources.ts';
import { lockJob } from '../job/advance.ts';
import { recordOutcome } from '../pay/collect.ts';
import { withdrawn } from '../pay/withdraw.ts';
import { deleteContentOf } from '../rounds/retention.ts';
import { throughAll } from '../rounds/rounds.ts';
import { paymentIsOpen } from '../states.ts';
import { cancelHeld } from '../work/cancel.ts';

/**
 * Ends what closed accounts left: purchases that nobody has paid, webhooks, saved cards, and content that no paid check
 * needs any more. What comes after a closing, from a request that was under way, ends here, too.
 */
export async function settleClosed(runtime: Runtime): Promise<void> {
  const { db, clock, rails } = runtime;
  await cancelUnpaid(runtime);
  await db.many(statement(endpointsEnd, [clock()]));
  for (const { kept } of rails.values()) await kept?.removeAll(db, closedAccounts, clock());
  await removeSourcesOf(db, closedAccounts, isAtWork, clock());
  await deleteContentOf(runtime, closedAccounts);
}

const unpaid = `
  select job_key, ${closedBy('jobs.account_key')} as closed_by from jobs
  where state = 'awaiting_payment' and account_key in (${closedAccounts}) and job_key > $1 order by job_key limit $2`;

const endpointsEnd = `
  update webhook_endpoints set removed_at = $1, secret = null
  where removed_at is null and account_key in (${closedAccounts}) returning 1`;

/** Whether an account has checks that may read its documents, as SQL. */
const isAtWork = (account: string): string => `exists (
  select from jobs where jobs.account_key = ${account} and state in ('queued', 'running', 'rechecking'))`;

/** A payment that is under way decides first: one that arrives is a paid purchase, and runs to its end. */
function cancelUnpaid(runtime: Runtime): Promise<void> {
  return throughAll(
    ({ after, limit }) => runtime.db.many<{ job_key: string; closed_by: string }>(statement(unpaid, [after, limit])),
    ({ job_key, closed_by }) =>
      guarded('job_of_closed_account_not_canceled', { job_key }, async () => {
        const open = await withdrawn(runtime, job_key);
        await transact(runtime.db, async (tx) => {
          const now = runtime.clock();
          if (open) await recordOutcome(tx, runtime, open, now);
          const job = await lockJob(tx, job_key);
          if (job.state !== 'awaiting_payment' || paymentIsOpen(job.payment_state)) return;
          await cancelHeld(tx, runtime, job, { actor: closed_by, ended: 'buyer', now });
        });
      }),
  );
}
