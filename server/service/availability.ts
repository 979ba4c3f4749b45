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

/**
 * What can be bought right now, and what stands in the way (service.md 2.2; interface.md 2). Of providers it says what is
 * known: nobody who asks waits for one that hangs.
 */
export async function availability(runtime: Runtime, now: Date): Promise<Availability> {
  const [x402, hasAssessor, registrations] = await Promise.all([
    x402Now(runtime, now),
    runtime.assessorProbe?.wasUp(now) ?? true,
    registrationReasons(runtime, now),
  ]);
  const reasons = [
    ...(x402.state === 'available' ? [] : ['no_payment_rail_available']),
    ...(hasAssessor ? [] : ['assessor_unreachable']),
  ];
  return {
    checked_at: now.toISOString(),
    contract_version: service.contractVersion,
    price: { amount_microcents: toWire(price), currency, pricing_status: 'approved' },
    purchasable_rails: reasons.length === 0 ? ['x402'] : [],
    rails: {
      card: { methods: ['card_checkout', 'card_saved'], mode: 'unknown', reasons: cardReasons, state: 'unavailable' },
      x402,
    },
    reasons,
    registrations: { state: registrations.length === 0 ? 'open' : 'closed', reasons: registrations },
    service_key: service.serviceKey,
    state: reasons.length === 0 ? 'available' : 'unavailable',
  };
}

/** Refuses what begins with a letter while none can be sent. Throws `registrations_closed` with the reasons. */
export async function requireLetters(runtime: Runtime, now: Date): Promise<void> {
  const reasons = await registrationReasons(runtime, now);
  if (reasons.length === 0) return;
  throw new Problem('registrations_closed', 'Letters cannot be sent right now, so nobody could confirm.', {
    members: { reasons },
    headers: { 'Retry-After': runtime.mailer ? '60' : '3600' },
  });
}

/** Why nobody new can register: without letters nobody could confirm. Empty when somebody can. */
async function registrationReasons({ mailer }: Runtime, now: Date): Promise<string[]> {
  if (!mailer) return ['registrations_closed'];
  return (await mailer.wasReachable(now)) ? [] : ['mail_unreachable'];
}

/** The refusal of a rail that cannot be used, with its reasons; `silent` is what did not answer. */
export function railUnavailable(
  runtime: Runtime,
  rail: 'card' | 'x402',
  silent: 'facilitator_unreachable' | 'chain_unreachable' = 'facilitator_unreachable',
): Problem {
  const reasons = rail === 'card' ? cardReasons : runtime.x402 ? [silent] : ['x402_not_configured'];
  return new Problem('service_unavailable', `The rail ${rail} cannot be used right now.`, {
    members: { reasons },
    headers: { 'Retry-After': '60' },
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

async function x402Now({ x402 }: Runtime, now: Date): Promise<Availability['rails']['x402']> {
  if (!x402) return { networks: [], reasons: ['x402_not_configured'], state: 'unavailable' };
  const { facilitator, networks } = await x402.reachable(now);
  const reasons = [
    ...(facilitator ? [] : ['facilitator_unreachable']),
    // One chain that answers is enough to pay over.
    ...(networks.length > 0 ? [] : ['chain_unreachable']),
  ];
  return {
    networks: [...(networks.length > 0 ? networks : x402.networks)],
    reasons,
    state: reasons.length === 0 ? 'available' : 'unavailable',
  };
}
