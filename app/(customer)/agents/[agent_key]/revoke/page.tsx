import type { Metadata } from 'next';
import { RevokeAgent } from '@/components/forms/RevokeAgent.tsx';
import { show } from '../../../../show.tsx';
import { SignInNeeded } from '../../../SignInNeeded.tsx';
import { readAgent } from '../../read-agent.ts';

export const metadata: Metadata = { title: 'Revoke an agent' };

export default show(async ({ params }: { params: Promise<{ agent_key: string }> }) => {
  const { agent_key } = await params;
  const found = await readAgent(agent_key);
  if (found === null) return <SignInNeeded to="revoke this agent" next={`/agents/${agent_key}/revoke`} />;
  return <RevokeAgent agent={found.agent} />;
});
