import { amountText } from '@/components/purchases/Price.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import type { AccountEvent } from '@/server/identity/member-contract.ts';
import { instantText } from '@/server/kernel/instant-text.ts';

const words: Record<string, string> = {
  agent_connected: 'Connected',
  agent_paused: 'Paused',
  agent_resumed: 'Resumed',
  agent_revoked: 'Revoked',
  release_allowed: 'Allowed to fetch a new key',
  credential_released: 'Fetched its key',
  approval_asked: 'Asked to buy a check',
  approval_given: 'A purchase was approved',
  approval_refused: 'A purchase was declined',
  credential_revoked: 'A key not used in time was revoked',
};

const limits = [
  ['per_job_limit_microcents', 'Limit per check'],
  ['daily_limit_microcents', 'Daily limit'],
  ['total_limit_microcents', 'Total limit'],
] as const;

const limitText = (microcents: number | null) => (microcents === null ? 'no limit' : amountText(microcents));

/** A grant's change in words. */
function changeText({ before, after }: { before: GrantTerms; after: GrantTerms }): string {
  const parts = limits.flatMap(([name, label]) => {
    if (before[name] === after[name]) return [];
    const raised = (after[name] ?? Number.POSITIVE_INFINITY) > (before[name] ?? Number.POSITIVE_INFINITY);
    return [`${label} ${raised ? 'raised' : 'lowered'} from ${limitText(before[name])} to ${limitText(after[name])}`];
  });
  const isSame = before.payment_methods.toSorted().join() === after.payment_methods.toSorted().join();
  if (!isSame) parts.push(`May pay by ${after.payment_methods.join(', ') || 'nothing'}`);
  if (before.review_authority !== after.review_authority) {
    parts.push(after.review_authority ? 'May review reports' : 'May no longer review reports');
  }
  if (before.governed_refs !== after.governed_refs) {
    parts.push(after.governed_refs ? 'May share stored sources' : 'May no longer share stored sources');
  }
  if (before.expires_at !== after.expires_at) {
    parts.push(after.expires_at === null ? 'No end any more' : `Ends ${instantText(after.expires_at)}`);
  }
  if (before.approval_above_microcents !== after.approval_above_microcents) {
    const above = after.approval_above_microcents;
    parts.push(above === null ? 'Asks nobody any more' : `Has to ask above ${amountText(above)}`);
  }
  if (before.may_ask_above_limits !== after.may_ask_above_limits) {
    parts.push(after.may_ask_above_limits ? 'May ask above its limits' : 'May no longer ask above its limits');
  }
  return parts.join('. ') || 'Saved without a change';
}

function eventText({ action, detail }: AccountEvent): string {
  if (action === 'credential_revoked' && detail.because === 'compromised') return 'Its leaked key was stopped';
  if (action !== 'grant_changed') return words[action] ?? action.replaceAll('_', ' ');
  return changeText(detail as unknown as { before: GrantTerms; after: GrantTerms });
}

function actorText(actor: string): string {
  if (actor.includes('@')) return `by ${actor}`;
  return actor === 'system' ? 'by the service' : 'by the agent';
}

/** An agent's history, newest first. */
export function AgentHistory({ events }: { events: readonly AccountEvent[] }) {
  return (
    <ol className="space-y-1.5 text-dense text-ink-2">
      {events.map((event) => (
        <li key={`${event.at} ${event.action}`} className="flex flex-wrap justify-between gap-x-4">
          <span className="min-w-0 wrap-anywhere">
            {eventText(event)} <span className="text-ink-3">{actorText(event.actor)}</span>
          </span>
          <span className="text-ink-3">
            <Instant at={event.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
