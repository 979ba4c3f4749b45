import type Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

const ANSWER_SECONDS = 7 * 86_400;

/** A dispute of a charge: a chargeback, or an inquiry, which takes no money yet. */
export function newDispute(
  { clock }: Provider,
  charge: Stripe.Charge,
  { reason, inquiry }: { reason: string; inquiry: boolean },
): Stripe.Dispute {
  const brand = charge.payment_method_details?.card?.brand ?? 'visa';
  const dueBy = clock.now() + ANSWER_SECONDS;
  return {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: inquiry,
    livemode: false,
    metadata: {},
    payment_intent: typeof charge.payment_intent === 'string' ? charge.payment_intent : null,
    payment_method_details: {
      type: 'card',
      card: { brand, case_type: inquiry ? 'inquiry' : 'chargeback', network: brand, network_reason_code: null },
    },
    reason,
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  };
}

function noEvidence(): Stripe.Dispute.Evidence {
  return {
    access_activity_log: null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    customer_email_address: null,
    customer_name: null,
    customer_purchase_ip: null,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: {},
    product_description: null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: null,
  };
}
