import { cookies, headers } from 'next/headers';
import { cache } from 'react';
import { webRuntime } from '@/server/open-runtime.ts';
import type { Context } from '@/server/runtime.ts';
import { pageContext } from '@/server/transports/context.ts';
import { isSignedIn, memberSessionOf, walletSessionOf } from '@/server/transports/member-session.ts';
import { callerHeader } from '@/server/transports/peer.ts';

/** Who is looking at a page: `email` of a member, `wallet` the address of a wallet's owner; null whoever it is not. */
interface Looking {
  ctx: Context;
  email: string | null;
  wallet: string | null;
}

/** Who is looking at the page: one answer for the whole of it. */
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
