import type { Metadata } from 'next';
import { EditAgent } from '@/components/forms/EditAgent.tsx';
import { valuesOf } from '@/components/forms/GrantFields.tsx';
import { type Search, typedBefore } from '../../grant-form.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { readAgent } from '../read-agent.ts';

export const metadata: Metadata = { title: 'Agent' };

interface Props {
  params: Promise<{ agent_key: string }>;
  searchParams: Promise<Search>;
}

/** What one agent may spend and do, and what was done about it. */
export default async function AgentPage({ params, searchParams }: Props) {
  const { agent_key } = await params;
  const search = await searchParams;
  const found = await readAgent(agent_key);
  if (found === null) return <SignInNeeded to="see this agent" />;
  const { done, refused } = search;
  const told = typeof refused === 'string' ? { refused } : typeof done === 'string' ? { done } : null;
  return <EditAgent {...found} values={typedBefore(search) ?? valuesOf(found.agent.grant)} told={told} />;
}
