import { hasRunOut } from '../../server/payments/x402/authorization.ts';
import { can, paymentIsOpen } from '../../server/purchases/states.ts';
import type { Refusal } from './command.ts';
import { creditCovers, hasRoom, isCovered, type Model, type Purchase, seen } from './model.ts';

/** What the service must refuse; it must list everything else. */

export const outsideGrant: Refusal = [403, 'grant_scope_missing'];
const overLimit: Refusal = [403, 'grant_limit_exceeded'];
export const notAllowed: Refusal = [409, 'action_not_allowed'];
export const unknown: Refusal = [409, 'payment_unknown'];

/** Why a quote without a job cannot be authorized now; null when it can. */
export function authorizeRefusal(model: Model, purchase: Purchase): Refusal | null {
  if (model.grant.paused) return outsideGrant;
  if (model.now() >= purchase.quotedUntil) return [409, 'quote_expired'];
  if (!model.grant.paysWithX402) return outsideGrant;
  return hasRoom(model) || creditCovers(model) ? null : overLimit;
}

/** Why a job cannot be paid this way now, as far as credit is known; null when it can. */
export function payRefusal(model: Model, purchase: Purchase, method: WayToPay): Refusal | null {
  if (model.grant.paused || !model.grant.paysWithX402) return outsideGrant;
  if (paymentIsOpen(purchase.payment)) return unknown;
  if (!can('collect', purchase.state)) return notAllowed;
  if (purchase.creditOnly && method === 'x402') return overLimit;
  return isCovered(model, purchase) ? null : overLimit;
}

/** Whether the party may review the report: a paused agent may dispute but not accept. */
function mayReview(model: Model, purchase: Purchase, party: 'agent' | 'member'): boolean {
  if (party === 'member') return true;
  return model.grant.mayReview && (!model.grant.paused || seen(purchase, model.now()).review_state === 'open');
}

/** A payment method: cash over x402, or credit. */
export type WayToPay = 'x402' | 'wallet_credit';

/** The payment methods that the service must list now, preferred one first: each of them works. */
export function waysToPay(model: Model, purchase: Purchase): WayToPay[] {
  const ways: WayToPay[] = creditCovers(model) ? ['wallet_credit', 'x402'] : ['x402'];
  return ways.filter((way) => !payRefusal(model, purchase, way));
}

/** All actions on a purchase that the service must list now, for the agent or a member. */
export function actionsOn(model: Model, purchase: Purchase, party: 'agent' | 'member'): string[] {
  if (purchase.jobKey === null) {
    return party === 'agent' && !authorizeRefusal(model, purchase) ? ['authorize'] : [];
  }
  const isOpen = paymentIsOpen(purchase.payment);
  const hasRunOutBy = purchase.transfer && hasRunOut(new Date(purchase.transfer.validBefore), new Date(model.now()));
  const allowed = {
    pay: party === 'agent' && waysToPay(model, purchase).length > 0,
    cancel_payment: isOpen && hasRunOutBy,
    report: purchase.reportDigest !== null,
    review: can('accept', purchase.state) && mayReview(model, purchase, party),
    receipt: purchase.paidWith !== null,
    cancel: !isOpen && can('cancel', purchase.state),
  };
  return Object.entries(allowed).flatMap(([action, isAllowed]) => (isAllowed ? [action] : []));
}
