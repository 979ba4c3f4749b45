import { z } from 'zod';
import type { EvidenceText } from '@/components/purchases/PassagePanel.tsx';
import { Assessment } from '@/server/availability/contract.ts';
import { perform } from '@/server/door/perform.ts';
import { type JsonValue, parsedIfJson } from '@/server/kernel/json-value.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import type { operations } from '@/server/operations.ts';
import { pageContext } from '@/server/transports/context.ts';
import { CheckRequest, evidenceManifest, evidenceTexts, Report } from '@/server/work-check/contract.ts';

/** The terms about the seller and about who else reads submitted content. */
const Sellers = z.object({
  operator: z.object({ name: z.string(), email: z.string() }).nullable(),
  data_processing: z.object({ model_vendor: z.string().nullable() }),
});

export interface Offer {
  contract: z.output<(typeof operations)['service_contract']['output']>;
  assessment: z.output<typeof Assessment>;
  sample: { report: Report; work: JsonValue; evidence: EvidenceText[] };
  /** The provider whose language model reads submitted content; null without one. */
  modelVendor: string | null;
  /** The operator of this service; null in a test installation without one. */
  operator: z.output<typeof Sellers>['operator'];
  baseUrl: string;
  isTest: boolean;
}

/** The fields that a client adds to the example request. */
export function clientFields(price: { amount_microcents: number }) {
  return { max_price_microcents: price.amount_microcents, idempotency_key: 'choose-one-per-check' };
}

/** The offer: pages show the service contract and nothing else. */
export async function readOffer(): Promise<Offer> {
  const ctx = pageContext(await webRuntime(), null);
  const { body: contract } = await perform('service_contract', ctx, {});
  const request = CheckRequest.parse(contract.example_request);
  const texts = evidenceTexts(request);
  const { operator, data_processing } = Sellers.parse(contract.terms);
  return {
    contract,
    assessment: Assessment.parse(contract.terms.assessment),
    sample: {
      report: Report.parse(contract.sample_report),
      work: parsedIfJson(request.work_product),
      evidence: evidenceManifest(request).map(({ ref }, index) => ({ ref, text: texts[index] ?? '' })),
    },
    modelVendor: data_processing.model_vendor,
    operator,
    baseUrl: ctx.baseUrl,
    isTest: ctx.runtime.configuration.environment === 'test',
  };
}
