import { z } from 'zod';
import { railNames } from '../payments/contract.ts';
import { Measured, Verdict } from '../work-check/contract.ts';

/** What is for sale right now, and who assesses it. Pure. */

export const railState = z.enum(['available', 'unavailable']);
const reasons = z.array(z.string()).meta({ description: 'Reason codes. The list may grow.' });
const integer = z.int().min(0);

/** What an operator can switch off: all sales, registrations, or one rail. */
export const switchNames = ['service', 'registrations', ...railNames] as const;
export type SwitchName = (typeof switchNames)[number];

export const Availability = z
  .object({
    checked_at: z.iso.datetime(),
    contract_version: z.string(),
    price: z.object({ amount_microcents: integer, currency: z.literal('USD'), pricing_status: z.literal('approved') }),
    purchasable_rails: z.array(z.enum(railNames)),
    rails: z.object({
      card: z.object({ methods: z.array(z.string()), mode: z.string(), reasons, state: railState }),
      x402: z.object({ networks: z.array(z.string()), reasons, state: railState }),
    }),
    reasons,
    registrations: z.object({ state: z.enum(['open', 'closed']), reasons }),
    service_key: z.string(),
    state: railState,
  })
  .meta({ id: 'Availability' });

/** `terms.assessment`: who assesses, what is decided, what the words mean, and the measured accuracy. */
export const Assessment = z.object({
  assessor: z.string(),
  languages: z.array(z.string()),
  decides: z.array(z.object({ kind: z.string(), decides: z.string() })),
  verdicts: z.record(Verdict, z.string()),
  confidence: z.string(),
  fields: z.record(z.string(), z.string()),
  recheck: z.string(),
  accuracy: z.string(),
  measured: Measured.nullable(),
});
