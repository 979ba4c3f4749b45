import { isNewcomers, spendNewcomerLink } from '@/server/identity/newcomer.ts';
import { spendSignInLink } from '@/server/identity/sign-in.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { browserOf, signedInCookies } from '@/server/transports/member-session.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { endSessionHere } from '../../end-session.ts';
import { memberContext } from '../../member.ts';

/** Uses the link and signs this browser in. A link that no longer works leads back to its page, which says why. */
export async function POST(request: Request): Promise<Response> {
  const runtime = await webRuntime();
  const { configuration, clock } = runtime;
  const form = await ownForm(configuration, request);
  if (form === null) return foreignForm();
  const token = form.get('link') ?? '';
  const { ctx } = await memberContext();
  const from = { origin: ctx.origin, ...browserOf(configuration, request) };
  const session = isNewcomers(token)
    ? await spendNewcomerLink(runtime, token, clock(), from)
    : await spendSignInLink(runtime, token, clock(), from);
  if (session === null) return thenShow(`/sign-in?${new URLSearchParams({ link: token })}`);
  await endSessionHere();
  return thenShow(session.next, ...(await signedInCookies(configuration, session)));
}
