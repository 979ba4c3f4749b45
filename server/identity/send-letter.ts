import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { log } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { letterOf, type Words } from '../mail/letter.ts';
import type { LetterMessage } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { railsSetUp } from '../service/availability.ts';
import { seconds } from '../service/terms.ts';
import { hasAccount } from './confirmation.ts';
import {
  confirmationLetter,
  connectLetter,
  decisionLetter,
  hasAccountLetter,
  operatorLinkLetter,
  type RegistrationFacts,
  signInLetter,
} from './letters.ts';
import type { RegistrationRow } from './registration.ts';
import { codeOf, linkOf } from './registration-secrets.ts';
import { letterLink } from './sign-in.ts';
import { isSilenced } from './silence.ts';

const hourSeconds = 3_600;
/**
 * More letters of a kind than this are not sent to an address within an hour (interface.md 3): asked for from one block
 * of addresses, and from all that no member has signed in from.
 */
const lettersAnHour = {
  registration: { fromOne: 3, fromAll: 12 },
  sign_in: { fromOne: 5, fromAll: 20 },
  notice: { fromOne: 20, fromAll: 20 },
} as const;
/** People of one account, and accounts of one person, that are written to and about. */
const readersMax = 50;

/** A letter that is due: to whom and about what. */
interface Due {
  kind: keyof typeof lettersAnHour;
  address: string;
  about: string;
  /** The block of addresses that it was asked for from; null when the service itself has cause to write. */
  origin: string | null;
  /** How it reads. Asked once it is certain that the letter goes out. */
  words: () => Words | Promise<Words>;
  /** What the database must know before anybody can read the letter. */
  beforehand?: (tx: Tx) => void;
}

/**
 * Writes the letters that a message of the queue asks for. Decided, then sent, then noted: a crash in between sends the
 * same letter again. Rejects when the mail server does not take one, so that the queue tries again.
 */
export async function sendLetter(runtime: Runtime, message: LetterMessage): Promise<void> {
  const { mailer } = runtime;
  if (!mailer) return;
  for (const due of await lettersDue(runtime, message)) {
    const letterKey = await letOut(runtime, due);
    if (!letterKey) continue;
    await mailer.send(due.address, letterOf(await due.words()));
    await runtime.db.many(sql`update letters set sent_at = ${runtime.clock()} where letter_key = ${letterKey}`);
  }
}

function lettersDue(runtime: Runtime, message: LetterMessage): Promise<Due[]> {
  switch (message.kind) {
    case 'registration':
      return registrationLetters(runtime, message.registration_key);
    case 'sign_in':
      return signInLetters(runtime, message);
    case 'notice':
      return decisionLetters(runtime, message);
    case 'operator_link':
      return operatorLinkLetters(runtime, message);
  }
}

/** The letter that a registration calls for. None when it calls for none: the agent hears the same either way. */
async function registrationLetters(runtime: Runtime, registrationKey: string): Promise<Due[]> {
  const { baseUrl, keyring } = runtime.configuration;
  const now = runtime.clock();
  const row = await runtime.db.maybe<RegistrationRow>(sql`
    select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key
    from registrations
    where registration_key = ${registrationKey} and state = 'pending_confirmation' and expires_at > ${now}`);
  if (!row) return [];
  const known = await hasAccount(runtime.db, row.email);
  const asked = askedIn(runtime, row);
  const letter = { kind: 'registration' as const, address: row.email, about: row.registration_key, origin: row.origin };
  if (row.mode === 'link_existing') {
    return known ? [{ ...letter, words: () => connectLetter(asked, `${baseUrl}/connect`) }] : [];
  }
  if (known) return [{ ...letter, words: () => hasAccountLetter(asked, `${baseUrl}/connect`) }];
  const key = keyring.byId(row.key_id);
  const confirm = {
    url: `${baseUrl}/confirm?link=${linkOf(row.registration_key, key)}`,
    code: codeOf(row.registration_key, key),
    codeUntil: after(row.created_at, seconds.registrationCode),
    termsUrl: `${baseUrl}/terms`,
  };
  return [
    {
      ...letter,
      words: () => confirmationLetter(asked, confirm),
      beforehand: (tx) =>
        tx.write(sql`
          update registrations set code_mailed_at = ${now} where registration_key = ${row.registration_key}`),
    },
  ];
}

function askedIn(runtime: Runtime, row: RegistrationRow): RegistrationFacts {
  return {
    rails: railsSetUp(runtime),
    agentName: row.agent_name,
    agentSoftware: row.agent_software,
    grant: row.requested_grant,
    termsVersion: row.terms_version,
    origin: row.origin,
    at: row.created_at,
    until: row.expires_at,
  };
}

