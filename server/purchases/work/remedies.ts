import type { Configuration } from '../../configuration.ts';
import { blockAccount, blockPayer, lastLifted } from '../../identity/blocked.ts';
import { after } from '../../kernel/clock.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import { seconds } from '../../service/terms.ts';
import type { JobRow } from '../job/row.ts';

/** Until an account, or whoever pays, has an accepted purchase, so many remedies are free of consequences. */
const remediesAtFirst = 2;

/** How many remedies are free of consequences; `remediesMax` is not 0. */
export const remediesAllowed = (remediesMax: number, hasAccepted: boolean): number =>
  hasAccepted ? remediesMax : Math.min(remediesMax, remediesAtFirst);

const payerOfJob = `
  select payer from payments join (${attemptPayers}) payers using (payment_key)
  where job_key = $1 and state = 'collected'`;

/**
 * Remedies that the buyer can bring about: an end after the collection and without a report, whose fee nobody gives
 * back, and a waiver. A worker had taken a re-check that failed (`tries`), or took others of the account meanwhile: then it waited
 * behind its account's own.
 */
const byBuyer = `(ended_by = 'buyer' and collected_at is not null
  or waived_because in ('second_dispute', 'source_withdrawn')
  or waived_because = 'recheck_failed' and (tries > 0 or exists (
    select from jobs own where own.account_key = jobs.account_key and own.tries > 0
      and own.waived_because = 'recheck_failed'
      and own.finalized_at between jobs.finalized_at - interval '${seconds.executionDeadline} seconds'
        and jobs.finalized_at + interval '${seconds.executionDeadline} seconds')))`;

const paidBy = `(${attemptPayers}) payers join payments p using (payment_key) join jobs using (job_key)
  where payers.payer = $2 and p.state = 'collected'`;

/** `is_shared`: others, who took no such remedy, have accepted purchases that this address paid. Cards have no others. */
const counted = `
  select
    (select count(*) from jobs
      where account_key = $1 and ${byBuyer}
        and finalized_at > greatest($3::timestamptz, $4)) as of_account,
    (select count(*) from ${paidBy} and ${byBuyer}
        and finalized_at > greatest($3::timestamptz, $5)) as of_payer,
    exists (select from jobs where account_key = $1 and state = 'accepted') as account_accepted,
    exists (select from ${paidBy} and jobs.state = 'accepted') as payer_accepted,
    $2 not like 'card:%' and exists (
      select from ${paidBy} and jobs.state = 'accepted' and account_key <> $1 and not exists (
        select from jobs other where other.account_key = jobs.account_key and other.finalized_at > $3::timestamptz
          and ${byBuyer.replaceAll('jobs.', 'other.')})) as is_shared`;

interface Counted {
  of_account: bigint;
  of_payer: bigint;
  account_accepted: boolean;
  payer_accepted: boolean;
  is_shared: boolean;
}

/**
 * Each remedy costs us what a provider keeps, or a check for nothing. More than `remediesMax` of them in 30 days, or
 * more than two before the first accepted purchase, block an account, an address or a card until an operator lifts it
 * (specification 4.9); then the count restarts. An address that others pay from stays open: its account is blocked
 * instead. 0 turns this off.
 */
export async function blockAfterRemedies(
  tx: Tx,
  { remediesMax }: Pick<Configuration, 'remediesMax'>,
  job: Pick<JobRow, 'job_key' | 'account_key'>,
  now: Date,
): Promise<void> {
  if (remediesMax === 0) return;
  const paid = await tx.maybe<{ payer: string | null }>(statement(payerOfJob, [job.job_key]));
  const payer = paid?.payer ?? null;
  // Lock, so that the second of two concurrent remedies sees the first.
  for (const one of [payer, job.account_key]) {
    if (one) tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`remedies of ${one}`}, 0))`);
  }
  const since = after(now, -seconds.remedies);
  const lifted = await lastLifted(tx, 'remedies', { accountKey: job.account_key, payer });
  const found = await tx.one<Counted>(
    statement(counted, [job.account_key, payer, since, lifted.of_account, lifted.of_payer]),
  );
  const most = (hasAccepted: boolean) => remediesAllowed(remediesMax, hasAccepted);
  const isPayerOver = payer !== null && found.of_payer > most(found.payer_accepted);
  if (found.of_account > most(found.account_accepted) || (isPayerOver && found.is_shared)) {
    blockAccount(tx, job.account_key, { cause: 'remedies', now });
  }
  if (isPayerOver && !found.is_shared) blockPayer(tx, payer, { cause: 'remedies', now });
}
