import { State } from '@/components/purchases/State.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';
import { SpendMeter } from './SpendMeter.tsx';

/** An agent's name, or a wallet's shortened address. */
export function nameOf({ name, agent_key }: Pick<ConnectedAgent, 'name' | 'agent_key'>): string {
  return name ?? `${agent_key.slice(0, 6)}…${agent_key.slice(-4)}`;
}

function LastUsed({ agent }: { agent: ConnectedAgent }) {
  const what = agent.kind === 'wallet' ? 'Wallet, ' : '';
  return (
    <span className="text-dense text-ink-3 max-md:order-3 max-md:w-full">
      {agent.last_used_at === null ? (
        `${what}${what ? 'not' : 'Not'} used yet`
      ) : (
        <>
          {what}
          {what ? 'used' : 'Used'} <Instant at={agent.last_used_at} />
        </>
      )}
    </span>
  );
}

/** The account's agents with today's spending. */
export function AgentList({ agents }: { agents: readonly ConnectedAgent[] }) {
  return (
    <ul className="panel overflow-hidden">
      {agents.map((agent) => (
        <li key={agent.agent_key} className="relative border-b border-line p-5 last:border-0 hover:bg-hover">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <h2 className={agent.name === null ? 'key text-ui' : 'text-ui font-semibold wrap-anywhere'}>
              <a href={`/agents/${agent.agent_key}`} className="after:absolute after:inset-0">
                {nameOf(agent)}
              </a>
            </h2>
            <LastUsed agent={agent} />
            <span className="ml-auto text-dense">
              <State kind="agent" value={agent.state} />
            </span>
          </div>
          {agent.state === 'revoked' ? null : <SpendMeter agent={agent} />}
        </li>
      ))}
    </ul>
  );
}
