import type { Metadata } from 'next';
import { DecideApproval } from '@/components/forms/DecideApproval.tsx';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { noticeAt } from '../../notice.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';

export const metadata: Metadata = { title: 'Approve a purchase' };

/** What an agent asks to buy and may not buy alone, and the two answers. */
export default show(async ({ params }: { params: Promise<{ approval_key: string }> }) => {
  const { approval_key } = await params;
  const here = `/approvals/${approval_key}`;
  const { ctx } = await memberContext();
  const approval = await readForMember('approval', ctx, { approval_key });
  if (approval === null) return <SignInNeeded to="decide about this purchase" next={here} />;
  const mayDecide = (await visitorMay())('decide_approval');
  return <DecideApproval approval={approval} mayDecide={mayDecide} told={await noticeAt(here)} next={here} />;
});
