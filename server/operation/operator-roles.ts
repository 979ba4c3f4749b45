/**
 * What each role of the console may do: the only table. The door enforces it, and pages draw their buttons from it.
 * Pure.
 */

/** In order of power: `viewer` reads, `support` helps customers, `finance` moves money, `admin` does all. */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof roles)[number];

const readers = roles;
const helpers = ['support', 'finance', 'admin'] as const satisfies readonly Role[];
const treasurers = ['finance', 'admin'] as const satisfies readonly Role[];

/** The roles that may ask for each operation. */
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
  settle_refund: treasurers,
  lift_block: treasurers,
  turn_switch: ['admin'],
  open_incident: ['support', 'admin'],
  update_incident: ['support', 'admin'],
  resolve_incident: ['support', 'admin'],
  console_disputes: readers,
  console_dispute: readers,
  answer_dispute: treasurers,
  console_failures: readers,
  retry_letters: helpers,
  send_letter_again: helpers,
  send_events_again: helpers,
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
  run_again: ['support', 'admin'],
  refund_charge: treasurers,
  preview_acts: helpers,
  act_on_purchases: helpers,
  console_views: readers,
  save_view: readers,
  remove_view: readers,
} as const satisfies Record<string, readonly Role[]>;

export type ConsoleOperation = keyof typeof mayDo;

/** Operations that move money need a recent sign-in. */
const movesMoney: readonly ConsoleOperation[] = [
  'cancel_job',
  'waive_charge',
  'refund_charge',
  'give_back',
  'settle_refund',
];

/** Whether an operation needs a recent sign-in. */
export function needsFreshSignIn(operation: ConsoleOperation): boolean {
  return movesMoney.includes(operation);
}

/** Whoever runs a command can change the database anyway. */
export type ActingRole = Role | 'command';

/** Whether a role may ask for an operation. */
export function may(role: ActingRole, operation: ConsoleOperation): boolean {
  return role === 'command' || (mayDo[operation] as readonly Role[]).includes(role);
}

/** The roles that may, in words: `Needs finance or admin`. */
export function neededFor(operation: ConsoleOperation): string {
  return `Needs ${mayDo[operation].join(' or ')}`;
}
