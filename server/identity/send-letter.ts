import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { log } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { letterOf, type Words } from '../mail/letter.ts';
import type { LetterMessage } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { hasAccount } from './confirmation.ts';
import {
  confirmationLetter,
  connectLetter,
  decisionLetter,
  hasAccountLetter,
  type RegistrationFacts,
  signInLetter,
} from './letters.ts';
import type { RegistrationRow } from './registration.ts';
import { codeOf, linkOf } from './registration-secrets.ts';
import { makeSignInLink } from './sign-in.ts';

const hourSeconds = 3_600;
/** "This was not me" keeps letters away from where the request came from for so long. */
const reportedForSeconds = 30 * 24 * hourSeconds;
/** More letters of a kind than this are not sent to an address within an hour (interface.md 3). */
const lettersAnHour = { registration: 3, sign_in: 5, notice: 20 } as const;
/** People of one account, and accounts of one person, that are written to and about. */
const readersMax = 50;

/** A letter that is due: to whom and about what. */
interface Due {
  kind: LetterMessage['kind'];
  address: string;
  about: string;
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
  const asked = askedIn(row);
  const letter = { kind: 'registration' as const, address: row.email, about: row.registration_key };
  if (row.mode === 'link_existing') {
    return known ? [{ ...letter, words: () => connectLetter(asked, `${baseUrl}/connect`) }] : [];
  }
  if (known) return [{ ...letter, words: () => hasAccountLetter(asked, `${baseUrl}/connect`) }];
  const key = keyring.byId(row.key_id);
  const confirm = {
    url: `${baseUrl}/confirm?link=${linkOf(row.registration_key, key)}`,
    code: codeOf(row.registration_key, key),
    codeUntil: after(row.created_at, seconds.registrationCode),
    termsUrl: `${baseUrl}/docs#terms`,
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

function askedIn(row: RegistrationRow): RegistrationFacts {
  return {
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
  { request_key, email, next }: Extract<LetterMessage, { kind: 'sign_in' }>,
): Promise<Due[]> {
  const { db, configuration, clock } = runtime;
  const accounts = await db.many<{ account_key: string; owner: string | null }>(sql`
    select m.account_key, (select o.email from members o where o.account_key = m.account_key and o.role = 'owner') as owner
    from members m where m.email = ${email} order by m.created_at limit ${readersMax}`);
  if (accounts.length === 0) return [];
  const words = async () => {
    const links = await Promise.all(
      accounts.map(async ({ account_key, owner }) => ({
        account: owner === email || !owner ? 'your account' : `the account of ${owner}`,
        url: `${await makeSignInLink(db, configuration.baseUrl, { accountKey: account_key, email }, clock())}&next=${next}`,
      })),
    );
    return signInLetter(links);
  };
  return [{ kind: 'sign_in', address: email, about: request_key, words }];
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
    words: () => decisionLetter(askedIn(row), row.state !== 'declined', by, `${configuration.baseUrl}/agents`),
  }));
}

/** The letter's key when it may go out; null when it has gone out before, or would be one too many. */
async function letOut(runtime: Runtime, { kind, address, about, beforehand }: Due): Promise<string | null> {
  const now = runtime.clock();
  return transact(runtime.db, async (tx) => {
    await tx.one(sql`select pg_advisory_xact_lock(hashtextextended(${`letters to ${address}`}, 0))`);
    const earlier = await tx.maybe<{ letter_key: string; sent_at: Date | null }>(sql`
      select letter_key, sent_at from letters where kind = ${kind} and about = ${about} and address = ${address}`);
    if (earlier) return earlier.sent_at ? null : earlier.letter_key;
    const { sent, reported } = await tx.one<{ sent: bigint; reported: boolean }>(sql`
      select (select count(*) from letters
          where address = ${address} and kind = ${kind} and created_at > ${after(now, -hourSeconds)}) as sent,
        exists (select from registrations asked join registrations declined using (email, origin)
          where asked.registration_key = ${about} and asked.state = 'pending_confirmation'
            and declined.state = 'declined' and declined.decided_at > ${after(now, -reportedForSeconds)}) as reported`);
    if (reported || sent >= BigInt(lettersAnHour[kind])) {
      log('letter_held_back', { kind, about, reason: reported ? 'reported' : 'too_many' });
      return null;
    }
    const letterKey = newKey('letter');
    tx.write(sql`
      insert into letters (letter_key, kind, address, about, created_at)
      values (${letterKey}, ${kind}, ${address}, ${about}, ${now})`);
    beforehand?.(tx);
    return letterKey;
  });
}
