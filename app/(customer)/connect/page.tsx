import { CheckCheck, OctagonX } from 'lucide-react';
import type { Metadata } from 'next';
import { CodeForm, ConnectAgent } from '@/components/forms/ConnectAgent.tsx';
import { valuesOf } from '@/components/forms/GrantFields.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Problem } from '@/server/kernel/problem.ts';
import { perform } from '@/server/perform.ts';
import { type Search, typedBefore } from '../grant-form.ts';
import { memberContext } from '../member.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Connect an agent' };

const wrongCode: Record<string, string> = {
  not_found: 'No agent waits with this code. Check it, or let the agent ask again.',
  registration_expired: 'This code has ended. Nothing was connected; let the agent ask again.',
  action_not_allowed: 'This request has been decided. Let the agent ask again.',
  validation_failed: 'A code has 8 letters and digits.',
};

/** A member types the code of an agent, sees who asks for what, and approves or denies. */
export default async function ConnectPage({ searchParams }: { searchParams: Promise<Search> }) {
  const search = await searchParams;
  const { ctx, email } = await memberContext();
  if (email === null) return <SignInNeeded to="connect an agent" next="connect" />;
  if (search.done === 'approve' || search.done === 'deny') return <Decided decision={search.done} />;
  const code = typeof search.code === 'string' ? search.code : '';
  const refused = typeof search.refused === 'string' ? search.refused : null;
  if (code === '') return <CodeForm typed="" error={null} />;
  if (refused !== null && typedBefore(search) === null) {
    return <CodeForm typed={code} error={wrongCode[refused] ?? null} />;
  }
  try {
    const { body } = await perform('connection', ctx, { user_code: code });
    return (
      <ConnectAgent asked={body} values={typedBefore(search) ?? valuesOf(body.requested_grant)} refused={refused} />
    );
  } catch (error) {
    const why = error instanceof Problem ? wrongCode[error.code] : undefined;
    if (why === undefined) throw error;
    return <CodeForm typed={code} error={why} />;
  }
}

function Decided({ decision }: { decision: 'approve' | 'deny' }) {
  const approved = decision === 'approve';
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
      <p>
        {approved
          ? 'It fetches its credential within 30 minutes, and may then buy checks within the limits you set. Nothing was charged.'
          : 'It got nothing. Nobody can ask you by letter from there again.'}
      </p>
    </DeadEnd>
  );
}
