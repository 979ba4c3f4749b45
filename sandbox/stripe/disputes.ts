// Disputes: a cardholder's bank takes a payment back, or asks first.
import type Stripe from 'stripe';
import { refused } from './errors.ts';
import { emit } from './events.ts';
import { DISPUTE_FEE_CENTS, post } from './objects/balance-transaction.ts';
import { newDispute } from './objects/dispute.ts';
import type { Provider } from './provider.ts';
import { schedule } from './schedule.ts';

/** A dispute to open: of how many cents, if not of all, and whether it may be one more of its charge. */
export interface NewDispute {
  reason?: string | undefined;
  inquiry?: boolean | undefined;
  amount?: number | undefined;
  again?: boolean | undefined;
}

/** Opens a dispute of a charge. Throws 400 when nothing of it is left, or there was one and this is not one more. */
export function openDispute(
  provider: Provider,
  charge: Stripe.Charge,
  { reason = 'fraudulent', inquiry = false, amount, again = false }: NewDispute = {},
): Stripe.Dispute {
  const { store } = provider;
  const left = charge.amount - centsBack(provider, charge);
  if (charge.status !== 'succeeded' || left === 0) throw refused('There is nothing of this charge to dispute.');
  if (charge.disputed && !again) throw refused('This charge has been disputed already.');
  const disputed = store.put('charge', { ...charge, disputed: true });
  const made = newDispute(provider, disputed, { reason, inquiry });
  const opened = store.put('dispute', { ...made, amount: amount ?? left });
  emit(provider, 'charge.dispute.created', opened);
  const { due_by: dueBy } = opened.evidence_details;
  if (dueBy !== null) schedule(provider, dueBy, 'lose_dispute', opened.id);
  return inquiry ? opened : withdraw(provider, opened);
}

/** What has reached the holder: a refund that is pending does not keep its bank from taking the money. */
function centsBack({ store }: Provider, { id }: Stripe.Charge): number {
  const back = store.list('refund').filter(({ charge, status }) => charge === id && status === 'succeeded');
  return back.reduce((sum, { amount }) => sum + amount, 0);
}

/** The bank takes the money, and Stripe its fee. */
function withdraw(provider: Provider, dispute: Stripe.Dispute): Stripe.Dispute {
  const movement = {
    type: 'adjustment',
    category: 'dispute',
    amount: -dispute.amount,
    fee: DISPUTE_FEE_CENTS,
  } as const;
  const posted = post(provider, { ...movement, source: dispute.id, description: `Chargeback withdrawal` });
  const withdrawn = provider.store.put('dispute', {
    ...dispute,
    balance_transactions: [...dispute.balance_transactions, posted],
  });
  emit(provider, 'charge.dispute.funds_withdrawn', withdrawn);
  return withdrawn;
}

/** Sends the seller's answer to the bank. */
export function submitEvidence(provider: Provider, dispute: Stripe.Dispute): Stripe.Dispute {
  const { evidence_details: details } = dispute;
  return provider.store.put('dispute', {
    ...dispute,
    status: isInquiry(dispute) ? 'warning_under_review' : 'under_review',
    evidence_details: {
      ...details,
      has_evidence: true,
      submission_count: details.submission_count + 1,
      submission_method: 'manual',
    },
  });
}

/**
 * The bank decides. A won chargeback gives the money back; an inquiry just closes, or becomes a chargeback when lost. One that
 * was lost may still be won. `feeBack`: cents of its fee that come back when it is won.
 */
export function closeDispute(
  provider: Provider,
  dispute: Stripe.Dispute,
  outcome: 'won' | 'lost',
  feeBack = 0,
): Stripe.Dispute {
  const { store } = provider;
  const previous = { status: dispute.status };
  const isTakenUp = dispute.status === 'warning_closed' && outcome === 'lost';
  const isTurned = dispute.status === 'lost' && outcome === 'won';
  if (!isOpen(dispute) && !isTakenUp && !isTurned) throw refused(`The dispute is ${dispute.status} already.`);
  // A holder may reopen a closed inquiry, too.
  if (isInquiry(dispute) && outcome === 'lost') {
    const escalated = store.put('dispute', { ...dispute, status: 'needs_response', is_charge_refundable: false });
    emit(provider, 'charge.dispute.updated', escalated, previous);
    return withdraw(provider, escalated);
  }
  const status = isInquiry(dispute) ? 'warning_closed' : outcome;
  if (status !== 'won') {
    const closed = store.put('dispute', { ...dispute, status });
    emit(provider, 'charge.dispute.closed', closed, previous);
    return closed;
  }
  const movement = { type: 'adjustment', category: 'dispute_reversal', amount: dispute.amount, fee: -feeBack } as const;
  const posted = post(provider, { ...movement, source: dispute.id, description: 'Chargeback reversal' });
  const won = store.put('dispute', {
    ...dispute,
    status,
    balance_transactions: [...dispute.balance_transactions, posted],
  });
  emit(provider, 'charge.dispute.closed', won, previous);
  emit(provider, 'charge.dispute.funds_reinstated', won);
  return won;
}

export function isOpen({ status }: Stripe.Dispute): boolean {
  return !['won', 'lost', 'warning_closed', 'prevented'].includes(status);
}

function isInquiry({ status }: Stripe.Dispute): boolean {
  return status.startsWith('warning_');
}
