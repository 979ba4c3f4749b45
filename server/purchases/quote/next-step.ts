import type { Buyer, Member } from '../../identity/caller.ts';
import type { Rails } from '../../payments/rail.ts';
import { purchaseRefusal } from '../job/authority.ts';
import type { QuoteState } from '../states.ts';

interface QuoteAsSeen {
  job_key: string | null;
  expires_at: Date;
  within_limits: boolean;
}

/** What to do now about a quote, or why it cannot be authorized. */
export function nextStepOf(row: QuoteAsSeen, state: QuoteState, caller: Buyer | Member, rails: Rails): string {
  switch (state) {
    case 'authorized':
      return `It is authorized: go on with the job ${row.job_key}.`;
    case 'expired':
      return 'It has expired. Ask for a new quote.';
    case 'rejected':
      return 'No checks are sold for now. Read it again, or ask for a new quote later.';
    case 'open': {
      if (caller.kind === 'member') return 'The agent that asked for it may authorize it.';
      const because = purchaseRefusal(caller, rails)?.message;
      if (because) return `It cannot be authorized: ${because}`;
      return row.within_limits
        ? `Authorize it by ${row.expires_at.toISOString()}. Nothing is reserved or charged before.`
        : 'It cannot be authorized now: a limit of the grant leaves no room for its price, and no credit covers it. ' +
            'Pay or cancel jobs that wait for payment, or ask for a new quote after the day has ended in UTC. ' +
            'Authorizing it says which limit.';
    }
    default:
      return state satisfies never;
  }
}
