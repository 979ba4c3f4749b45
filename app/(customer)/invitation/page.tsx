import { Clock, UserRoundCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { EmailForm } from '@/components/forms/EmailForm.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { perform } from '@/server/door/perform.ts';
import type { Invitation } from '@/server/identity/people-contract.ts';
import { Problem } from '@/server/problems/problem.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';

export const metadata: Metadata = { title: 'Invitation' };

/** Who invites to what, and one button. Opening the page accepts nothing; accepting signs nobody in. */
export default show(async ({ searchParams }: { searchParams: Promise<{ link?: string | string[] }> }) => {
  const { link } = await searchParams;
  const { ctx } = await memberContext();
  const found = await perform('invitation', ctx, { link }).then(
    ({ body }) => body,
    (error: unknown) => {
      if (error instanceof Problem && (error.code === 'not_found' || error.code === 'validation_failed')) return null;
      throw error;
    },
  );
  if (found?.state === 'open') return <Invited invitation={found} link={String(link)} />;
  if (found?.state === 'accepted') {
    return (
      <DeadEnd icon={UserRoundCheck} title="You are a member now" next={<EmailForm next="/purchases" />}>
        <p>Sign in with the address that was invited: we send you a link.</p>
      </DeadEnd>
    );
  }
  return (
    <DeadEnd
      icon={Clock}
      title="This invitation does not work"
      next={
        <a href="/" className="btn">
          Go to the front page
        </a>
      }
    >
      <p>It has ended, was withdrawn, or part of the link is missing. Ask who invited you for another.</p>
    </DeadEnd>
  );
});

function Invited({ invitation, link }: { invitation: Invitation; link: string }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <h1 className="text-h1">Join this account?</h1>
        <p className="mt-2 text-body wrap-anywhere text-ink-2">
          {invitation.invited_by} invites {invitation.email} to an account on which agents buy checks of work.{' '}
          {invitation.role === 'approver'
            ? 'You could approve purchases, review reports and pause agents.'
            : 'You could read reports and receipts.'}
        </p>
        <form action="/invitation/accept" method="post" className="mt-6">
          <input type="hidden" name="link" value={link} />
          <button type="submit" className="btn btn-primary btn-lg w-full">
            Accept
          </button>
        </form>
        <p className="mt-3 text-dense text-ink-3">
          The invitation ends on <Instant at={invitation.expires_at} />. If you do not know who wrote, do nothing.
        </p>
      </div>
    </div>
  );
}
