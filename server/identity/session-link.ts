import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import type { Runtime } from '../runtime.ts';
import { recordEvent } from './account-event.ts';
import { keyOfLink } from './registration-secrets.ts';

/** A sign-in as the letter about a new browser tells it. */
export interface ToldSession {
  email: string;
  origin: string;
  browser: string | null;
  createdAt: Date;
  /** Ended, or over by itself. */
  isOver: boolean;
}

type Needed = Pick<Runtime, 'db' | 'configuration'>;

/** The sign-in of the letter's link; null for a link that is not ours, or is older than what is kept. Changes nothing. */
export async function sessionOfLink(
  { db, configuration }: Needed,
  link: string,
  now: Date,
): Promise<ToldSession | null> {
  const key = keyOfLink(link, configuration.keyring);
  const row = await db.maybe<{
    email: string;
    origin: string;
    browser: string | null;
    created_at: Date;
    is_over: boolean;
  }>(sql`
    select email, origin, browser, s.created_at, ended_at is not null or expires_at <= ${now} as is_over
    from member_sessions s join members using (member_key) where session_key = ${key}`);
  return row ? { ...row, createdAt: row.created_at, isOver: row.is_over } : null;
}

/**
 * Ends that sign-in, whoever asks: the link came to the member's own mailbox, and all it does is to end what may be a
 * stranger's. Repeats, and links that are not ours, change nothing.
 */
export async function endSessionOfLink({ db, configuration }: Needed, link: string, now: Date): Promise<void> {
  const key = keyOfLink(link, configuration.keyring);
  await transact(db, async (tx) => {
    const ended = await tx.maybe<{ account_key: string; member_key: string }>(sql`
      update member_sessions s set ended_at = ${now} from members m
      where s.session_key = ${key} and m.member_key = s.member_key and ended_at is null and expires_at > ${now}
      returning m.account_key, m.member_key`);
    if (!ended) return;
    recordEvent(tx, {
      accountKey: ended.account_key,
      principalKey: null,
      actor: ended.member_key,
      action: 'sign_ins_ended',
      detail: { count: 1, sessions: [key], by: 'letter' },
      at: now,
    });
  });
}
