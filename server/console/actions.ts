import { type ActingRole, may, neededFor } from '../operation/operator-roles.ts';
import { type JobRow, reviewStateAt, stateAt } from '../purchases/job/row.ts';
import { can, paymentIsOpen } from '../purchases/states.ts';
import { type Action, type ActionName, actionNames } from './contract/purchases.ts';

/** The parts of a purchase that actions look at; `job` is null until its quote is authorized. */
export interface ActedOn {
  job: JobRow | null;
  content_deleted: boolean;
}

const words = (state: string): string => state.replaceAll('_', ' ');

/** Why each action is impossible on a purchase now, by the table of transitions; null when it is possible. */
const obstacles: { [Name in ActionName]: (on: ActedOn, now: Date) => string | null } = {
  note_purchase: () => null,
  open_content: ({ content_deleted }) => (content_deleted ? 'The content is deleted.' : null),
  ask_again({ job }) {
    const isAsked = job && (paymentIsOpen(job.payment_state) || job.payment_state === 'refund_pending');
    return isAsked ? null : 'No payment or refund is open.';
  },
  run_again({ job }) {
    if (!job) return 'The quote is not authorized.';
    if (job.state === 'failed') return 'The job failed and was remedied at once. The buyer can buy again.';
    const isDue = can('fail', job.state) || can('redeliver', job.state);
    return isDue ? null : `The job is ${words(job.state)}: no check is due.`;
  },
  cancel_job({ job }, now) {
    if (!job) return 'The quote is not authorized.';
    const state = stateAt(job, now);
    if (!can('cancel', state)) return `The job is ${words(state)}.`;
    return paymentIsOpen(job.payment_state) ? 'A payment is open and may have moved money.' : null;
  },
  waive_charge({ job }, now) {
    if (!job) return 'The quote is not authorized.';
    if (!can('waive', job.state)) return `The job is ${words(job.state)}.`;
    return reviewStateAt(job, now) === 'overdue' ? null : 'The review is not overdue.';
  },
  refund_charge({ job }) {
    if (!job) return 'The quote is not authorized.';
    if (!can('refund', job.state)) return `The job is ${words(job.state)}: only an accepted charge can be refunded.`;
    return job.payment_state === 'collected' ? null : `The payment is ${words(job.payment_state)}.`;
  },
};

/** The actions on a purchase, each with what prevents it: the role first. */
export function actionsOn(on: ActedOn, role: ActingRole, now: Date): Action[] {
  return actionNames.map((name) => ({
    name,
    obstacle: may(role, name) ? obstacles[name](on, now) : `${neededFor(name)}.`,
  }));
}

/** What prevents an action, whoever asks. */
export function obstacleTo(name: ActionName, on: ActedOn, now: Date): string | null {
  return obstacles[name](on, now);
}
