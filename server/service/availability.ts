import { Problem } from '../door/problem.ts';
import { isDatabaseTrouble, type Queries } from '../kernel/database.ts';
import { currency, toWire } from '../kernel/money.ts';
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

/**
 * What can be bought right now, and what stands in the way (specification 2.2). Of providers it says what is
 * known: nobody who asks waits for one that hangs.
 */
export async function availability(runtime: Runtime, now: Date): Promise<Availability> {
  const [off, hasAssessor, letters] = await Promise.all([
    knownSwitches(runtime),
    runtime.assessorProbe?.wasUp(now) ?? true,
    letterReasons(runtime, now),
  ]);
  const x402 = await x402Now(runtime, off, now);
  const isDown = off === unknownSwitches;
  const reasons = [
    ...(isDown ? ['database_unreachable'] : []),
    ...(off.has('service') ? ['service_disabled'] : []),
    ...(x402.state === 'available' ? [] : ['no_payment_rail_available']),
    ...(hasAssessor ? [] : ['assessor_unreachable']),
  ];
  const registrations = [
    ...(isDown ? ['database_unreachable'] : []),
    ...(off.has('registrations') ? ['registrations_closed'] : letters),
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

const unknownSwitches: Switches = new Set();

/** The switches that are off; `unknownSwitches` while the database cannot tell: the contract is read without it, too. */
function knownSwitches({ db }: Runtime): Promise<Switches> {
  return switchedOff(db.shared).catch((error) => {
    if (isDatabaseTrouble(error)) return unknownSwitches;
    throw error;
  });
}

/** The rails that can be paid over here once whoever runs the service lets them: the others were never set up. */
export function railsSetUp(runtime: Pick<Runtime, 'x402'>): ('card' | 'x402')[] {
  return [...(cardReasons.length === 0 ? (['card'] as const) : []), ...(runtime.x402 ? (['x402'] as const) : [])];
}

/** Refuses a registration while nobody new can register. Throws `registrations_closed` with the reasons. */
export async function requireRegistrations(db: Queries, runtime: Runtime, now: Date): Promise<void> {
  if (!(await switchedOff(db)).has('registrations')) return requireLetters(runtime, now);
  throw new Problem('registrations_closed', 'The service takes in nobody new for now.', {
    members: { reasons: ['registrations_closed'] },
  });
}

/** Refuses what begins with a letter while none can be sent. Throws `registrations_closed` with the reasons. */
export async function requireLetters(runtime: Runtime, now: Date): Promise<void> {
  const reasons = await letterReasons(runtime, now);
  if (reasons.length === 0) return;
  throw new Problem('registrations_closed', 'Letters cannot be sent right now, so nobody could confirm.', {
    // A mail server comes back by itself; a setting does not.
    ...(runtime.mailer
      ? { members: { reasons, retryable: true }, headers: { 'Retry-After': '60' } }
      : { members: { reasons } }),
  });
}

/** Why no letters can be sent; empty when they can. */
async function letterReasons({ mailer }: Runtime, now: Date): Promise<string[]> {
  if (!mailer) return ['registrations_closed'];
  return (await mailer.wasReachable(now)) ? [] : ['mail_unreachable'];
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

/** The refusal of a rail that cannot be used, with its reasons; `silent` is what did not answer. */
export function railUnavailable(
  runtime: Runtime,
  rail: 'card' | 'x402',
  silent: 'facilitator_unreachable' | 'chain_unreachable' = 'facilitator_unreachable',
): Problem {
  const reasons = rail === 'card' ? cardReasons : runtime.x402 ? [silent] : ['x402_not_configured'];
  return unavailable(`The rail ${rail} cannot be used right now.`, reasons);
}

/** An operator's switches and absent settings: asking again changes nothing about them (specification 2.2). */
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

async function x402Now({ x402 }: Runtime, off: Switches, now: Date): Promise<Availability['rails']['x402']> {
  if (!x402) return { networks: [], reasons: ['x402_not_configured'], state: 'unavailable' };
  if (off.has('x402')) return { networks: [...x402.networks], reasons: ['rail_disabled'], state: 'unavailable' };
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
