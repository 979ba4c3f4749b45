import { z } from 'zod';
import { GrantDecision } from '../../server/identity/contract.ts';
import { Quote, Receipt } from '../../server/purchases/contract.ts';
import { CheckRequest, type Report } from '../../server/work-check/contract.ts';
import type { EvidenceSource } from '../../server/work-check/reading/evidence-index.ts';

/** A purchase as its buyer keeps it: enough to check all of it again without an account or a network. */
export const Bundle = z.strictObject({
  bundle_version: z.literal('1'),
  /** The offer: `GET /purchases/{quote_key}`. */
  offer: Quote,
  /** The decisions on the grant that offer and receipts name, as `GET /jobs/{job_key}/receipts` gives them. */
  grant_decisions: z.array(GrantDecision).min(1).max(2),
  /** What was sent, without `max_price_microcents` and `idempotency_key`. */
  request: CheckRequest,
  /** The governed sources that the service retrieved, in the order of the request's `context.refs`. */
  retrieved: z
    .array(
      z.strictObject({
        ref: z.string(),
        source: z.string(),
        text: z.string(),
        observed_at: z.string().nullable(),
      }),
    )
    .default([]),
  /** The report as delivered, and after a dispute the corrected one. */
  reports: z.array(z.looseObject({})).max(2),
  /** The whole chain, oldest first: `GET /jobs/{job_key}/receipts`. */
  receipts: z.array(Receipt).min(1),
});
export type Bundle = z.infer<typeof Bundle>;

/** A report with what it speaks of. */
export interface About {
  report: Report;
  bundle: Bundle;
  sources: EvidenceSource[];
  /** What cannot be run again here is added to it. */
  notRun: string[];
}
