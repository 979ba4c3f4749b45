import { after } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { forgetLetters } from '../mail/send-letter.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';

/**
 * Deletes, after 30 days, what came to nothing: unconfirmed registrations with their addresses, letters, and ended
 * links, challenges and sessions. Safe beside another run.
 */
export async function forgetStrangers({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const before = after(clock(), -seconds.retention);
  await db.many(sql`delete from registrations where account_key is null and expires_at < ${before}`);
  await forgetLetters(db, before);
  await db.many(sql`delete from sign_in_links where expires_at < ${before}`);
  await db.many(sql`delete from member_sessions where expires_at < ${before}`);
  await db.many(sql`delete from wallet_challenges where expires_at < ${before}`);
  await db.many(sql`delete from credentials where kind = 'wallet' and expires_at < ${before}`);
}
