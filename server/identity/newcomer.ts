import { requireRegistrations } from '../availability/availability.ts';
import type { Configuration } from '../configuration.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { seal, unseal } from '../kernel/seal.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { hasAccount, openAccount } from './confirmation.ts';
import { type LinkState, openSession, type SignedIn, type SignInPlace } from './sign-in.ts';

/**
 * A person whom an OAuth client sends here, and who has no account yet, opens one by the link of a letter. The link
 * states what it is for, sealed: nothing is stored for whoever never comes back. It works until the address has an
 * account, which is once.
 */
interface Newcomer {
  email: string;
  next: string;
  expiresAt: Date;
}

const prefix = 'new-';
const place = { column: 'sign_in_links.newcomer', row: 'the link itself' };

/** Whether a sign-in that leads here may begin with an account. */
export const mayBegin = (next: string): boolean => /^\/oauth\/(?:authorize|consent)(?:[/?]|$)/.test(next);

/** The address of the link, for the letter. */
export function newcomerLink(
  { baseUrl, keyring }: Pick<Configuration, 'baseUrl' | 'keyring'>,
  email: string,
  next: string,
  now: Date,
): string {
  const expiresAt = after(now, seconds.signInLink).toISOString();
  return `${baseUrl}/sign-in?link=${prefix}${seal(JSON.stringify({ email, next, expiresAt }), keyring, place)}`;
}

/** Whether a link is of this kind, working or not. */
export const isNewcomers = (token: string): boolean => token.startsWith(prefix);

function opened(token: string, keyring: Keyring): Newcomer | null {
  try {
    const { email, next, expiresAt } = JSON.parse(unseal(token.slice(prefix.length), keyring, place));
    return { email, next, expiresAt: new Date(expiresAt) };
  } catch {
    return null;
  }
}

/** What the link's page shows before its button is pressed. Changes nothing. */
export async function readNewcomerLink(
  db: Queries,
  { keyring }: Pick<Configuration, 'keyring'>,
  token: string,
  now: Date,
): Promise<{ state: LinkState; email: string | null; expiresAt: Date | null }> {
  const newcomer = opened(token, keyring);
  if (!newcomer) return { state: 'unknown', email: null, expiresAt: null };
  const { email, expiresAt } = newcomer;
  const isUsed = await hasAccount(db, email);
  return { state: isUsed ? 'used' : expiresAt <= now ? 'expired' : 'good', email, expiresAt };
}

/** Opens the account with its owner, and a session. Null when the link does not work, or nobody may register now. */
export async function spendNewcomerLink(
  runtime: Runtime,
  token: string,
  now: Date,
  from: SignInPlace,
): Promise<SignedIn | null> {
  const newcomer = opened(token, runtime.configuration.keyring);
  if (!newcomer || newcomer.expiresAt <= now) return null;
  const { email, next } = newcomer;
  return transact(runtime.db, async (tx) => {
    if (!(await isOpen(tx, runtime, now))) return null;
    const account = await openAccount(tx, email, now);
    if (!account) return null;
    return openSession(tx, runtime, { memberKey: account.memberKey, email, next }, { ...from, now });
  });
}

async function isOpen(tx: Tx, runtime: Runtime, now: Date): Promise<boolean> {
  try {
    await requireRegistrations(tx, runtime, now);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
