import { inForce } from '../../identity/grant-decision.ts';
import type { TakingJob } from '../../payments/rail.ts';

/**
 * Takes an unpaid job that no other payment has, under the decision that the payment was judged by: rails write their
 * attempt in the same statement. What a person let pass the limits stays under the decision it was let pass under.
 */
export const takingJob = `
  update jobs set payment_state = $1, last_rail = $2, updated_at = $3,
    grant_digest = case when above_limits then grant_digest else $6 end
  where job_key = $4 and principal_key = $5 and state = 'awaiting_payment' and payment_state = 'none'
    and ${inForce('jobs.grant_key', '$6')}
  returning job_key` as TakingJob;
