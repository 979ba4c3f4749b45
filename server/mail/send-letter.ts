import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { errorFields, log } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import type { LetterMessage } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { letterOf, type Words } from './letter.ts';

const hourSeconds = 3_600;
/** Letters per kind, address and hour: from one block of addresses, and from all blocks that the reader never used. */
const lettersAnHour = {
  registration: { fromOne: 3, fromAll: 12 },
  sign_in: { fromOne: 5, fromAll: 20 },
  notice: { fromOne: 20, fromAll: 20 },
  /** What can wait is told once a day when it is more. */
  purchase: { fromOne: 10, fromAll: 10 },
  digest: { fromOne: 1, fromAll: 1 },
  /** Money and safety: nothing holds these back. */
  important: { fromOne: Number.MAX_SAFE_INTEGER, fromAll: Number.MAX_SAFE_INTEGER },
} as const;
/** Letters per repeatable act, address and hour: by then the reader is warned, and more delay everybody's. */
const alikeAnHour = 30;

/** A letter that is due. */
export interface DueLetter {
  kind: keyof typeof lettersAnHour;
  address: string;
  about: string;
  /** An act that an account's people can repeat at no cost, such as a raised limit; `about` begins with it. */
  isRepeatable?: boolean;
  /** The block of addresses that asked; null when the service itself does. */
  origin: string | null;
  /** Renders it, once it is certain to go out. */
  words: () => Words | Promise<Words>;
  /** What is known about who asks; without it, a stranger. */
  asker?: (db: Queries, now: Date) => Promise<Asker>;
  /** Rows to write before anybody can read the letter. */
  beforehand?: (tx: Tx) => void;
  /** Rows to write instead when it would be one too many. */
  heldBack?: (tx: Tx) => void;
}

/** What a room knows about who asks. */
export interface Asker {
  /** The reader silenced this origin. */
  isReported: boolean;
  /** The reader used this place: strangers' letters do not count against it. */
  isHonest: boolean;
  /** The reader cannot get in without it: no limit applies. */
  isLockedOut: boolean;
}

const stranger: Asker = { isReported: false, isHonest: false, isLockedOut: false };

/** The writer of each message. A message without one does not compile. */
export type LetterWriters<Message extends LetterMessage> = {
  readonly [Kind in Message['kind']]: (
    runtime: Runtime,
    message: Extract<Message, { kind: Kind }>,
  ) => Promise<DueLetter[]>;
};

/**
 * Writes the letters of a queued message. Decide, send, note: a crash in between sends the same letter again. Rejects,
 * so that the queue retries, when the mail server refuses, when none is set, or when no room knows the message (a newer
 * process sent it).
 */
export async function sendLetter(
  runtime: Runtime,
  writers: Readonly<Record<string, (runtime: Runtime, message: never) => Promise<DueLetter[]>>>,
  message: LetterMessage,
): Promise<void> {
  const { mailer } = runtime;
  const write = writers[message.kind];
  if (!write) throw new Error(`no room writes the letters of ${message.kind}`);
  for (const due of await write(runtime, message as never)) {
    const letterKey = await letOut(runtime, due);
    if (!letterKey) continue;
    // A setting that got lost must not lose letters: they wait with the dead ones.
    if (!mailer) throw new Error('no letter can be sent: SMTP_URL is not set');
    await mailer.send(due.address, letterOf(await due.words())).catch((error) => {
      log('letter_not_sent', { kind: due.kind, letter_key: letterKey, ...errorFields(error) });
      throw error;
    });
    await runtime.db.many(sql`update letters set sent_at = ${runtime.clock()} where letter_key = ${letterKey}`);
  }
}

/** Has a letter count as not sent, for whoever queues its message again. */
export function toBeSentAgain(tx: Tx, letterKey: string): void {
  tx.write(sql`update letters set sent_at = null where letter_key = ${letterKey}`);
}

/** Deletes the record of old letters, with their addresses. */
export async function forgetLetters(db: Queries, before: Date): Promise<void> {
  await db.many(sql`delete from letters where created_at < ${before}`);
}

/** Records a new letter and returns its key; null when it went out before or would exceed the limit. */
async function letOut(runtime: Runtime, due: DueLetter): Promise<string | null> {
  const { kind, address, about, origin, asker, beforehand, heldBack } = due;
  const now = runtime.clock();
  return transact(runtime.db, async (tx) => {
    await tx.one(sql`select pg_advisory_xact_lock(hashtextextended(${`letters to ${address}`}, 0))`);
    const earlier = await tx.maybe<{ letter_key: string; sent_at: Date | null }>(sql`
      select letter_key, sent_at from letters where kind = ${kind} and about = ${about} and address = ${address}`);
    if (earlier) return earlier.sent_at ? null : earlier.letter_key;
    const known = asker ? await asker(tx, now) : stranger;
    if (known.isReported || (await isOneTooMany(tx, due, known, now))) {
      log('letter_held_back', { kind, about, reason: known.isReported ? 'reported' : 'too_many' });
      heldBack?.(tx);
      return null;
    }
    const letterKey = newKey('letter');
    tx.write(sql`
      insert into letters (letter_key, kind, address, about, created_at, origin)
      values (${letterKey}, ${kind}, ${address}, ${about}, ${now}, ${origin})`);
    beforehand?.(tx);
    return letterKey;
  });
}

/**
 * Whether the hourly limit is reached. Strangers use up only their own share: places that the reader used have another.
 * A locked-out reader always gets the letter, so that strangers cannot lock anybody out.
 */
async function isOneTooMany(
  tx: Tx,
  { kind, address, about, origin, isRepeatable }: DueLetter,
  { isHonest, isLockedOut }: Asker,
  now: Date,
): Promise<boolean> {
  if (isLockedOut) return false;
  const { from_one, from_all, alike } = await tx.one<{ from_one: bigint; from_all: bigint; alike: bigint }>(sql`
    select count(*) filter (where origin is not distinct from ${origin}) as from_one, count(*) as from_all,
      count(*) filter (where split_part(about, ':', 1) = split_part(${about}, ':', 1)) as alike
    from letters where address = ${address} and kind = ${kind} and created_at > ${after(now, -hourSeconds)}`);
  const { fromOne, fromAll } = lettersAnHour[kind];
  if (isRepeatable && alike >= BigInt(alikeAnHour)) return true;
  return from_one >= BigInt(fromOne) || (!isHonest && from_all >= BigInt(fromAll));
}
