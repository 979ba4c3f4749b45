import { decode, encode } from 'next-auth/jwt';
import type { Configuration } from '../configuration.ts';
import { authenticate } from '../identity/authenticate.ts';
import { sessionLifetimeSeconds } from '../identity/sign-in.ts';
import type { Context } from '../runtime.ts';
import type { Asked } from './exchange.ts';
import { isFromOwnPage } from './own-form.ts';

/** The session that a browser presents. The database decides whether it still counts. */
export interface MemberSession {
  sessionKey: string;
  email: string;
}

/** `__Host-` cannot be set from a subdomain or over plain HTTP; without TLS browsers refuse it. */
export function memberCookieName({ baseUrl }: Pick<Configuration, 'baseUrl'>): string {
  return baseUrl.startsWith('https:') ? '__Host-work-check-member' : 'work-check-member';
}

function cookieOf(configuration: Configuration, value: string, maxAgeSeconds: number): string {
  const secure = configuration.baseUrl.startsWith('https:') ? '; Secure' : '';
  // Lax, not Strict: links from mail must arrive signed in.
  return `${memberCookieName(configuration)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The `Set-Cookie` of a session: a next-auth token, encrypted, that names the session in the database. */
export async function sessionCookie(configuration: Configuration, session: MemberSession): Promise<string> {
  const token = await encode({
    secret: configuration.sessionSecret,
    maxAge: sessionLifetimeSeconds,
    token: { email: session.email, session_key: session.sessionKey },
  });
  return cookieOf(configuration, token, sessionLifetimeSeconds);
}

/** The `Set-Cookie` that removes the session. */
export function endedSessionCookie(configuration: Configuration): string {
  return cookieOf(configuration, '', 0);
}

/** The session in the cookies; null when there is none of ours. */
export async function memberSessionOf(
  configuration: Pick<Configuration, 'baseUrl' | 'sessionSecret'>,
  cookies: { get(name: string): { value: string } | undefined },
): Promise<MemberSession | null> {
  const value = cookies.get(memberCookieName(configuration))?.value;
  if (!value) return null;
  try {
    const token = await decode({ token: value, secret: configuration.sessionSecret });
    const { email, session_key } = token ?? {};
    return typeof email === 'string' && typeof session_key === 'string' ? { email, sessionKey: session_key } : null;
  } catch {
    // Another secret, an expired token or a forgery: nobody is signed in.
    return null;
  }
}

/**
 * The member session of a request from one of our own pages. Requires proof of origin: any other page could ride on the
 * cookie. Ignored beside a credential, which already says who asks.
 */
export async function presentedSession(
  configuration: Pick<Configuration, 'baseUrl' | 'sessionSecret'>,
  request: Pick<Asked, 'headers'>,
): Promise<string | null> {
  const header = request.headers.get('cookie');
  if (header === null || request.headers.get('authorization') !== null || !isFromOwnPage(configuration, request))
    return null;
  return (await sessionIn(configuration, header))?.sessionKey ?? null;
}

/** The session in a `Cookie` header, whoever had it sent; null when there is none. */
export async function sessionIn(
  configuration: Pick<Configuration, 'baseUrl' | 'sessionSecret'>,
  header: string | null,
): Promise<MemberSession | null> {
  const name = `${memberCookieName(configuration)}=`;
  const value = header
    ?.split('; ')
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
  return memberSessionOf(configuration, { get: () => (value ? { value } : undefined) });
}

/** Whether the presented session still stands in the database. */
export async function isSignedIn(ctx: Context): Promise<boolean> {
  return (await authenticate(ctx)).caller.kind === 'member';
}
