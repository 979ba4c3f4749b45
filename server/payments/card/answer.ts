import Stripe from 'stripe';
import type { BankEvidence, Disputes } from '../rail.ts';
import type { CardProvider } from './provider.ts';

/** A bank waits for an answer in these states (docs.stripe.com/api/disputes/object). */
const unanswered: readonly string[] = ['needs_response', 'warning_needs_response'];
/** The provider's limit for each text, in characters. */
const textMax = 20_000;

/**
 * Sends evidence to the bank that contests a charge. It can be sent once, so look first at what the provider has. A
 * call repeated under its key is the same call.
 */
export function answersOver({ stripe }: CardProvider): Disputes {
  return {
    async answer(disputeKey, evidence, callKey) {
      const { status, evidence_details: details } = await stripe.disputes.retrieve(disputeKey);
      if (details.submission_count > 0) return 'answered_before';
      if (!unanswered.includes(status)) return 'closed';
      const sent = { evidence: evidenceParams(evidence), submit: true };
      try {
        await stripe.disputes.update(disputeKey, sent, { idempotencyKey: `dp:${callKey}` });
        return 'answered';
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        // Another operator may have answered since the look.
        const { evidence_details: now } = await stripe.disputes.retrieve(disputeKey);
        if (now.submission_count === 0) throw error;
        return 'answered_before';
      }
    },
  };
}

function evidenceParams(evidence: BankEvidence) {
  const texts = {
    product_description: evidence.product,
    customer_email_address: evidence.email,
    service_date: evidence.deliveredOn,
    access_activity_log: evidence.activity,
    refund_policy_disclosure: evidence.refundPolicy,
    refund_refusal_explanation: evidence.refusal,
    uncategorized_text: evidence.record,
  };
  const given = Object.entries(texts).flatMap(([name, text]) =>
    text === null ? [] : [[name, text.slice(0, textMax)]],
  );
  return Object.fromEntries(given) as { [Name in keyof typeof texts]?: string };
}
