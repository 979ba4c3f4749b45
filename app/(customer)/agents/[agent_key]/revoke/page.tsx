import type { Metadata } from 'next';
import { RevokeAgent } from '@/components/forms/RevokeAgent.tsx';
import { SignInNeeded } from '../../../SignInNeeded.tsx';
import { readAgent } from '../../read-agent.ts';

export const metadata: Metadata = { title: 'Revoke an agent' };

export default async function RevokePage({ params }: { params: Promise<{ agent_key: string }> }) {
  const found = await readAgent((await params).agent_key);
  return found === null ? <SignInNeeded to="revoke this agent" /> : <RevokeAgent agent={found.agent} />;
}
