import type Stripe from 'stripe';
import { z } from 'zod';
import { isOpen, submitEvidence } from '../disputes.ts';
import { missing, refused } from '../errors.ts';
import { emit } from '../events.ts';
import { listOf } from '../listing.ts';
import { accepts, expand, flag, metadata, optional, pagingByTime, text } from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { endpoint } from './endpoint.ts';

const EVIDENCE_MAX = 20_000;
const evidenceText = optional(z.string().max(EVIDENCE_MAX));

const updateParameters = accepts<Stripe.DisputeUpdateParams>()({
  evidence: optional(
    z.strictObject({
      access_activity_log: evidenceText,
      customer_email_address: evidenceText,
      customer_name: evidenceText,
      customer_purchase_ip: evidenceText,
      product_description: evidenceText,
      refund_policy_disclosure: evidenceText,
      refund_refusal_explanation: evidenceText,
      service_date: evidenceText,
      uncategorized_text: evidenceText,
    }),
  ),
  submit: optional(flag),
  metadata: optional(metadata),
  expand,
});

function find({ store }: Provider, id: string): Stripe.Dispute {
  const dispute = store.get('dispute', id);
  if (!dispute) throw missing('dispute', id);
  return dispute;
}

function update(provider: Provider, id: string, given: z.output<typeof updateParameters>): Stripe.Dispute {
  const before = find(provider, id);
  if (!isOpen(before)) throw refused('This dispute is already closed');
  // The bank takes one answer.
  if (given.evidence && before.evidence_details.submission_count > 0) throw refused('The evidence has been submitted.');
  const staged = provider.store.put('dispute', {
    ...before,
    evidence: { ...before.evidence, ...given.evidence },
    evidence_details: { ...before.evidence_details, has_evidence: true },
    metadata: { ...before.metadata, ...given.metadata },
  });
  // As in Stripe, evidence is sent at once unless it is only staged.
  const after = given.evidence && given.submit !== false ? submitEvidence(provider, staged) : staged;
  emit(provider, 'charge.dispute.updated', after, { status: before.status });
  return after;
}

export const disputes = [
  endpoint(
    'disputes.retrieve',
    'GET /v1/disputes/:id',
    accepts<Stripe.DisputeRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => find(provider, id),
  ),
  endpoint('disputes.update', 'POST /v1/disputes/:id', updateParameters, (provider, given, { id = '' }) =>
    update(provider, id, given),
  ),
  endpoint(
    'disputes.list',
    'GET /v1/disputes',
    accepts<Stripe.DisputeListParams>()({ ...pagingByTime, charge: optional(text), payment_intent: optional(text) }),
    (provider, { charge, payment_intent: intent, ...page }) => {
      const items = provider.store
        .list('dispute')
        .filter((one) => charge === undefined || one.charge === charge)
        .filter((one) => intent === undefined || one.payment_intent === intent);
      return listOf(provider, { url: '/v1/disputes', kind: 'dispute', items }, page);
    },
  ),
];
