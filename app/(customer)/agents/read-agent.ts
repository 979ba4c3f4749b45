import type { AccountEvent, ConnectedAgent } from '@/server/identity/member-contract.ts';
import type { RailName } from '@/server/payments/contract.ts';
import { Missing } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { readForMember } from '../read.ts';

interface Read {
  agent: ConnectedAgent;
  rails: readonly RailName[];
  events: AccountEvent[];
}

/** One agent of the account with its history; null when nobody is signed in. A foreign key shows "Nothing here". */
export async function readAgent(key: string): Promise<Read | null> {
  const { ctx } = await memberContext();
  const account = await readForMember('agents', ctx, {});
  if (account === null) return null;
  const agent = account.agents.find(({ agent_key }) => agent_key === key);
  if (agent === undefined) throw new Missing();
  const history = await readForMember('agent_history', ctx, { agent_key: key });
  return { agent, rails: account.rails, events: history?.events ?? [] };
}