/** One letter with a link for each account that the address belongs to; none when it belongs to none. */
async function signInLetters(
  runtime: Runtime,
  { request_key, email, next, origin }: Extract<LetterMessage, { kind: 'sign_in' }>,
): Promise<Due[]> {
  const { db, configuration, clock } = runtime;
  const accounts = await db.many<{ member_key: string; owner: string | null }>(sql`
    select m.member_key, (select o.email from members o where o.account_key = m.account_key and o.role = 'owner') as owner
    from members m where m.email = ${email} order by m.created_at limit ${readersMax}`);
  if (accounts.length === 0) return [];
  const words = async () => {
    const links = await Promise.all(
      accounts.map(async ({ member_key, owner }) => ({
        account: owner === email || !owner ? 'your account' : `the account of ${owner}`,
        url: await letterLink(db, configuration, member_key, next, clock()),
      })),
    );
    return signInLetter(links);
  };
  return [{ kind: 'sign_in', address: email, about: request_key, origin, words }];
}

/** Every member hears what one of them has decided about an agent. */
async function decisionLetters(runtime: Runtime, message: Extract<LetterMessage, { kind: 'notice' }>): Promise<Due[]> {
  const { db, configuration } = runtime;
  const row = await db.one<RegistrationRow>(sql`
    select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key
    from registrations where registration_key = ${message.registration_key}`);
  const members = await db.many<{ member_key: string; email: string }>(sql`
    select member_key, email from members where account_key = ${message.account_key} order by created_at limit ${readersMax}`);
  const by = members.find(({ member_key }) => member_key === message.decided_by)?.email ?? 'A member';
  return members.map(({ email }) => ({
    kind: 'notice',
    address: email,
    about: row.registration_key,
    origin: null,
    words: () => decisionLetter(askedIn(runtime, row), row.state !== 'declined', by, `${configuration.baseUrl}/agents`),
  }));
}

/** The owners of an account hear that an operator can sign in as one of its members, or let somebody. */
async function operatorLinkLetters(
  { db, configuration }: Runtime,
  { request_key, account_key, email }: Extract<LetterMessage, { kind: 'operator_link' }>,
): Promise<Due[]> {
  const owners = await db.many<{ email: string }>(sql`
    select email from members where account_key = ${account_key} and role = 'owner' order by created_at limit ${readersMax}`);
  return owners.map((owner) => ({
    kind: 'notice',
    address: owner.email,
    about: request_key,
    origin: null,
    words: () => operatorLinkLetter(email, `${configuration.baseUrl}/account`),
  }));
}

/** The letter's key when it may go out; null when it has gone out before, or would be one too many. */
async function letOut(runtime: Runtime, { kind, address, about, origin, beforehand }: Due): Promise<string | null> {
  const now = runtime.clock();
  return transact(runtime.db, async (tx) => {
    await tx.one(sql`select pg_advisory_xact_lock(hashtextextended(${`letters to ${address}`}, 0))`);
    const earlier = await tx.maybe<{ letter_key: string; sent_at: Date | null }>(sql`
      select letter_key, sent_at from letters where kind = ${kind} and about = ${about} and address = ${address}`);
    if (earlier) return earlier.sent_at ? null : earlier.letter_key;
    const reported = kind === 'registration' && origin !== null && (await isSilenced(tx, address, origin, now));
    if (reported || (await isOneTooMany(tx, { kind, address, origin }, now))) {
      log('letter_held_back', { kind, about, reason: reported ? 'reported' : 'too_many' });
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
 * Whether the hour has had its letters. Strangers can use up what strangers have, and no more: a place that a member has
 * signed in from, or confirmed an agent of, has letters of its own. And whoever has no link that works gets one whatever
 * happened before, so that nobody is locked out by requests of others.
 */
async function isOneTooMany(tx: Tx, { kind, address, origin }: Pick<Due, 'kind' | 'address' | 'origin'>, now: Date) {
  const { from_one, from_all, is_honest, has_link } = await tx.one<{
    from_one: bigint;
    from_all: bigint;
    is_honest: boolean;
    has_link: boolean;
  }>(sql`
    select count(*) filter (where letters.origin is not distinct from ${origin}) as from_one, count(*) as from_all,
      exists (select from member_sessions s join members m using (member_key)
          where m.email = ${address} and s.origin = ${origin})
        or exists (select from registrations r
          where r.email = ${address} and r.origin = ${origin} and r.state in ('confirmed', 'released')) as is_honest,
      exists (select from sign_in_links l join members m using (member_key)
        where m.email = ${address} and l.made_by = 'letter' and l.used_at is null and l.expires_at > ${now}) as has_link
    from letters
    where letters.address = ${address} and letters.kind = ${kind} and letters.created_at > ${after(now, -hourSeconds)}`);
  const { fromOne, fromAll } = lettersAnHour[kind];
  if (kind === 'sign_in' && !has_link) return false;
  return from_one >= BigInt(fromOne) || (!is_honest && from_all >= BigInt(fromAll));
}
