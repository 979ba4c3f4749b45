import { blockedRefusal } from '../../identity/blocked.ts';
import { methodRefusal, outsideGrant, serviceRefusal } from '../../identity/grant.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import { memberMay } from '../../operation/member-roles.ts';
import type { Rails } from '../../payments/rail.ts';
import type { Problem } from '../../problems/problem.ts';
import { service } from '../../service/terms.ts';
import type { Authority } from '../states.ts';

/** What the caller may do, before looking at the job's state. */
export function authorityOf(caller: Buyer | Member, rails: Rails, now: Date): Authority {
  if (caller.kind === 'member')
    return {
      actor: 'customer',
      mayBuy: false,
      mayReview: memberMay(caller.role, 'review'),
      mayAccept: true,
      mayCancel: memberMay(caller.role, 'cancel'),
    };
  return {
    actor: 'agent',
    mayBuy: purchaseRefusal(caller, rails, now) === null,
    mayReview: reviewRefusal(caller) === null,
    mayAccept: acceptRefusal(caller) === null,
    mayCancel: true,
  };
}

/** Why this agent may not buy or pay; null when only limits could stand in the way. */
export function purchaseRefusal(caller: Buyer, rails: Rails, now: Date): Problem | null {
  const { grant } = caller;
  return serviceRefusal(grant, service.serviceKey, now) ?? payRefusal(grant, rails) ?? blockedRefusal(caller);
}

/** Why the grant covers no way to pay that is set up; else null. */
function payRefusal(grant: Buyer['grant'], rails: Rails): Problem | null {
  let refusal: Problem | null = null;
  const setUp = [...rails.values()].filter(({ isSetUp }) => isSetUp);
  for (const method of setUp.flatMap(({ methods }) => methods)) {
    const one = methodRefusal(grant, method);
    if (one === null) return null;
    refusal ??= one;
  }
  return refusal;
}

/** Why this agent may not decide on a delivery; else null. */
export function reviewRefusal({ grant }: Buyer): Problem | null {
  return grant.review_authority ? null : outsideGrant('The grant does not let the agent review deliveries.');
}

/** Why this agent may dispute but not accept; else null. */
export function acceptRefusal({ grant }: Buyer): Problem | null {
  return grant.paused_at ? outsideGrant('The customer has paused this agent: it may dispute, but not accept.') : null;
}
