import type { Metadata } from 'next';
import { SignIn, type SignInLink } from '@/components/forms/SignIn.tsx';
import { firstPage, ownPage } from '@/server/identity/destination.ts';
import { isNewcomers, readNewcomerLink } from '@/server/identity/newcomer.ts';
import { readSignInLink } from '@/server/identity/sign-in.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';

export const metadata: Metadata = { title: 'Sign in' };

type Search = Partial<Record<'link' | 'next', string | string[]>>;

/** The page of a sign-in link. Opening it changes nothing, so mail scanners don't use it up. */
export default show(async ({ searchParams }: { searchParams: Promise<Search> }) => {
  const { link: token, next } = await searchParams;
  const { ctx, email, wallet } = await memberContext();
  const asked = await noticeAt('/sign-in');
  return (
    <SignIn
      link={await linkState()}
      token={typeof token === 'string' ? token : ''}
      signedInAs={email ?? wallet}
      next={ownPage(next) ?? firstPage}
    />
  );

  async function linkState(): Promise<SignInLink> {
    if (asked === 'sent' || asked === 'closed' || asked === 'limited') return { state: asked };
    if (typeof token !== 'string') return { state: 'absent' };
    const { db, configuration } = ctx.runtime;
    const isNew = isNewcomers(token);
    const found = isNew
      ? await readNewcomerLink(db, configuration, token, ctx.now)
      : await readSignInLink(db, token, ctx.now);
    if (found.state !== 'good') return { state: found.state };
    return found.email && found.expiresAt
      ? { state: 'ready', email: found.email, expiresAt: found.expiresAt, isNew }
      : { state: 'unknown' };
  }
});
