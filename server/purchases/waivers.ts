import type { Configuration } from '../configuration.ts';
import { blockAccount, blockPayer, lastLifted } from '../identity/blocked.ts';
import { after } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { seconds } from '../service/terms.ts';
import type { JobRow } from './job.ts';

/**
 * Two disputes make a report free. An account, or an address that pays, with more than `waiversMax` such waivers in 30
 * days buys nothing new until an operator lifts that (specification 4.9); then the count starts anew. 0 is off.
 */
export async function blockAfterWaivers(
  tx: Tx,
  { waiversMax }: Pick<Configuration, 'waiversMax'>,
  job: Pick<JobRow, 'job_key' | 'account_key'>,
  now: Date,
): Promise<void> {
  if (waiversMax === 0) return;
  const paid = await tx.maybe<{ payer: string | null }>(sql`
    select payer from x402_payments where job_key = ${job.job_key} and state = 'collected'`);
  const payer = paid?.payer ?? null;
  // Whose waivers are counted here is counted nowhere else meanwhile: of two at once, the second sees the first.
  for (const counted of [payer, job.account_key]) {
    if (counted) tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`waivers of ${counted}`}, 0))`);
  }
  const since = after(now, -seconds.waivers);
  const lifted = await lastLifted(tx, 'waivers', { accountKey: job.account_key, payer });
  const count = await tx.one<{ of_account: bigint; of_payer: bigint }>(sql`
    select
      (select count(*) from jobs
        where account_key = ${job.account_key} and waived_because = 'second_dispute'
          and finalized_at > greatest(${since}::timestamptz, ${lifted.of_account})) as of_account,
      (select count(*) from x402_payments p join jobs using (job_key)
        where p.payer = ${payer} and p.state = 'collected' and waived_because = 'second_dispute'
          and finalized_at > greatest(${since}::timestamptz, ${lifted.of_payer})) as of_payer`);
  if (count.of_account > waiversMax) blockAccount(tx, job.account_key, { cause: 'waivers', now });
  if (payer && count.of_payer > waiversMax) blockPayer(tx, payer, { cause: 'waivers', now });
}
