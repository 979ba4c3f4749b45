/** What each role of the console may do. The one table: the door holds it, and pages draw their buttons from it. Pure. */

/** In order of what they may do: `viewer` reads, `support` helps customers, `finance` moves money, `admin` does all. */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof roles)[number];

const readers = roles;
const helpers = ['support', 'finance', 'admin'] as const satisfies readonly Role[];
const treasurers = ['finance', 'admin'] as const satisfies readonly Role[];

/** Who may ask for each operation of operators. */
export const mayDo = {
  console_me: readers,
  console_overview: readers,
  console_money: readers,
  console_purchases: readers,
  console_purchase: readers,
  console_search: readers,
  console_acts: readers,
  verify_acts: readers,
  console_customers: readers,
  open_content: ['support', 'admin'],
  read_content: ['support', 'admin'],
  note_purchase: helpers,
  ask_again: helpers,
  cancel_job: ['support', 'admin'],
  waive_charge: treasurers,
  give_back: treasurers,
  lift_block: treasurers,
  turn_switch: ['admin'],
  run_again: ['support', 'admin'],
  refund_charge: treasurers,
  preview_acts: helpers,
  act_on_purchases: helpers,
  console_views: readers,
  save_view: readers,
  remove_view: readers,
  console_disputes: readers,
  console_dispute: readers,
  answer_dispute: treasurers,
  console_failures: readers,
  retry_letters: helpers,
  console_accounts: readers,
  pause_customer_agent: helpers,
  revoke_customer_agent: ['admin'],
  console_ledger: readers,
  console_entries: readers,
  console_webhooks: readers,
  hear_again: helpers,
  open_webhook: ['support', 'admin'],
  read_webhook: ['support', 'admin'],
  console_quality: readers,
  open_findings: ['support', 'admin'],
  console_findings: ['support', 'admin'],
  label_finding: ['support', 'admin'],
  export_cases: ['support', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type ConsoleOperation = keyof typeof mayDo;

/** What moves money: asked of who has signed in within the last minutes only, as the giving of power is of members. */
const movesMoney: readonly ConsoleOperation[] = ['cancel_job', 'waive_charge', 'refund_charge', 'give_back'];

/** Whether an operation is done by who has signed in of late only. */
export function needsFreshSignIn(operation: ConsoleOperation): boolean {
  return movesMoney.includes(operation);
}

/** Who ran a command of the service could do anything to its database anyway. */
export type ActingRole = Role | 'command';

/** Whether a role may ask for an operation. */
export function may(role: ActingRole, operation: ConsoleOperation): boolean {
  return role === 'command' || (mayDo[operation] as readonly Role[]).includes(role);
}

/** The roles that may, in words: `Needs finance or admin`. */
export function neededFor(operation: ConsoleOperation): string {
  return `Needs ${mayDo[operation].join(' or ')}`;
}
