import type { z } from 'zod';
import { evidenceTexts } from '@/components/purchases/evidence.ts';
import type { EvidenceText } from '@/components/purchases/PassagePanel.tsx';
import { webRuntime } from '@/server/open-runtime.ts';
import type { operations } from '@/server/operations.ts';
import { perform } from '@/server/perform.ts';
import { pageContext } from '@/server/transports/context.ts';
import { CheckRequest, Report } from '@/server/work-check/contract.ts';

export interface Offer {
  contract: z.output<(typeof operations)['service_contract']['output']>;
  sample: { report: Report; evidence: EvidenceText[] };
  baseUrl: string;
  isTest: boolean;
}

/** What is sold, as any buyer reads it: the pages show the service contract and nothing beside it. */
export async function readOffer(): Promise<Offer> {
  const ctx = pageContext(await webRuntime(), null);
  const { body: contract } = await perform('service_contract', ctx, {});
  return {
    contract,
    sample: {
      report: Report.parse(contract.sample_report),
      evidence: evidenceTexts(CheckRequest.parse(contract.example_request)),
    },
    baseUrl: ctx.baseUrl,
    isTest: ctx.runtime.configuration.environment === 'test',
  };
}
