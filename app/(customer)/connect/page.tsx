import { CheckCheck, OctagonX } from 'lucide-react';
import type { Metadata } from 'next';
import { CodeForm, ConnectAgent } from '@/components/forms/ConnectAgent.tsx';
import { valuesOf } from '@/components/forms/GrantFields.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { NotYours } from '@/components/ui/NotYours.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { show } from '../../show.tsx';
import { queryOf, type Search, typedBefore } from '../grant-form.ts';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';
import { visitorMay } from '../visitor-may.ts';

export const metadata: Metadata = { title: 'Connect an agent' };

const wrongCode: Record<string, string> = {
  not_found: 'No agent is waiting with this code. Check the code, or have the agent ask again.',
  registration_expired: 'This code has expired. Nothing was connected; have the agent ask again.',
  action_not_allowed: 'This request was already decided. Have the agent ask again.',
  validation_failed: 'A code has 8 letters and digits.',
};

/** A member types an agent's code, sees who asks for what, and approves or denies. */
export default show(async ({ searchParams }: { searchParams: Promise<Search> }) => {
  const search = await searchParams;
  const here = `/connect${queryOf(search)}`;
  const { ctx, email } = await memberContext();
  if (email === null) return <SignInNeeded to="connect an agent" next={here} />;
  if (!(await visitorMay())('decide_connection')) {
    return <NotYours act="connecting agents" back={{ href: '/agents', label: 'See the agents' }} />;
  }
  const refused = await noticeAt('/connect');
  if (refused === 'approve' || refused === 'approve_useless' || refused === 'deny') {
    return <Decided decision={refused} />;
  }
  const code = typeof search.code === 'string' ? search.code : '';
  if (code === '') return <CodeForm typed="" error={null} />;
  if (refused !== null && typedBefore(search) === null) {
    return <CodeForm typed={code} error={wrongCode[refused] ?? null} />;
  }
  try {
    const { body } = await perform('connection', ctx, { user_code: code });
    const values = typedBefore(search) ?? valuesOf(body.requested_grant);
    return <ConnectAgent asked={body} values={values} refused={refused} next={here} />;
  } catch (error) {
    const why = error instanceof Problem ? wrongCode[error.code] : undefined;
    if (why === undefined) throw error;
    return <CodeForm typed={code} error={why} />;
  }
});

const decided = {
  approve:
    'Nothing more to do: your agent continues by itself, within the limits you set. Nothing was charged. We write when a report is ready.',
  approve_useless: `With the limits and permissions you set, it cannot buy anything. You can change them on its page.`,
  deny: 'It got nothing.',
} as const;

function Decided({ decision }: { decision: keyof typeof decided }) {
  const approved = decision !== 'deny';
  return (
    <DeadEnd
      icon={approved ? CheckCheck : OctagonX}
      title={approved ? 'The agent is connected' : 'The agent was denied'}
      next={
        <a href="/agents" className="btn">
          See your agents
        </a>
      }
    >
      <p>{decided[decision]}</p>
    </DeadEnd>
  );
}
