import { decode, encode } from 'next-auth/jwt';
import type { Configuration } from '../configuration.ts';
import { authenticate } from '../identity/authenticate.ts';
import { knownBrowserSeconds } from '../identity/known-browser.ts';
import { type SignedIn, type SignInPlace, sessionLifetimeSeconds } from '../identity/sign-in.ts';
import { Problem } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import type { Asked } from './exchange.ts';
import { isFromOwnPage } from './own-form.ts';

/** The session that a browser presents. The database decides whether it still counts. */
export interface MemberSession {
  sessionKey: string;
  email: string;
}

/** The same for a wallet's owner: the session that its sign-in opened. */
export interface WalletSession {
  accessToken: string;
  address: string;
}

type Keyed = Pick<Configuration, 'baseUrl' | 'sessionSecret'>;
interface Cookies {
  get(name: string): { value: string } | undefined;
}

/** `__Host-` cannot be set from a subdomain or over plain HTTP; without TLS browsers refuse it. */
export function memberCookieName({ baseUrl }: Pick<Configuration, 'baseUrl'>): string {
  return baseUrl.startsWith('https:') ? '__Host-work-check-member' : 'work-check-member';
}

/** The cookie of the marks by which a browser is known. */
function marksCookieName({ baseUrl }: Pick<Configuration, 'baseUrl'>): string {
  return baseUrl.startsWith('https:') ? '__Host-work-check-known' : 'work-check-known';
}

function cookieOf({ baseUrl }: Configuration, name: string, value: string, maxAgeSeconds: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  // Lax, not Strict: links from mail must arrive signed in.
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * The `Set-Cookie` of a session: an encrypted next-auth token that names the session in the database. A browser has one
 * session: a wallet's replaces a member's and vice versa.
 */
export async function sessionCookie(
  configuration: Configuration,
  session: MemberSession | WalletSession,
): Promise<string> {
  const isMember = 'sessionKey' in session;
  const maxAge = isMember ? sessionLifetimeSeconds : seconds.walletSession;
  const token = await encode({
    secret: configuration.sessionSecret,
    maxAge,
    token: isMember
      ? { email: session.email, session_key: session.sessionKey }
      : { address: session.address, access_token: session.accessToken },
  });
  return cookieOf(configuration, memberCookieName(configuration), token, maxAge);
}

/** The `Set-Cookie` that removes the session. */
export function endedSessionCookie(configuration: Configuration): string {
  return cookieOf(configuration, memberCookieName(configuration), '', 0);
}

/** The `Set-Cookie`s of a member who signs in: the session, and the mark by which the browser is known next time. */
export async function signedInCookies(
  configuration: Configuration,
  session: MemberSession & Pick<SignedIn, 'marks'>,
): Promise<string[]> {
  const known = cookieOf(configuration, marksCookieName(configuration), session.marks, knownBrowserSeconds);
  return [await sessionCookie(configuration, session), known];
}

/** What signing in asks of a request: the browser's name for itself, and its marks. */
export function browserOf(
  configuration: Configuration,
  { headers }: Pick<Asked, 'headers'>,
): Pick<SignInPlace, 'browser' | 'marks'> {
  const cookie = headers.get('cookie');
  return {
    browser: headers.get('user-agent'),
    marks: (cookie === null ? undefined : cookieIn(cookie, marksCookieName(configuration))) ?? null,
  };
}

/** The member's session in a browser's cookies; null without one that we made. */
export async function memberSessionOf(configuration: Keyed, cookies: Cookies): Promise<MemberSession | null> {
  const { email, session_key } = await tokenIn(configuration, cookies);
  return typeof email === 'string' && typeof session_key === 'string' ? { email, sessionKey: session_key } : null;
}

/** The same for a wallet's owner. */
export async function walletSessionOf(configuration: Keyed, cookies: Cookies): Promise<WalletSession | null> {
  const { address, access_token } = await tokenIn(configuration, cookies);
  return typeof address === 'string' && typeof access_token === 'string'
    ? { address, accessToken: access_token }
    : null;
}

/** A browser's sessions: at most one of the two is set. */
async function presentedIn(configuration: Keyed, cookies: Cookies): Promise<Presented> {
  const member = await memberSessionOf(configuration, cookies);
  const wallet = await walletSessionOf(configuration, cookies);
  return { bearer: wallet?.accessToken ?? null, memberSession: member?.sessionKey ?? null };
}

type Presented = Pick<Context['presented'], 'bearer' | 'memberSession'>;

async function tokenIn(configuration: Keyed, cookies: Cookies): Promise<Record<string, unknown>> {
  const value = cookies.get(memberCookieName(configuration))?.value;
  if (!value) return {};
  try {
    return (await decode({ token: value, secret: configuration.sessionSecret })) ?? {};
  } catch {
    // Other secret, expired or forged: nobody is signed in.
    return {};
  }
}

/**
 * Who is signed in on a request from one of our own pages. Requires proof of origin: any other page could ride on the
 * cookie. Ignored beside a credential, which already says who asks.
 */
export async function presentedByPage(configuration: Keyed, request: Pick<Asked, 'headers'>): Promise<Presented> {
  const header = request.headers.get('cookie');
  const value = header === null ? undefined : cookieIn(header, memberCookieName(configuration));
  if (!value || request.headers.get('authorization') !== null || !isFromOwnPage(configuration, request)) {
    return { bearer: null, memberSession: null };
  }
  return presentedIn(configuration, { get: () => ({ value }) });
}

/** The member's session in a `Cookie` header, whoever sent it; else null. */
export async function sessionIn(configuration: Keyed, header: string | null): Promise<MemberSession | null> {
  const value = header === null ? undefined : cookieIn(header, memberCookieName(configuration));
  return memberSessionOf(configuration, { get: () => (value ? { value } : undefined) });
}

function cookieIn(header: string, name: string): string | undefined {
  const pair = header.split('; ').find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Whether the presented session still stands in the database. */
export async function isSignedIn(ctx: Context): Promise<boolean> {
  try {
    return (await authenticate(ctx)).caller.kind !== 'anonymous';
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_token') return false;
    throw error;
  }
}
