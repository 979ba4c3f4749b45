import type { Buyer } from '../../operation/caller.ts';
import type { Reply } from '../../operation/verb.ts';
import type { Attempt, Outcome } from '../../payments/rail.ts';
import type { Context } from '../../runtime.ts';
import type * as contract from '../contract.ts';
import { jobReply } from '../job/view.ts';

/** A payment that waits for its payer or provider. */
type Waiting = Extract<Outcome, { is: 'open' | 'requires_payer' }>;

/** The answer to such a payment, as its job stands. Never kept: a repeat reads the newest state. */
export async function pendingReply(
  { ctx, caller }: { ctx: Context; caller: Buyer },
  { job_key, payment_key, method }: Attempt,
  outcome: Waiting,
): Promise<Reply<contract.PendingPayment>> {
  const waiting = outcome.is === 'requires_payer' ? outcome : null;
  const { next_step, next_actions } = (await jobReply(ctx.runtime.db, job_key, caller, ctx)).body;
  return {
    status: 202,
    body: {
      job_key,
      payment_key,
      payment_state: waiting ? 'requires_payer' : 'processing',
      method,
      continuation_url: waiting?.continuationUrl ?? null,
      expires_at: waiting?.expiresAt.toISOString() ?? null,
      next_step,
      next_actions,
    },
    headers: { 'Retry-After': '2' },
  };
}
