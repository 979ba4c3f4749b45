import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { CloseAccount } from '@/components/forms/CloseAccount.tsx';
import { FreshSignIn } from '@/components/forms/FreshSignIn.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { NotYours } from '@/components/ui/NotYours.tsx';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { noticeAt } from '../../notice.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';

export const metadata: Metadata = { title: 'Close the account' };

const here = '/account/close';

/** What closing ends and what stays, before it is done; and afterwards that it is. */
export default show(async () => {
  const { ctx } = await memberContext();
  const closing = await readForMember('closing', ctx, {});
  const notice = await noticeAt(here);
  if (closing === null) {
    return notice === null ? <SignInNeeded to="close the account" next={here} /> : <Over done={notice === 'closed'} />;
  }
  if (!(await visitorMay())('close_account')) {
    return <NotYours act="closing it" back={{ href: '/account', label: 'Back to the account' }} />;
  }
  return (
    <CloseAccount closing={closing}>
      {notice === 'fresh_sign_in_required' ? <FreshSignIn next={here} to="close the account" /> : null}
    </CloseAccount>
  );
});

/** To whoever has closed the account, or pressed twice. */
function Over({ done }: { done: boolean }) {
  return (
    <DeadEnd
      icon={CircleCheck}
      title={done ? 'Your account is closed' : 'You are signed out'}
      next={
        <a href="/" className="btn">
          To the front page
        </a>
      }
    >
      <p>
        {done
          ? 'A letter confirms it, and says what becomes of what was open.'
          : 'If you have just closed the account, it is closed, and a letter confirms it.'}
      </p>
      <p>To come back, let an agent register with your address. That begins a new, empty account.</p>
    </DeadEnd>
  );
}
