import type { Buyer, Member } from '../../operation/caller.ts';
import { purchaseRefusal } from '../job/authority.ts';
import type { Asking } from '../job/view.ts';
import type { QuoteState } from '../states.ts';
import { type AskedApproval, passes, stateOfApproval } from './approval.ts';

interface QuoteAsSeen {
  job_key: string | null;
  expires_at: Date;
  within_limits: boolean;
  buys_alone: boolean;
  approval: AskedApproval | null;
}

/** What to do now about a quote, or why it cannot be authorized. */
export function nextStepOf(row: QuoteAsSeen, state: QuoteState, caller: Buyer | Member, request: Asking): string {
  switch (state) {
    case 'authorized':
      return `It is authorized: go on with the job ${row.job_key}.`;
    case 'expired':
      return 'It has expired. Ask for a new quote.';
    case 'rejected':
      return 'No checks are sold for now. Read it again, or ask for a new quote later.';
    case 'open':
      return caller.kind === 'member' ? forMember(row, request) : forBuyer(row, caller, request);
    default:
      return state satisfies never;
  }
}

function forMember({ approval }: QuoteAsSeen, { now }: Asking): string {
  return approval && stateOfApproval(approval, now) === 'open'
    ? 'Approve it or decline: its agent waits for that.'
    : 'The agent that asked for it may authorize it.';
}

function forBuyer(row: QuoteAsSeen, caller: Buyer, { runtime, now }: Asking): string {
  const because = purchaseRefusal(caller, runtime.rails, now)?.message;
  if (because) return `It cannot be authorized: ${because}`;
  const until = row.expires_at.toISOString();
  const authorize = `Authorize it by ${until}. Nothing is reserved or charged before.`;
  switch (row.approval && stateOfApproval(row.approval, now)) {
    case 'open':
      return `Your customer was asked to approve it, and decides by ${until}. Read it again until then; nothing is reserved.`;
    case 'declined':
      return 'Your customer declined it. Do not buy it.';
    case 'approved':
      if (row.within_limits || passes(row.approval, caller, now)?.above_limits) return `It is approved. ${authorize}`;
      break;
    default:
      if (row.within_limits && row.buys_alone) return authorize;
      if (row.within_limits || caller.grant.may_ask_above_limits) {
        return 'A person has to approve it first. Authorize it to ask your customer: nothing is reserved until they say yes.';
      }
  }
  return (
    'It cannot be authorized now: a limit of the grant leaves no room for its price, and no credit covers it. ' +
    'Pay or cancel jobs that wait for payment, or ask for a new quote after the day has ended in UTC. ' +
    'Authorizing it says which limit.'
  );
}
