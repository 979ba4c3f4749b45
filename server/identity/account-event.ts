import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Member } from '../operation/caller.ts';

/** The events of an account: what changes who may buy for it. */
export type AccountAction =
  | 'agent_connected'
  | 'agent_paused'
  | 'agent_resumed'
  | 'agent_revoked'
  | 'grant_changed'
  | 'release_allowed'
  | 'credential_released'
  | 'credential_revoked'
  | 'purchases_blocked'
  | 'purchases_unblocked'
  | 'sign_ins_ended'
  | 'silence_lifted'
  | 'card_removed'
  | 'payments_disowned'
  | 'approval_asked'
  | 'approval_given'
  | 'approval_refused'
  | 'member_invited'
  | 'member_joined'
  | 'member_removed'
  | 'role_changed'
  | 'endpoint_failing'
  | 'account_closed';

/** Whose act it is when a member's concerns a person. */
export const byMember = ({ accountKey, memberKey }: Member) => ({ accountKey, principalKey: null, actor: memberKey });

/** What was done, and when. */
export interface Act {
  action: AccountAction;
  detail: Record<string, unknown>;
  at: Date;
}

/** Records an act in its own transaction. The table only grows. */
export function recordEvent(
  tx: Tx,
  event: Act & {
    accountKey: string;
    /** Null when it concerns a person. */
    principalKey: string | null;
    /** A member's or an agent's key, or `system`. */
    actor: string;
  },
): void {
  tx.write(sql`
    insert into account_events (account_key, principal_key, at, actor, action, detail)
    values (${event.accountKey}, ${event.principalKey}, ${event.at}, ${event.actor}, ${event.action},
      ${JSON.stringify(event.detail)})`);
}
