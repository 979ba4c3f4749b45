import { forgetWallets } from '../../identity/forget.ts';
import { outsideGrant } from '../../identity/grant.ts';
import { after } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/database.ts';
import { forgetAnswers } from '../../kernel/idempotency.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Runtime } from '../../runtime.ts';
import { daySeconds, seconds } from '../../service/terms.ts';
import type * as contract from '../contract.ts';
import { holdJob } from '../job/load.ts';
import { notAllowed, stateAt } from '../job/row.ts';
import { readEvidence } from '../quote/evidence.ts';
import { isEnded, jobStates } from '../states.ts';

/** Answers are replayed for at least 30 days (specification 3.3). */
const answerDays = 31;

/** Quotes per transaction. */
const batch = 500;

/** Deletes a job's content early, once nothing needs it any more (specification 11.1). */
export const deleteContent: Verb<typeof contract.deleteContent> = async ({ ctx, caller, input, tx }) => {
  requireOwner(caller);
  const job = await holdJob(tx, input.job_key, caller);
  if (!isEnded(stateAt(job, ctx.now))) throw notAllowed('The submitted content is needed until the review is closed.');
  clearContent(tx, [job.quote_key], ctx.now);
  return { body: await readEvidence(tx, ctx, job.job_key, caller) };
};

/** People decide about content, not agents; a wallet is its own customer. */
function requireOwner(caller: Buyer | Member): void {
  if (caller.kind === 'agent') throw outsideGrant('Only a member of the account can delete submitted content.');
}

/** Deletes what is past its time. Safe beside another run. */
export async function deleteExpired(runtime: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  await deleteUnpaidContent(runtime);
  await deletePaidContent(runtime);
  // Vacuum what was deleted since last time.
  await vacuum(runtime.db);
  const before = after(runtime.clock(), -answerDays * daySeconds);
  await forgetAnswers(runtime.db, before);
  await deleteUnpaidQuotes(runtime, before);
  await forgetWallets(runtime, before, hasTraces);
}

/**
 * Deletes quotes that nobody authorized, once no answer about them is replayed any more. No money can refer to them: a
 * payment needs a job, and jobs that were never paid stay. The audit stays, too.
 */
async function deleteUnpaidQuotes({ db }: Pick<Runtime, 'db'>, before: Date): Promise<void> {
  for (;;) {
    const gone = await db.many(sql`
      delete from quotes where quote_key = any(array(
        select quote_key from quotes where state <> 'authorized' and expires_at < ${before}
        limit ${batch} for update skip locked))
      returning 1`);
    if (gone.length < batch) return;
  }
}

/** Whether a wallet has quoted or bought, has credit, has paid for anybody, or sent money that waits to go back. */
const hasTraces = (wallet: string) => `
  exists (select from quotes q where q.principal_key = ${wallet})
  or exists (select from jobs j where j.principal_key = ${wallet})
  or exists (select from wallet_credits w where w.principal_key = ${wallet})
  or exists (select from x402_transfers x where x.payer = ${wallet})
  or exists (select from chain_transfers c where c.use = 'unmatched' and c.sender = ${wallet})`;

/** Deletes purchases' content after 30 days (specification 11.1). Digests, reports and receipts stay. */
async function deletePaidContent({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  const purchasedBefore = after(now, -seconds.retention);
  // Quotes are authorized while open, so their end dates the purchase.
  const endedBefore = after(purchasedBefore, seconds.quoteLifetime);
  await clearAll(db, now, (tx) =>
    tx.many(sql`
      select quote_key from quotes join jobs using (quote_key)
      where input is not null and quotes.state = 'authorized' and expires_at < ${endedBefore}
        and jobs.created_at < ${purchasedBefore}
      limit ${batch} for update of quotes skip locked`),
  );
}

/**
 * Deletes unpaid content that can no longer be paid for: of quotes within a minute after they expire (specification
 * 11.1), and of canceled jobs.
 */
export async function deleteUnpaidContent({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  await clearAll(db, now, (tx) =>
    tx.many(sql`
      select quote_key from quotes
      where input is not null and state <> 'authorized' and expires_at < ${after(now, -seconds.deadQuoteContent)}
      limit ${batch} for update skip locked`),
  );
  await clearAll(db, now, (tx) =>
    tx.many(sql`
      select quote_key from unpaid_content join jobs using (quote_key) join quotes using (quote_key)
      where jobs.state = 'canceled' and jobs.collected_at is null
      limit ${batch} for update of quotes skip locked`),
  );
}

const keptOf = (accounts: string) => `
  select quote_key from quotes left join jobs using (quote_key)
  where quotes.input is not null and quotes.account_key in (${accounts})
    and (jobs.job_key is null or jobs.state = any($1::text[]))
  limit ${batch} for update of quotes skip locked`;

/** Deletes what these accounts submitted, once no check or review needs it; `accounts` is SQL. */
export async function deleteContentOf({ db, clock }: Pick<Runtime, 'db' | 'clock'>, accounts: string): Promise<void> {
  const due = statement(keptOf(accounts), [jobStates.filter(isEnded)]);
  await clearAll(db, clock(), (tx) => tx.many(due));
}

/** Repeats until `findDue` finds nothing. */
async function clearAll(db: Database, now: Date, findDue: (tx: Tx) => Promise<{ quote_key: string }[]>): Promise<void> {
  for (;;) {
    const found = await transact(db, async (tx) => {
      const due = await findDue(tx);
      const keys = due.map(({ quote_key }) => quote_key);
      clearContent(tx, keys, now);
      return keys.length;
    });
    if (found < batch) return;
  }
}

/** Clears the work, request, criteria, evidence and dispute texts. */
function clearContent(tx: Tx, quoteKeys: string[], now: Date): void {
  if (quoteKeys.length === 0) return;
  tx.write(sql`
    update quotes set input = null, input_deleted_at = ${now}
    where quote_key = any(${quoteKeys}::text[]) and input is not null`);
  tx.write(sql`
    delete from dispute_texts using reviews join jobs using (job_key)
    where dispute_texts.review_key = reviews.review_key and quote_key = any(${quoteKeys}::text[])`);
}

/**
 * Updated rows stay in the table's file until VACUUM; autovacuum waits for more. That takes longer than the usual
 * statement time-out.
 */
async function vacuum(db: Database): Promise<void> {
  const client = await db.pool.connect();
  // A lost connection shows at its statement.
  client.on('error', () => {});
  try {
    // Not `set local`: VACUUM runs outside transactions.
    await client.query('set statement_timeout to 0');
    await client.query('vacuum quotes, dispute_texts');
  } finally {
    // Drop the connection: others rely on the time-out.
    client.release(true);
  }
}
