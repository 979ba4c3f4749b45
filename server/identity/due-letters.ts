import { railsSetUp } from '../availability/availability.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { DueLetter, LetterWriters } from '../mail/send-letter.ts';
import type { MemberRole } from '../operation/member-roles.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { hasAccount } from './confirmation.ts';
import {
  confirmationLetter,
  connectLetter,
  decisionLetter,
  hasAccountLetter,
  type IdentityLetter,
  invitationLetter,
  newBrowserLetter,
  newcomerLetter,
  operatorLinkLetter,
  type RegistrationFacts,
  signInLetter,
} from './letters.ts';
import { mayBegin, newcomerLink } from './newcomer.ts';
import type { RegistrationRow } from './registration-row.ts';
import { codeOf, linkOf } from './registration-secrets.ts';
import { letterLink } from './sign-in.ts';
import { silencedUntil } from './silence.ts';

/** Most members of an account, and accounts of a person, that letters go to or name. */
const readersMax = 50;

/** The letters of identity, by message. */
export const identityLetters: LetterWriters<IdentityLetter> = {
  registration: registrationLetters,
  sign_in: signInLetters,
  notice: decisionLetters,
  operator_link: operatorLinkLetters,
  new_browser: newBrowserLetters,
  invitation: invitationLetters,
};

