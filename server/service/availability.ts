import { currency, toWire } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import type { Runtime } from '../runtime.ts';
import { price, service } from './terms.ts';

export interface Availability {
  checked_at: string;
  contract_version: string;
  price: { amount_microcents: number; currency: 'USD'; pricing_status: 'approved' };
  purchasable_rails: ('card' | 'x402')[];
  rails: {
    card: { methods: ('card_checkout' | 'card_saved')[]; mode: string; reasons: string[]; state: RailState };
    x402: { networks: string[]; reasons: string[]; state: RailState };
  };
  reasons: string[];
  registrations: { state: 'open' | 'closed'; reasons: string[] };
  service_key: string;
  state: RailState;
}

type RailState = 'available' | 'unavailable';

/** What can be bought right now, and what stands in the way (service.md 2.2; interface.md 2). */
export async function availability(runtime: Runtime, now: Date): Promise<Availability> {
  const x402Reasons = await x402ReasonsNow(runtime, now);
  const x402: RailState = x402Reasons.length === 0 ? 'available' : 'unavailable';
  const purchasable_rails: Availability['purchasable_rails'] = x402 === 'available' ? ['x402'] : [];
  const state: RailState = purchasable_rails.length > 0 ? 'available' : 'unavailable';
  return {
    checked_at: now.toISOString(),
    contract_version: service.contractVersion,
    price: { amount_microcents: toWire(price), currency, pricing_status: 'approved' },
    purchasable_rails,
    rails: {
      card: { methods: ['card_checkout', 'card_saved'], mode: 'unknown', reasons: cardReasons, state: 'unavailable' },
      x402: { networks: [...(runtime.x402?.networks ?? [])], reasons: x402Reasons, state: x402 },
    },
    reasons: state === 'available' ? [] : ['no_payment_rail_available'],
    registrations: {
      state: registrationsState(runtime),
      reasons: registrationsState(runtime) === 'open' ? [] : ['registrations_closed'],
    },
    service_key: service.serviceKey,
    state,
  };
}

/** Whether somebody new can register: without letters nobody could confirm. */
export function registrationsState(runtime: Runtime): 'open' | 'closed' {
  return runtime.mailer ? 'open' : 'closed';
}

/** The rails that can be paid over here once whoever runs the service lets them: the others were never set up. */
export function railsSetUp(runtime: Pick<Runtime, 'x402'>): ('card' | 'x402')[] {
  return [...(cardReasons.length === 0 ? (['card'] as const) : []), ...(runtime.x402 ? (['x402'] as const) : [])];
}

/** The refusal of a rail that cannot be used, with its reasons. */
export function railUnavailable(runtime: Runtime, rail: 'card' | 'x402'): Problem {
  const reasons = rail === 'card' ? cardReasons : runtime.x402 ? ['facilitator_unreachable'] : ['x402_not_configured'];
  return unavailable(`The rail ${rail} cannot be used right now.`, reasons);
}

/** Reasons that go by themselves. The others are switches and settings of whoever runs the service. */
const passing: readonly string[] = ['facilitator_unreachable', 'chain_unreachable'];

/** The refusal of what cannot be bought now. To try it again helps only against what passes. */
export function unavailable(detail: string, reasons: readonly string[], because: readonly string[] = reasons): Problem {
  const retryable = because.some((reason) => passing.includes(reason));
  return new Problem('service_unavailable', detail, {
    members: { retryable, reasons },
    ...(retryable ? { headers: { 'Retry-After': '60' } } : {}),
  });
}

/** Cards are not taken yet: nothing about them is configured. */
const cardReasons = [
  'card_disabled',
  'card_secret_missing',
  'card_webhook_secret_missing',
  'card_key_mode_unknown',
  'card_return_url_missing',
];

async function x402ReasonsNow(runtime: Runtime, now: Date): Promise<string[]> {
  if (!runtime.x402) return ['x402_not_configured'];
  return (await runtime.x402.isReachable(now)) ? [] : ['facilitator_unreachable'];
}
