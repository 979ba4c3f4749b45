/**
 * What a job holds of the room under its grant's limits, as SQL parts: `identity/limits.ts` counts with them, while jobs
 * stay a table of purchases. And whether an account has bought before, which its limits ask.
 */

/** Whether an account has no accepted purchase; `account` is a column. */
export const hasAcceptedNone = (account: string): string =>
  `not exists (select from jobs where jobs.account_key = ${account} and jobs.state = 'accepted')`;

/** Job `$1` to take room for: its grant and price, and whether it may pass the limits. */
export const jobAskingForRoom = `
  select grant_key, price_microcents as price, above_limits from jobs where job_key = $1`;

/** Marks job `$1` as holding room, if `condition`. */
export const holdRoom = (condition: string): string => `
  update jobs set reserved_microcents = price_microcents where job_key = $1 and ${condition} returning 1`;

/** Marks job `$1`, which takes no room, as payable by credit alone. */
export const relyOnCreditAlone = 'update jobs set credit_only = true where job_key = $1';

/** Takes the room of job `$1`, once: returns grant, day and amount to give back. */
export const roomGivenBack = `
  update jobs set reserved_microcents = 0 where job_key = $1 and reserved_microcents > 0
  returning grant_key, authorized_on as day, old.reserved_microcents as amount`;

/** Restores the room of job `$1`, once: returns grant, day and amount to take. */
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
