import { endSessionOfLink } from '@/server/identity/session-link.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';

/** Ends the sign-in that the letter's link names, and shows its page, which says what is left to do. */
export async function POST(request: Request): Promise<Response> {
  const runtime = await webRuntime();
  const form = await ownForm(runtime.configuration, request);
  if (form === null) return foreignForm();
  const link = form.get('link') ?? '';
  await endSessionOfLink(runtime, link, runtime.clock());
  return thenShow(`/sign-in/end?${new URLSearchParams({ link })}`);
}
