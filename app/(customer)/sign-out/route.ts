import { cookies } from 'next/headers';
import { endSession } from '@/server/identity/sign-in.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { endedSessionCookie, memberSessionOf } from '@/server/transports/member-session.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';

/** Ends the session in the database, so that a copy of the cookie is worth nothing either. */
export async function POST(request: Request): Promise<Response> {
  const { configuration, db, clock } = await webRuntime();
  if ((await ownForm(configuration, request)) === null) return foreignForm();
  const session = await memberSessionOf(configuration, await cookies());
  if (session !== null) await endSession(db, session.sessionKey, clock());
  return thenShow('/', endedSessionCookie(configuration));
}
