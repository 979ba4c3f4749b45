import { CheckCheck, OctagonX, TimerOff } from 'lucide-react';
import type { Metadata } from 'next';
import { AuthorizeClient } from '@/components/forms/AuthorizeClient.tsx';
import { valuesOf } from '@/components/forms/GrantFields.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { NotYours } from '@/components/ui/NotYours.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { show } from '../../../../show.tsx';
import { queryOf, type Search, typedBefore } from '../../../grant-form.ts';
import { memberContext } from '../../../member.ts';
import { noticeAt } from '../../../notice.ts';
import { SignInNeeded } from '../../../SignInNeeded.tsx';
import { visitorMay } from '../../../visitor-may.ts';
import { isOfThisBrowser } from '../../this-browser.ts';

export const metadata: Metadata = { title: 'Connect a client' };

interface Props {
  params: Promise<{ authorization_key: string }>;
  searchParams: Promise<Search>;
}

/** The consent of OAuth: a member sees which client asks, sets its limits, and approves or denies. */
export default show(async ({ params, searchParams }: Props) => {
  const { authorization_key } = await params;
  const search = await searchParams;
  const path = `/oauth/consent/${authorization_key}`;
  const { ctx, email } = await memberContext();
  if (!(await isOfThisBrowser(authorization_key))) return <Gone />;
  if (email === null) return <SignInNeeded to="connect a client" next={`${path}${queryOf(search)}`} />;
  if (!(await visitorMay())('decide_authorization')) {
    return <NotYours act="connecting clients" back={{ href: '/agents', label: 'See the agents' }} />;
  }
  const told = await noticeAt(path);
  if (told === 'approve' || told === 'deny') return <Decided approved={told === 'approve'} to={authorization_key} />;
  try {
    const { body } = await perform('authorization', ctx, { authorization_key });
    const values = typedBefore(search) ?? valuesOf(body.requested_grant);
    return <AuthorizeClient asked={body} values={values} refused={told} next={`${path}${queryOf(search)}`} />;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return <Gone />;
    throw error;
  }
});

/** A form may lead to our own pages only, so this page leads on to the client. */
function Decided({ approved, to }: { approved: boolean; to: string }) {
  const onwards = `/oauth/authorize/${to}`;
  return (
    <>
      <meta httpEquiv="refresh" content={`0; url=${onwards}`} />
      <DeadEnd
        icon={approved ? CheckCheck : OctagonX}
        title={approved ? 'The client is connected' : 'The client was denied'}
        next={
          <a href={onwards} className="btn btn-primary">
            Back to the client
          </a>
        }
      >
        <p>
          {approved
            ? 'It may buy checks within the limits you set. Nothing was charged.'
            : 'It gets nothing from your account.'}
        </p>
      </DeadEnd>
    </>
  );
}

function Gone() {
  return (
    <DeadEnd icon={TimerOff} title="No client waits for this decision">
      <p>The request has ended, or it was started in another browser. Start again from the client.</p>
    </DeadEnd>
  );
}
