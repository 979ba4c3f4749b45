import type { Metadata } from 'next';
import { SavedCardList } from '@/components/identity/SavedCardList.tsx';
import { SignedInList } from '@/components/identity/SignedInList.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Account' };

const told: Record<string, string> = {
  ended: 'Signed out. Whoever used that browser must sign in again.',
  card_removed: 'Removed. No agent can be charged to that card any more.',
  lifted: 'Agents from that network can write to you again.',
};

/** A member's sign-ins, the agents that may not write to them, and the account's kept cards. */
export default show(async () => {
  const { ctx } = await memberContext();
  const member = await readForMember('member', ctx, {});
  if (member === null) return <SignInNeeded to="see your sign-ins" next="/account" />;
  const saved = await readForMember('saved_cards', ctx, {});
  const notice = await noticeAt('/account');
  return (
    <div className="mx-auto max-w-read px-4 py-8 md:py-12">
      <h1 className="text-h1">Account</h1>
      <p className="mt-1 wrap-anywhere text-ink-2">{member.email}</p>
      {notice !== null && told[notice] ? (
        <div className="mt-6">
          <Notice tone="settled">{told[notice]}</Notice>
        </div>
      ) : null}
      <SignedInList member={member} />
      <SavedCardList cards={saved?.cards ?? []} />
    </div>
  );
});
