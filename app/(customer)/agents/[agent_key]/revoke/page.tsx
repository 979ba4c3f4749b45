import type { Metadata } from 'next';
import { RevokeAgent } from '@/components/forms/RevokeAgent.tsx';
import { NotYours } from '@/components/ui/NotYours.tsx';
import { show } from '../../../../show.tsx';
import { SignInNeeded } from '../../../SignInNeeded.tsx';
import { visitorMay } from '../../../visitor-may.ts';
import { readAgent } from '../../read-agent.ts';

export const metadata: Metadata = { title: 'Revoke an agent' };

export default show(async ({ params }: { params: Promise<{ agent_key: string }> }) => {
  const { agent_key } = await params;
  const found = await readAgent(agent_key);
  if (found === null) return <SignInNeeded to="revoke this agent" next={`/agents/${agent_key}/revoke`} />;
  if (!(await visitorMay())('revoke_agent')) {
    return <NotYours act="revoking an agent" back={{ href: `/agents/${agent_key}`, label: 'Back to the agent' }} />;
  }
  return <RevokeAgent agent={found.agent} />;
});
