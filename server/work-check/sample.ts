import { service } from '../service/terms.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import type { CheckRequest, Report } from './contract.ts';

/** A request that works as sent once `max_price_microcents` and `idempotency_key` are added. */
export const exampleRequest: CheckRequest = {
  work_kind: 'summary',
  request: 'Summarise what the supplier confirmed about order 4471 for the warehouse team.',
  work_product:
    'Halden Tools confirmed order 4471 on 12 May 2026. Its 360 wrenches at 41.50 EUR come to 14,490 EUR. ' +
    'The goods leave Rotterdam on 3 June 2026 and reach the Leeds warehouse on 9 June 2026. ' +
    'Halden Tools pays for the transport.',
  evidence: [
    {
      source: 'E-mail from Halden Tools, 12 May 2026',
      text:
        'Dear Ms Okafor,\n\nwe confirm your order 4471: 360 torque wrenches at 41.50 EUR each. The goods leave our ' +
        'Rotterdam depot on 3 June 2026. Halden Tools does not pay for the transport; freight is billed to the buyer.\n\n' +
        'Kind regards\nPieter Halden',
      observed_at: '2026-05-12T09:14:00Z',
    },
    {
      source: 'Carrier booking NL-77120',
      text: 'Consignee: Leeds warehouse. Pick-up Rotterdam 3 June 2026. Delivery to Leeds warehouse on 11 June 2026.',
      observed_at: '2026-05-13T07:02:00Z',
    },
  ],
  criteria: [
    'States the quantity and the unit price',
    'Amounts are worked out correctly',
    'States when the goods reach the warehouse',
    'States who pays for the transport',
    'At most 80 words',
    'The tone suits the warehouse team',
  ],
  downstream_policy: { human_approval_required: true },
};

const SAMPLE_AT = new Date('2026-05-13T08:00:00Z');

/** The report on the example, as the embedded assessor delivers it; marked, since it measures no quality. */
export async function sampleReport(): Promise<Report & { illustrative: true }> {
  const report = await checkWork(exampleRequest, {
    assessor: embeddedAssessor,
    now: SAMPLE_AT,
    serviceKey: service.serviceKey,
  });
  return { illustrative: true, ...report, sample: true };
}
