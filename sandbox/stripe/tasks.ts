import { cardOf } from './cards.ts';
import { closeDispute, isOpen, openDispute } from './disputes.ts';
import type { Provider } from './provider.ts';
import type { Task } from './records.ts';
import { failRefund, settleRefund } from './refunds.ts';
import { expireSession } from './sessions.ts';
import { warn } from './warnings.ts';

/** What each task does, if its object still waits for it. */
export const TASKS: Record<Task, (provider: Provider, target: string) => void> = {
  expire_session(provider, id) {
    const session = provider.store.get('checkout.session', id);
    if (session?.status === 'open') expireSession(provider, session);
  },
  open_dispute(provider, id) {
    const charge = provider.store.get('charge', id);
    if (!charge || charge.disputed || charge.refunded) return;
    const { dispute } = cardOf(provider.store.get('card', charge.payment_method ?? '')?.number ?? '');
    openDispute(provider, charge, dispute);
  },
  warn_of_fraud(provider, id) {
    const charge = provider.store.get('charge', id);
    if (charge) warn(provider, charge);
  },
  settle_refund(provider, id) {
    const refund = provider.store.get('refund', id);
    if (refund?.status === 'pending') settleRefund(provider, refund);
  },
  fail_refund(provider, id) {
    const refund = provider.store.get('refund', id);
    if (refund?.status === 'succeeded') failRefund(provider, refund, 'expired_or_canceled_card');
  },
  lose_dispute(provider, id) {
    const dispute = provider.store.get('dispute', id);
    const waits = dispute && isOpen(dispute) && !dispute.status.endsWith('under_review');
    if (waits) closeDispute(provider, dispute, dispute.status.startsWith('warning_') ? 'won' : 'lost');
  },
};
