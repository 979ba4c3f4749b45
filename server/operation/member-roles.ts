/**
 * What each role of an account's people may do: the only table. The door enforces it, and pages draw their buttons from
 * it. Pure.
 */

/** In order of power: an `owner` does all, an `approver` decides and pauses, a `reader` reads. */
export const memberRoles = ['owner', 'approver', 'reader'] as const;
export type MemberRole = (typeof memberRoles)[number];

const everyone = memberRoles;
const deciding = ['owner', 'approver'] as const satisfies readonly MemberRole[];
const owning = ['owner'] as const satisfies readonly MemberRole[];

/** The roles that may ask for each operation that changes something. Every role may read. */
const mayChange = {
  review: deciding,
  decide_approval: deciding,
  cancel: deciding,
  cancel_payment: deciding,
  pause_agent: deciding,
  decide_connection: owning,
  decide_authorization: owning,
  change_grant: owning,
  revoke_agent: owning,
  release_again: owning,
  review_agents: owning,
  remove_card: owning,
  change_billing: owning,
  close_account: owning,
  add_source: owning,
  remove_source: owning,
  delete_content: owning,
  disown_payments: owning,
  add_webhook_endpoint: owning,
  remove_webhook_endpoint: owning,
  resend_webhooks: owning,
  invite_member: owning,
  withdraw_invitation: owning,
  change_role: owning,
  // Everybody may leave; the verb keeps the others to owners.
  remove_member: everyone,
  end_sessions: everyone,
  lift_silence: everyone,
  change_letters: everyone,
} as const satisfies Record<string, readonly MemberRole[]>;

/** An operation that changes something. */
export type MemberChange = keyof typeof mayChange;

/** The operations that the table names. */
export const changesOfMembers = Object.keys(mayChange);

/** Whether a member in this role may ask for an operation. */
export function memberMay(role: MemberRole, operation: string): boolean {
  const roles: Readonly<Record<string, readonly MemberRole[]>> = mayChange;
  return roles[operation]?.includes(role) ?? true;
}
