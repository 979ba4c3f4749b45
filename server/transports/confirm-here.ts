import { perform } from '../door/perform.ts';
import { signInConfirmed } from '../identity/confirmation.ts';
import type { SignInPlace } from '../identity/sign-in.ts';
import type { Context } from '../runtime.ts';
import { isSignedIn, signedInCookies } from './member-session.ts';

/**
 * Decides as the form behind a registration letter's link says. Whoever confirms holds the mailbox, so the first
 * confirmation signs them in: the `Set-Cookie`s for their browser. Null when nobody is signed in by it: for any other
 * decision, for a repeat, and where somebody is signed in. Throws the problems of `confirm`.
 */
export async function confirmHere(
  ctx: Context,
  input: unknown,
  from: Pick<SignInPlace, 'browser' | 'marks'>,
): Promise<string[] | null> {
  const { body } = await perform('confirm', ctx, input);
  if (body.state !== 'confirmed' || body.repeated || (await isSignedIn(ctx))) return null;
  const { link } = input as { link: string };
  const session = await signInConfirmed(ctx.runtime, link, ctx.now, { ...from, origin: ctx.origin });
  return session && signedInCookies(ctx.runtime.configuration, session);
}
