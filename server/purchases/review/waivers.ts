import type { Configuration } from '../../configuration.ts';
import { blockAccount, blockPayer, lastLifted } from '../../identity/blocked.ts';
import { after } from '../../kernel/clock.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import { seconds } from '../../service/terms.ts';
import type { JobRow } from '../job/row.ts';

const payerOfJob = `
  select payer from payments join (${attemptPayers}) payers using (payment_key)
  where job_key = $1 and state = 'collected'`;

/**
 * Waivers that the buyer can bring about. A worker had taken a re-check that failed (`tries`), or took others of the
 * account meanwhile: then it waited behind its account's own.
 */
const byBuyer = `(waived_because in ('second_dispute', 'source_withdrawn')
  or waived_because = 'recheck_failed' and (tries > 0 or exists (
    select from jobs own where own.account_key = jobs.account_key and own.tries > 0
      and own.waived_because = 'recheck_failed'
      and own.finalized_at between jobs.finalized_at - interval '${seconds.executionDeadline} seconds'
        and jobs.finalized_at + interval '${seconds.executionDeadline} seconds')))`;

const waiversSince = `
  select
    (select count(*) from jobs
      where account_key = $1 and ${byBuyer}
        and finalized_at > greatest($3::timestamptz, $4)) as of_account,
    (select count(*) from (${attemptPayers}) payers join payments p using (payment_key) join jobs using (job_key)
      where payers.payer = $2 and p.state = 'collected' and ${byBuyer}
        and finalized_at > greatest($3::timestamptz, $5)) as of_payer`;

/**
 * A second dispute makes a report free. So does a re-check whose source the customer took away, and one that fails: a
 * dispute can make a model fail. More than `waiversMax` of these in 30 days block an account or payer until an operator
 * lifts it (specification 4.9); then the count restarts. 0 turns this off.
 */
export async function blockAfterWaivers(
  tx: Tx,
  { waiversMax }: Pick<Configuration, 'waiversMax'>,
  job: Pick<JobRow, 'job_key' | 'account_key'>,
  now: Date,
): Promise<void> {
  if (waiversMax === 0) return;
  const paid = await tx.maybe<{ payer: string | null }>(statement(payerOfJob, [job.job_key]));
  const payer = paid?.payer ?? null;
  // Lock, so that the second of two concurrent waivers sees the first.
  for (const counted of [payer, job.account_key]) {
    if (counted) tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`waivers of ${counted}`}, 0))`);
  }
  const since = after(now, -seconds.waivers);
  const lifted = await lastLifted(tx, 'waivers', { accountKey: job.account_key, payer });
  const count = await tx.one<{ of_account: bigint; of_payer: bigint }>(
    statement(waiversSince, [job.account_key, payer, since, lifted.of_account, lifted.of_payer]),
  );
  if (count.of_account > waiversMax) blockAccount(tx, job.account_key, { cause: 'waivers', now });
  if (payer && count.of_payer > waiversMax) blockPayer(tx, payer, { cause: 'waivers', now });
}
