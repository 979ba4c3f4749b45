import { cookies, headers } from 'next/headers';
import { cache } from 'react';
import { webRuntime } from '@/server/open-runtime.ts';
import type { Context } from '@/server/runtime.ts';
import { pageContext } from '@/server/transports/context.ts';
import { isSignedIn, memberSessionOf } from '@/server/transports/member-session.ts';
import { callerHeader } from '@/server/transports/peer.ts';

/** Who is looking at the page: one answer for the whole of it. `email` is null when nobody is signed in. */
export const memberContext = cache(async (): Promise<{ ctx: Context; email: string | null }> => {
  const runtime = await webRuntime();
  const session = await memberSessionOf(runtime.configuration, await cookies());
  const ctx = pageContext(runtime, session?.sessionKey ?? null, (await headers()).get(callerHeader));
  return { ctx, email: session && (await isSignedIn(ctx)) ? session.email : null };
});
