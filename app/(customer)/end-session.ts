import { cookies } from 'next/headers';
import { perform } from '@/server/door/perform.ts';
import { endSession } from '@/server/identity/sign-in.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { memberSessionOf } from '@/server/transports/member-session.ts';
import { memberContext } from './member.ts';

/** Ends this browser's session in the database, so that copies of its cookie are worthless. */
export async function endSessionHere(): Promise<void> {
  const { configuration, db, clock } = await webRuntime();
  const member = await memberSessionOf(configuration, await cookies());
  if (member !== null) await endSession(db, member.sessionKey, clock());
  const { ctx, wallet } = await memberContext();
  if (wallet !== null) await perform('wallet_sign_out', ctx, {});
}
