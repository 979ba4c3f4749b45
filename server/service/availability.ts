import type { Queries } from '../kernel/database.ts';
import { currency, toWire } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { SwitchName } from './contract.ts';
import { switchedOff } from './switches.ts';
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
type Switches = ReadonlySet<SwitchName>;

/** What can be bought right now, and what stands in the way (service.md 2.2; interface.md 2). */
export async function availability(runtime: Runtime, now: Date): Promise<Availability> {
  const [off, isReachable] = await Promise.all([switchedOff(runtime.db.shared), runtime.x402?.isReachable(now)]);
  const x402Reasons = reasonsOfX402(runtime, off, isReachable === true);
  const x402: RailState = x402Reasons.length === 0 ? 'available' : 'unavailable';
  const purchasable_rails: Availability['purchasable_rails'] = x402 === 'available' ? ['x402'] : [];
  const reasons = [
    ...(off.has('service') ? ['service_disabled'] : []),
    ...(purchasable_rails.length === 0 ? ['no_payment_rail_available'] : []),
  ];
  const isOpen = canRegister(runtime, off);
  return {
    checked_at: now.toISOString(),
    contract_version: service.contractVersion,
    price: { amount_microcents: toWire(price), currency, pricing_status: 'approved' },
    purchasable_rails,
    rails: {
      card: { methods: ['card_checkout', 'card_saved'], mode: 'unknown', reasons: cardReasons, state: 'unavailable' },
      x402: { networks: [...(runtime.x402?.networks ?? [])], reasons: x402Reasons, state: x402 },
    },
    reasons,
    registrations: { state: isOpen ? 'open' : 'closed', reasons: isOpen ? [] : ['registrations_closed'] },
    service_key: service.serviceKey,
    state: reasons.length === 0 ? 'available' : 'unavailable',
  };
}

/** The refusal of a registration now; null when somebody new can register. Without letters nobody could confirm. */
export async function registrationRefusal(db: Queries, runtime: Runtime): Promise<Problem | null> {
  const off = await switchedOff(db);
  if (canRegister(runtime, off)) return null;
  const detail = off.has('registrations')
    ? 'The service takes in nobody new for now.'
    : 'Letters cannot be sent, so nobody could confirm.';
  return new Problem('registrations_closed', detail, { headers: { 'Retry-After': '3600' } });
}

function canRegister(runtime: Runtime, off: Switches): boolean {
  return runtime.mailer !== null && !off.has('registrations');
}

/** The refusal of a new purchase that an operator has switched off; null while checks are sold. */
export async function switchedOffRefusal(db: Queries): Promise<Problem | null> {
  const off = await switchedOff(db);
  if (off.has('service')) return unavailable('No checks are sold for now.', ['service_disabled']);
  return off.has('x402') ? unavailable('The rail x402 is switched off for now.', ['rail_disabled']) : null;
}

/** The refusal of what is not sold right now, with every reason. */
export function saleRefusal({ state, reasons, rails }: Availability): Problem | null {
  if (state === 'available') return null;
  return unavailable('Checks cannot be bought right now.', [...new Set([...reasons, ...rails.x402.reasons])]);
}

/** The refusal of a rail that cannot be used, with its reasons. */
export function railUnavailable(runtime: Runtime, rail: 'card' | 'x402'): Problem {
  const reasons = rail === 'card' ? cardReasons : runtime.x402 ? ['facilitator_unreachable'] : ['x402_not_configured'];
  return unavailable(`The rail ${rail} cannot be used right now.`, reasons);
}

/** An operator's switches and absent settings: asking again changes nothing about them (interface.md 2). */
const settings = [
  'service_disabled',
  'rail_disabled',
  'card_disabled',
  'x402_not_configured',
  'assessor_not_configured',
];

function unavailable(detail: string, reasons: string[]): Problem {
  const isSetting = reasons.some((reason) => settings.includes(reason));
  return new Problem('service_unavailable', detail, {
    members: isSetting ? { reasons, retryable: false } : { reasons },
    headers: isSetting ? {} : { 'Retry-After': '60' },
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

function reasonsOfX402(runtime: Runtime, off: Switches, isReachable: boolean): string[] {
  if (!runtime.x402) return ['x402_not_configured'];
  if (off.has('x402')) return ['rail_disabled'];
  return isReachable ? [] : ['facilitator_unreachable'];
}
