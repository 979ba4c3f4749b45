import { webRuntime } from '@/server/open-runtime.ts';
import { endedSessionCookie } from '@/server/transports/member-session.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { endSessionHere } from '../end-session.ts';

/** Ends the session in the database and deletes the cookie. */
export async function POST(request: Request): Promise<Response> {
  const { configuration } = await webRuntime();
  if ((await ownForm(configuration, request)) === null) return foreignForm();
  await endSessionHere();
  return thenShow('/', endedSessionCookie(configuration));
}