/** A registration's letter, if any. The agent hears the same either way. */
async function registrationLetters(
  runtime: Runtime,
  { registration_key }: Extract<IdentityLetter, { kind: 'registration' }>,
): Promise<DueLetter[]> {
  const { baseUrl, keyring } = runtime.configuration;
  const now = runtime.clock();
  const row = await runtime.db.maybe<RegistrationRow>(sql`
    select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key
    from registrations
    where registration_key = ${registration_key} and state = 'pending_confirmation' and expires_at > ${now}`);
  if (!row) return [];
  const known = await hasAccount(runtime.db, row.email);
  const asked = askedIn(runtime, row);
  const letter = {
    kind: 'registration' as const,
    address: row.email,
    about: row.registration_key,
    origin: row.origin,
    asker: async (db: Queries, at: Date) => ({
      isReported: (await silencedUntil(db, row.email, row.origin, at)) !== null,
      isHonest: await wasThere(db, row.email, row.origin),
      isLockedOut: false,
    }),
  };
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

/** One letter with a link per account. Without an account there is none, unless a client sent the person here. */
async function signInLetters(
  runtime: Runtime,
  { request_key, email, next, origin }: Extract<IdentityLetter, { kind: 'sign_in' }>,
): Promise<DueLetter[]> {
  const { db, configuration, clock } = runtime;
  const accounts = await db.many<{ member_key: string; owner: string | null }>(sql`
    select m.member_key, (select o.email from members o where o.account_key = m.account_key and o.role = 'owner' and o.removed_at is null
      order by o.created_at limit 1) as owner
    from members m where m.email = ${email} and m.removed_at is null order by m.created_at limit ${readersMax}`);
  if (accounts.length === 0) {
    if (!mayBegin(next)) return [];
    const url = newcomerLink(configuration, email, next, clock());
    const words = () => newcomerLetter(url, `${configuration.baseUrl}/terms`);
    const asker = async (queries: Queries, at: Date) => ({
      isReported: (await silencedUntil(queries, email, origin, at)) !== null,
      isHonest: false,
      isLockedOut: false,
    });
    return [{ kind: 'sign_in', address: email, about: request_key, origin, words, asker }];
  }
  const words = async () => {
    const links = await Promise.all(
      accounts.map(async ({ member_key, owner }) => ({
        account: owner === email || !owner ? 'your account' : `the account of ${owner}`,
        url: await letterLink(runtime, member_key, next, clock()),
      })),
    );
    return signInLetter(links);
  };
  const asker = async (queries: Queries, at: Date) => ({
    isReported: false,
    isHonest: await wasThere(queries, email, origin),
    isLockedOut: !(await hasLink(queries, email, at)),
  });
  return [{ kind: 'sign_in', address: email, about: request_key, origin, words, asker }];
}

/** Every member hears what one decided about an agent. */
async function decisionLetters(
  runtime: Runtime,
  message: Extract<IdentityLetter, { kind: 'notice' }>,
): Promise<DueLetter[]> {
  const { db, configuration } = runtime;
  const row = await db.one<RegistrationRow>(sql`
    select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key
    from registrations where registration_key = ${message.registration_key}`);
  const members = await db.many<{ member_key: string; email: string }>(sql`
    select member_key, email from members where account_key = ${message.account_key} and removed_at is null order by created_at limit ${readersMax}`);
  const by = members.find(({ member_key }) => member_key === message.decided_by)?.email ?? 'A member';
  return members.map(({ email }) => ({
    kind: 'notice',
    address: email,
    about: row.registration_key,
    origin: null,
    words: () => decisionLetter(askedIn(runtime, row), row.state !== 'declined', by, `${configuration.baseUrl}/agents`),
  }));
}

/** Tells owners that an operator can sign in as a member, or let somebody do so. */
async function operatorLinkLetters(
  { db, configuration }: Runtime,
  { request_key, account_key, email }: Extract<IdentityLetter, { kind: 'operator_link' }>,
): Promise<DueLetter[]> {
  const owners = await db.many<{ email: string }>(sql`
    select email from members where account_key = ${account_key} and role = 'owner' and removed_at is null order by created_at limit ${readersMax}`);
  return owners.map((owner) => ({
    kind: 'notice',
    address: owner.email,
    about: request_key,
    origin: null,
    words: () => operatorLinkLetter(email, `${configuration.baseUrl}/account`),
  }));
}

/** Tells a member of a sign-in with a browser that is new to them, over or not. */
async function newBrowserLetters(
  { db, configuration }: Runtime,
  { session_key }: Extract<IdentityLetter, { kind: 'new_browser' }>,
): Promise<DueLetter[]> {
  const session = await db.maybe<{ email: string; browser: string | null; origin: string; created_at: Date }>(sql`
    select email, browser, origin, s.created_at from member_sessions s join members using (member_key)
    where session_key = ${session_key}`);
  if (!session) return [];
  const url = `${configuration.baseUrl}/sign-in/end?link=${linkOf(session_key, configuration.keyring.first)}`;
  return [
    {
      kind: 'important',
      address: session.email,
      about: `new_browser:${session_key}`,
      isRepeatable: true,
      origin: null,
      words: () => newBrowserLetter(session, url),
    },
  ];
}

/** To who is invited, while the invitation waits. */
async function invitationLetters(
  { db, configuration, clock }: Runtime,
  { invitation_key }: Extract<IdentityLetter, { kind: 'invitation' }>,
): Promise<DueLetter[]> {
  const row = await db.maybe<{ email: string; role: MemberRole; inviter: string; expires_at: Date }>(sql`
    select i.email, i.role, m.email as inviter, i.expires_at
    from invitations i join members m on m.member_key = i.invited_by
    where invitation_key = ${invitation_key} and accepted_at is null and withdrawn_at is null
      and i.expires_at > ${clock()}`);
  if (!row) return [];
  const url = `${configuration.baseUrl}/invitation?link=${linkOf(invitation_key, configuration.keyring.first)}`;
  return [
    {
      kind: 'notice',
      address: row.email,
      about: invitation_key,
      origin: null,
      words: () => invitationLetter(row, url),
    },
  ];
}

/** Whether a member with this address signed in, or confirmed an agent, from there. */
async function wasThere(db: Queries, email: string, origin: string): Promise<boolean> {
  const { was_there } = await db.one<{ was_there: boolean }>(sql`
    select exists (select from member_sessions s join members m using (member_key)
        where m.email = ${email} and s.origin = ${origin})
      or exists (select from registrations r
        where r.email = ${email} and r.origin = ${origin} and r.state in ('confirmed', 'released')) as was_there`);
  return was_there;
}

/** Whether this person has a working link by letter. */
async function hasLink(db: Queries, email: string, now: Date): Promise<boolean> {
  const { has_link } = await db.one<{ has_link: boolean }>(sql`
    select exists (select from sign_in_links l join members m using (member_key)
      where m.email = ${email} and l.made_by = 'letter' and l.used_at is null and l.expires_at > ${now}) as has_link`);
  return has_link;
}
