import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { log } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import type { LetterMessage } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { letterOf, type Words } from './letter.ts';

const hourSeconds = 3_600;
/**
 * More letters of a kind than this are not sent to an address within an hour: asked for from one block of addresses, and
 * from all that its reader has never been at.
 */
const lettersAnHour = {
  registration: { fromOne: 3, fromAll: 12 },
  sign_in: { fromOne: 5, fromAll: 20 },
  notice: { fromOne: 20, fromAll: 20 },
} as const;

/** A letter that is due: to whom and about what. */
export interface DueLetter {
  kind: keyof typeof lettersAnHour;
  address: string;
  about: string;
  /** The block of addresses that it was asked for from; null when the service itself has cause to write. */
  origin: string | null;
  /** How it reads. Asked once it is certain that the letter goes out. */
  words: () => Words | Promise<Words>;
  /** What is known about who asks. Without it a stranger does, and the bounds are those of strangers. */
  asker?: (db: Queries, now: Date) => Promise<Asker>;
  /** What the database must know before anybody can read the letter. */
  beforehand?: (tx: Tx) => void;
}

/** What a room knows about who asks for a letter. */
export interface Asker {
  /** The reader wants no such letters from there. */
  isReported: boolean;
  /** The reader was there: what strangers ask for elsewhere does not count. */
  isHonest: boolean;
  /** The reader has no way in without this letter: no bound keeps it back. */
  isLockedOut: boolean;
}

const stranger: Asker = { isReported: false, isHonest: false, isLockedOut: false };

/** Who writes the letters that each message of a room asks for. A message without its writer does not compile. */
export type LetterWriters<Message extends LetterMessage> = {
  readonly [Kind in Message['kind']]: (
    runtime: Runtime,
    message: Extract<Message, { kind: Kind }>,
  ) => Promise<DueLetter[]>;
};

/**
 * Writes the letters that a message of the queue asks for, by the writers of all rooms. Decided, then sent, then noted: a
 * crash in between sends the same letter again. Rejects when the mail server does not take one, or when no room knows the
 * message (a newer process sent it), so that the queue tries again.
 */
export async function sendLetter(
  runtime: Runtime,
  writers: Readonly<Record<string, (runtime: Runtime, message: never) => Promise<DueLetter[]>>>,
  message: LetterMessage,
): Promise<void> {
  const { mailer } = runtime;
  if (!mailer) return;
  const write = writers[message.kind];
  if (!write) throw new Error(`no room writes the letters of ${message.kind}`);
  for (const due of await write(runtime, message as never)) {
    const letterKey = await letOut(runtime, due);
    if (!letterKey) continue;
    await mailer.send(due.address, letterOf(await due.words()));
    await runtime.db.many(sql`update letters set sent_at = ${runtime.clock()} where letter_key = ${letterKey}`);
  }
}

/** Forgets the letters from before then, with the addresses that they went to. */
export async function forgetLetters(db: Queries, before: Date): Promise<void> {
  await db.many(sql`delete from letters where created_at < ${before}`);
}

/** The letter's key when it may go out; null when it has gone out before, or would be one too many. */
async function letOut(runtime: Runtime, due: DueLetter): Promise<string | null> {
  const { kind, address, about, origin, asker, beforehand } = due;
  const now = runtime.clock();
  return transact(runtime.db, async (tx) => {
    await tx.one(sql`select pg_advisory_xact_lock(hashtextextended(${`letters to ${address}`}, 0))`);
    const earlier = await tx.maybe<{ letter_key: string; sent_at: Date | null }>(sql`
      select letter_key, sent_at from letters where kind = ${kind} and about = ${about} and address = ${address}`);
    if (earlier) return earlier.sent_at ? null : earlier.letter_key;
    const known = asker ? await asker(tx, now) : stranger;
    if (known.isReported || (await isOneTooMany(tx, due, known, now))) {
      log('letter_held_back', { kind, about, reason: known.isReported ? 'reported' : 'too_many' });
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
 * Whether the hour has had its letters. Strangers can use up what strangers have, and no more: a place that the reader
 * was at has letters of its own. And whoever is locked out gets one whatever happened before, so that requests of others
 * lock nobody out.
 */
async function isOneTooMany(
  tx: Tx,
  { kind, address, origin }: Pick<DueLetter, 'kind' | 'address' | 'origin'>,
  { isHonest, isLockedOut }: Asker,
  now: Date,
): Promise<boolean> {
  if (isLockedOut) return false;
  const { from_one, from_all } = await tx.one<{ from_one: bigint; from_all: bigint }>(sql`
    select count(*) filter (where origin is not distinct from ${origin}) as from_one, count(*) as from_all
    from letters where address = ${address} and kind = ${kind} and created_at > ${after(now, -hourSeconds)}`);
  const { fromOne, fromAll } = lettersAnHour[kind];
  return from_one >= BigInt(fromOne) || (!isHonest && from_all >= BigInt(fromAll));
}
