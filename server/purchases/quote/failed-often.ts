import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { Problem } from '../../problems/problem.ts';

/**
 * Checks of an account that may end in a day without a report and through no act of its buyer. Each costs us what a
 * model or a card provider keeps, and the money is there for the next at once: without a bound a work that no model can
 * read would be paid for with one credit for ever (specification 4.9). Whoever accepts as many in that day pays for them.
 */
const failuresMax = 10;
const daySeconds = 86_400;
const againSeconds = 3_600;

/** The refusal of a further purchase of an account whose checks failed too often within a day; null otherwise. */
export async function failedOftenRefusal(db: Queries, accountKey: string, now: Date): Promise<Problem | null> {
  const since = after(now, -daySeconds);
  const { failed } = await db.one<{ failed: number }>(sql`
    select count(*)::int as failed from jobs
    where account_key = ${accountKey} and state = 'failed' and finalized_at > ${since}
      and collected_at is not null and ended_by is null`);
  if (failed < failuresMax) return null;
  const { accepted } = await db.one<{ accepted: number }>(sql`
    select count(*)::int as accepted from jobs
    where account_key = ${accountKey} and state = 'accepted' and created_at > ${since}`);
  if (accepted >= failed) return null;
  return new Problem(
    'rate_limited',
    `${failed} checks of this account ended without a report within a day, and nothing was charged for them. Buy again a day after the first of them, and change what could not be read.`,
    { headers: { 'Retry-After': String(againSeconds) } },
  );
}
