import { nameOf } from '@/components/identity/AgentList.tsx';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';

/** What revoking does, before it is done. */
export function RevokeAgent({ agent }: { agent: ConnectedAgent }) {
  const at = `/agents/${agent.agent_key}`;
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <h1 className="text-h1 wrap-anywhere">Revoke {nameOf(agent)}?</h1>
        <ul className="mt-3 list-disc space-y-1 pl-5 text-body text-ink-2">
          <li>Its credentials stop working at once, for good.</li>
          <li>Paid jobs continue, and their reports and receipts stay readable.</li>
          <li>To let it buy again, connect it as a new agent.</li>
        </ul>
        <form action={`${at}/revoke/confirm`} method="post" className="answers mt-6">
          <a href={at} className="btn btn-lg">
            Keep it
          </a>
          <button type="submit" className="btn btn-danger btn-lg">
            Revoke
          </button>
        </form>
      </div>
    </div>
  );
}
