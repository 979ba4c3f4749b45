import type { Problem } from '../../door/problem.ts';
import { blockedRefusal } from '../../identity/blocked.ts';
import type { Buyer, Member } from '../../identity/caller.ts';
import { methodRefusal, outsideGrant, serviceRefusal } from '../../identity/grant.ts';
import type { Rails } from '../../payments/rail.ts';
import { service } from '../../service/terms.ts';
import type { Authority } from '../states.ts';

/** What the caller may do at all, before the state of the job is looked at. */
export function authorityOf(caller: Buyer | Member, rails: Rails): Authority {
  if (caller.kind === 'member')
    return { actor: 'customer', mayBuy: false, mayReview: true, mayAccept: true, mayCancel: false };
  return {
    actor: 'agent',
    mayBuy: purchaseRefusal(caller, rails) === null,
    mayReview: reviewRefusal(caller) === null,
    mayAccept: acceptRefusal(caller) === null,
    mayCancel: true,
  };
}

/** Why this agent may not begin a purchase or pay for one; null when it may, as far as no limit stands in the way. */
export function purchaseRefusal(caller: Buyer, rails: Rails): Problem | null {
  const { grant } = caller;
  return serviceRefusal(grant, service.serviceKey) ?? payRefusal(grant, rails) ?? blockedRefusal(caller);
}

/** Why the grant covers no way to pay; null when it covers one. */
function payRefusal(grant: Buyer['grant'], rails: Rails): Problem | null {
  let refusal: Problem | null = null;
  for (const method of [...rails.values()].flatMap(({ methods }) => methods)) {
    const one = methodRefusal(grant, method);
    if (one === null) return null;
    refusal ??= one;
  }
  return refusal;
}

/** Why this agent may not decide on a delivery; null when it may. */
export function reviewRefusal({ grant }: Buyer): Problem | null {
  return grant.review_authority ? null : outsideGrant('The grant does not let the agent review deliveries.');
}

/** Why this agent may not accept a delivery though it may dispute it; null when it may. */
export function acceptRefusal({ grant }: Buyer): Problem | null {
  return grant.paused_at ? outsideGrant('The customer has paused this agent: it may dispute, and not accept.') : null;
}
