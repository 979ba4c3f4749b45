import { cookies, headers } from 'next/headers';
import { cache } from 'react';
import { webRuntime } from '@/server/open-runtime.ts';
import type { Context } from '@/server/runtime.ts';
import { pageContext } from '@/server/transports/context.ts';
import { isSignedIn, memberSessionOf, walletSessionOf } from '@/server/transports/member-session.ts';
import { callerHeader } from '@/server/transports/peer.ts';

/** The visitor: a member's `email`, or the address of a wallet's owner in `wallet`; the other one is null. */
interface Looking {
  ctx: Context;
  email: string | null;
  wallet: string | null;
}

/** The visitor; asked once per page. */
export const memberContext = cache(async (): Promise<Looking> => {
  const runtime = await webRuntime();
  const jar = await cookies();
  const member = await memberSessionOf(runtime.configuration, jar);
  const wallet = await walletSessionOf(runtime.configuration, jar);
  const address = (await headers()).get(callerHeader);
  const ctx = pageContext(runtime, member?.sessionKey ?? null, address, wallet?.accessToken ?? null);
  const stands = (member ?? wallet) !== null && (await isSignedIn(ctx));
  return { ctx, email: stands ? (member?.email ?? null) : null, wallet: stands ? (wallet?.address ?? null) : null };
});
