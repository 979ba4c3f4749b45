import { perform } from '@/server/door/perform.ts';
import { walletPage } from '@/server/identity/destination.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { Problem } from '@/server/problems/problem.ts';
import { sessionCookie } from '@/server/transports/member-session.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { endSessionHere } from '../../../../end-session.ts';
import { memberContext } from '../../../../member.ts';

/** Uses the signed challenge and signs this browser in. */
export async function POST(request: Request): Promise<Response> {
  const { configuration } = await webRuntime();
  const form = await ownForm(configuration, request);
  if (form === null) return foreignForm();
  const next = walletPage(form.get('next'));
  const { ctx } = await memberContext();
  try {
    const { body } = await perform('wallet_verify', ctx, {
      challenge_key: form.get('challenge_key') ?? '',
      signature: form.get('signature') ?? '',
    });
    await endSessionHere();
    const session = { accessToken: body.access_token, address: body.principal.address };
    return thenShow(next, await sessionCookie(configuration, session));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const page = `/sign-in/wallet?${new URLSearchParams({ next })}`;
    return thenShow(page, setNotice(page, error.code));
  }
}
