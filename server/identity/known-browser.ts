import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Queries } from '../kernel/database.ts';
import type { Keyring, SecretKey } from '../kernel/keyring.ts';
import { sql } from '../kernel/sql.ts';
import { seconds } from '../service/terms.ts';

/**
 * A browser keeps a mark for each member who signed in there, which only we can make. It names their last session and
 * signs nobody in: it says that a sign-in there is nothing new.
 */

/** How long a browser is known after its last sign-in. */
export const knownBrowserSeconds = 365 * 86_400;
/** Most members that a browser is known of. */
const marksMax = 5;
const between = '~';

/** The marks of a browser with that of a new session, which replaces the member's last one. */
export function marksWith(
  marks: string | null,
  { memberKey, sessionKey }: { memberKey: string; sessionKey: string },
  keyring: Keyring,
): string {
  const others = listed(marks).filter((mark) => !isOf(mark, memberKey, keyring));
  return [markOf(memberKey, sessionKey, keyring.first), ...others].slice(0, marksMax).join(between);
}

/**
 * Whether a member signs in with a browser that is new to them. Their first sign-in is none: everything is new then. A
 * browser whose sign-in they ended is new again.
 */
export async function isNewBrowser(
  db: Queries,
  { marks, memberKey }: { marks: string | null; memberKey: string },
  keyring: Keyring,
  now: Date,
): Promise<boolean> {
  const mark = listed(marks).find((one) => isOf(one, memberKey, keyring));
  const ended = { sessions: mark === undefined ? [] : [sessionIn(mark)] };
  const { was_ended, is_first } = await db.one<{ was_ended: boolean; is_first: boolean }>(sql`
    select not exists (select from member_sessions s where s.member_key = m.member_key)
        and created_at > ${new Date(now.getTime() - seconds.retention * 1_000)} as is_first,
      exists (select from account_events e where e.account_key = m.account_key and e.actor = m.member_key
        and e.action = 'sign_ins_ended' and e.detail @> ${JSON.stringify(ended)}::jsonb) as was_ended
    from members m where member_key = ${memberKey}`);
  return mark === undefined ? !is_first : was_ended;
}

const listed = (marks: string | null): string[] => marks?.split(between) ?? [];

const sessionIn = (mark: string): string => mark.split('.', 1)[0] ?? '';

function isOf(mark: string, memberKey: string, { all }: Keyring): boolean {
  return all.some((key) => {
    const [one, other] = [Buffer.from(mark), Buffer.from(markOf(memberKey, sessionIn(mark), key))];
    return one.length === other.length && timingSafeEqual(one, other);
  });
}

function markOf(memberKey: string, sessionKey: string, { codes }: SecretKey): string {
  const mac = createHmac('sha256', codes).update(`known browser:${memberKey}:${sessionKey}`).digest('base64url');
  return `${sessionKey}.${mac}`;
}
