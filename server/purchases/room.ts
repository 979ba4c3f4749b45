/**
 * The part of a job that stands for room under the limits of its grant, as parts of statements: `identity/grant.ts` counts
 * with them, and jobs stay a table of purchases. Pure.
 */

/** The job to take room for, `$1`: its grant and what it costs. */
export const jobAskingForRoom = `
  select grant_key, price_microcents as price from jobs where job_key = $1`;

/** Notes on the job `$1` that it holds room, where `condition` says so. */
export const holdRoom = (condition: string): string => `
  update jobs set reserved_microcents = price_microcents where job_key = $1 and ${condition} returning 1`;

/** Lets credit alone pay for the job `$1`, which takes no room. */
export const relyOnCreditAlone = 'update jobs set credit_only = true where job_key = $1';

/** Takes its room from the job `$1`, once: with the grant, the day and the amount to give back. */
export const roomGivenBack = `
  update jobs set reserved_microcents = 0 where job_key = $1 and reserved_microcents > 0
  returning grant_key, authorized_on as day, old.reserved_microcents as amount`;

/** Gives the job `$1` the room that it gave back, once: with the grant, the day and the amount to take. */
export const roomTakenAgain = `
  update jobs set reserved_microcents = price_microcents where job_key = $1 and reserved_microcents = 0
  returning grant_key, authorized_on as day, price_microcents as amount`;

/** What the unpaid jobs of a principal hold: `that_day` of those authorized on `day`, and `in_total`. */
export const heldByUnpaid = (principal: string, day: string): string => `
  select coalesce(sum(reserved_microcents) filter (where authorized_on = ${day}::date), 0)::bigint as that_day,
    coalesce(sum(reserved_microcents), 0)::bigint as in_total
  from jobs where jobs.principal_key = ${principal} and state = 'awaiting_payment'`;

/** What the accepted jobs of a principal that were authorized on `day` hold. */
export const heldByAccepted = (principal: string, day: string): string => `
  select coalesce(sum(reserved_microcents), 0)::bigint from jobs
  where jobs.principal_key = ${principal} and authorized_on = ${day}::date and charge_state = 'final'`;
