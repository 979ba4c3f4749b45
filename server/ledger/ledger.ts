import type { Queries } from '../kernel/database.ts';
import { currency } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Posting } from './entries.ts';

/**
 * Posts a movement in the caller's transaction, in the month of its job. Posting an event twice fails the transaction, and
 * so does giving more than a job holds, wherever its earlier entries lie.
 */
export function post(tx: Tx, posting: Posting): void {
  tx.write(sql`
    insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account,
      amount_microcents, currency, at, month)
    values (${`${posting.event}:${posting.key}`}, ${posting.event}, ${posting.jobKey}, ${posting.principalKey},
      ${posting.debit}, ${posting.credit}, ${posting.amount}, ${currency}, ${posting.at},
      ledger_month(${posting.jobKey}))`);
}

/** The credit a principal holds for future work, in microcents. */
export async function walletCredit(db: Queries, principalKey: string): Promise<bigint> {
  const row = await db.maybe<{ balance_microcents: bigint }>(sql`
    select balance_microcents from wallet_credits where principal_key = ${principalKey}`);
  return row?.balance_microcents ?? 0n;
}

/** The same, as an SQL value. */
export const creditOf = (principal: string): string =>
  `coalesce((select balance_microcents from wallet_credits c where c.principal_key = ${principal}), 0)`;

/** What all of these principals hold, as a query with the column `credit`; `principals` is SQL. */
export const creditOfAll = (principals: string): string =>
  `select coalesce(sum(balance_microcents), 0)::bigint as credit from wallet_credits where principal_key in (${principals})`;

/**
 * How the credit of these principals came and went, each with the balance after it, as a query; `principals` is SQL. It
 * names the account as the index does. What an archived object has stays listed; until its month leaves, both have it.
 */
export const changesOfCredit = (principals: string): string => `
  select event_key, event, at, job_key, principal_key, change,
    sum(change) over (order by at, event_key)::bigint as balance from (
    select event_key, event, at, job_key, principal_key,
      case credit_account when 'liability:wallet_credit' then amount_microcents else -amount_microcents end as change
    from ledger_transfers
    where (debit_account = 'liability:wallet_credit' or credit_account = 'liability:wallet_credit')
      and principal_key in (${principals})
    union
    select event_key, event, at, job_key, principal_key, change_microcents from archived_credit
    where principal_key in (${principals})) moved`;

/** Whether a principal has enough credit, as an SQL condition. */
export const creditCovers = (principal: string, amount: string): string =>
  `exists (select from wallet_credits c where c.principal_key = ${principal} and c.balance_microcents >= ${amount})`;

/** The same, locked until the transaction ends. */
export async function walletCreditLocked(tx: Tx, principalKey: string): Promise<bigint> {
  const row = await tx.maybe<{ balance_microcents: bigint }>(sql`
    select balance_microcents from wallet_credits where principal_key = ${principalKey} for no key update`);
  return row?.balance_microcents ?? 0n;
}
