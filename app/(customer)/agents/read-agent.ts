import { notFound } from 'next/navigation';
import type { AccountEvent, ConnectedAgent } from '@/server/identity/member-contract.ts';
import { memberContext } from '../member.ts';
import { readForMember } from '../read.ts';

/** One agent of the account with its history; null when nobody is signed in. Ends in "Nothing here" for a foreign key. */
export async function readAgent(key: string): Promise<{ agent: ConnectedAgent; events: AccountEvent[] } | null> {
  const { ctx } = await memberContext();
  const account = await readForMember('agents', ctx, {});
  if (account === null) return null;
  const agent = account.agents.find(({ agent_key }) => agent_key === key);
  if (agent === undefined) notFound();
  const history = await readForMember('agent_history', ctx, { agent_key: key });
  return { agent, events: history?.events ?? [] };
}
