import { Bot } from 'lucide-react';
import type { Metadata } from 'next';
import { ReviewAgents } from '@/components/forms/ReviewAgents.tsx';
import { AgentList } from '@/components/identity/AgentList.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { show } from '../../show.tsx';
import { BlockedNotice } from '../BlockedNotice.tsx';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';
import { visitorMay } from '../visitor-may.ts';

export const metadata: Metadata = { title: 'Agents and grants' };

/** The account's agents with their limits and spending. */
export default show(async () => {
  const refused = await noticeAt('/agents');
  const { ctx } = await memberContext();
  const account = await readForMember('agents', ctx, {});
  if (account === null) return <SignInNeeded to="see your agents" next="/agents" />;
  const { agents, review_due, resets_at } = account;
  const may = await visitorMay();
  const connect = may('decide_connection') ? <ConnectLink /> : null;
  if (agents.length === 0) {
    return (
      <DeadEnd icon={Bot} title="No agent buys for you yet" next={connect}>
        <p>Ask your agent to register with your e-mail address, then type the code it shows you.</p>
      </DeadEnd>
    );
  }
  const live = agents.filter(({ state }) => state !== 'revoked');
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-12">
      <div className="flex flex-wrap items-end gap-4">
        <div>
          <h1 className="text-h1">Agents</h1>
          <p className="mt-1 text-ink-2">
            {live.length === 1 ? 'One agent is' : `${live.length} agents are`} connected to your account. The day ends{' '}
            <Instant at={resets_at} />.
          </p>
        </div>
        <div className="ml-auto max-md:w-full">{connect}</div>
      </div>
      <BlockedNotice />
      {refused ? (
        <div className="mt-6">
          <Notice tone="attention">
            Nothing was changed, because the agents of the account changed in the meantime. Check the list and try
            again.
          </Notice>
        </div>
      ) : null}
      {review_due && may('review_agents') ? <ReviewAgents agents={live} /> : null}
      <div className="mt-8">
        <AgentList agents={agents} />
      </div>
      <p className="mt-3 text-dense text-ink-3">
        Spent: the charge is final. Held: collected or authorized, and not final yet.
      </p>
    </div>
  );
});

function ConnectLink() {
  return (
    <a href="/connect" className="btn max-md:w-full">
      Connect an agent
    </a>
  );
}
