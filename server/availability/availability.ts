import { isDatabaseTrouble, type Queries } from '../kernel/database.ts';
import { skewMaxSeconds } from '../kernel/database-clock.ts';
import { isDiskFull } from '../kernel/disk.ts';
import { currency, toWire } from '../kernel/money.ts';
import { type RailName, railNames } from '../payments/contract.ts';
import type { Rails, Standing } from '../payments/rail.ts';
import { railUnavailable, unavailable } from '../payments/unavailable.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { price, service } from '../service/terms.ts';
import type { SwitchName } from './contract.ts';
import { saleIsOff, switchedOff, switchedOffAndClosed } from './switches.ts';

export interface Availability {
  checked_at: string;
  contract_version: string;
  price: { amount_microcents: number; currency: 'USD'; pricing_status: 'approved' };
  purchasable_rails: RailName[];
  rails: {
    card: { methods: string[]; mode: string; reasons: string[]; state: RailState };
    x402: { networks: string[]; reasons: string[]; state: RailState };
  };
  reasons: string[];
  registrations: { state: 'open' | 'closed'; reasons: string[] };
  service_key: string;
  state: RailState;
}

/** Said whenever nothing can be paid, whatever the cause (service contract, 2.2). */
const noRail = 'no_payment_rail_available';

type RailState = 'available' | 'unavailable';
type Switches = ReadonlySet<SwitchName>;

/**
 * What can be bought now, and what prevents it (specification 2.2). Uses what is known of providers: never waits for
 * one that hangs.
 */
export async function availability(runtime: Runtime, now: Date): Promise<Availability> {
  const [{ off, isClosed }, hasAssessor, letters] = await Promise.all([
    knownSwitches(runtime),
    runtime.assessorProbe?.wasUp(now) ?? true,
    letterReasons(runtime, now),
  ]);
  const rails = await railsNow(runtime, off, now);
  const usable = railNames.filter((name) => rails[name].state === 'available');
  const broken = [
    ...(isClosed ? ['database_unreachable'] : []),
    ...(isDiskFull(runtime.db) ? ['database_full'] : []),
    ...(Math.abs(runtime.skewSeconds()) > skewMaxSeconds ? ['clock_differs'] : []),
  ];
  const causes = [
    ...broken,
    ...(off.has('service') ? ['service_disabled'] : []),
    ...(runtime.configuration.assessorIsChosen ? [] : ['assessor_not_configured']),
    ...(hasAssessor ? [] : ['assessor_unreachable']),
  ];
  const purchasable = causes.length === 0 ? usable : [];
  const reasons = [...causes, ...(purchasable.length > 0 ? [] : [noRail])];
  const registrations = [...broken, ...(off.has('registrations') ? ['registrations_closed'] : letters)];
  return {
    checked_at: now.toISOString(),
    contract_version: service.contractVersion,
    price: { amount_microcents: toWire(price), currency, pricing_status: 'approved' },
    purchasable_rails: purchasable,
    rails,
    reasons,
    registrations: { state: registrations.length === 0 ? 'open' : 'closed', reasons: registrations },
    service_key: service.serviceKey,
    state: reasons.length === 0 ? 'available' : 'unavailable',
  };
}

/** The switches that are off; none is known while the database is down: the contract stays readable. */
function knownSwitches({ db }: Runtime): Promise<{ off: Switches; isClosed: boolean }> {
  return switchedOffAndClosed(db.shared).catch((error) => {
    if (isDatabaseTrouble(error)) return { off: new Set<SwitchName>(), isClosed: true };
    throw error;
  });
}

/** The rails that are set up here. */
export function railsSetUp({ rails }: Pick<Runtime, 'rails'>): RailName[] {
  return railNames.filter((name) => rails.get(name)?.isSetUp);
}

/** Throws `registrations_closed`, with the reasons, while nobody can register. */
export async function requireRegistrations(db: Queries, runtime: Runtime, now: Date): Promise<void> {
  if (!(await switchedOff(db)).has('registrations')) return requireLetters(runtime, now);
  throw new Problem('registrations_closed', 'Registration is closed for now.', {
    members: { reasons: ['registrations_closed'] },
  });
}

/** Throws `registrations_closed`, with the reasons, while no mail can be sent. */
export async function requireLetters(runtime: Runtime, now: Date): Promise<void> {
  const reasons = await letterReasons(runtime, now);
  if (reasons.length === 0) return;
  throw new Problem('registrations_closed', 'Letters cannot be sent right now, so nobody could confirm.', {
    // Mail servers recover by themselves; settings do not.
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
export async function switchedOffRefusal(db: Queries, rails: Rails): Promise<Problem | null> {
  return saleOffRefusal([...(await switchedOff(db))], rails);
}

/** The same for switches already read. */
export function saleOffRefusal(off: readonly SwitchName[], rails: Rails): Problem | null {
  if (!saleIsOff(off, rails)) return null;
  if (off.includes('service')) return unavailable('No checks are sold for now.', ['service_disabled', noRail]);
  const names = [...rails.values()].filter(({ isSetUp }) => isSetUp).map(({ name }) => name);
  return unavailable(`The rail ${names.join(' and ') || 'x402'} is switched off for now.`, [
    ...names.map((name) => switchedOffReason[name]),
    noRail,
  ]);
}

/** What availability says of a rail that an operator has switched off. */
const switchedOffReason: Readonly<Record<RailName, string>> = { card: 'card_disabled', x402: 'rail_disabled' };

/** The refusal of a rail that an operator has switched off; null while it is on. */
export function railOffRefusal(off: readonly SwitchName[], name: RailName): Problem | null {
  if (!off.includes(name)) return null;
  return railUnavailable(name, [switchedOffReason[name]]);
}

/** The refusal while nothing is sold, with every reason. */
export function saleRefusal({ state, reasons, rails: shown }: Availability, rails: Rails): Problem | null {
  if (state === 'available') return null;
  // A rail that was never set up is worth mentioning only if none is.
  const all = [...rails.values()];
  const setUp = all.filter(({ isSetUp }) => isSetUp);
  const ofRails = (setUp.length > 0 ? setUp : all).flatMap(({ name }) => shown[name].reasons);
  return unavailable('Checks cannot be bought right now.', [...new Set([...reasons, ...ofRails])]);
}

/** The refusal of a rail that this build lacks. */
export function absentRail(name: RailName): Problem {
  return railUnavailable(name, absent[name].reasons);
}

/** The standing of a rail that this build lacks. */
const absent: Record<RailName, Standing> = {
  card: {
    methods: ['card_checkout', 'card_saved'],
    mode: 'unknown',
    reasons: [
      'card_disabled',
      'card_secret_missing',
      'card_webhook_secret_missing',
      'card_key_mode_unknown',
      'card_return_url_missing',
    ],
  },
  x402: { networks: [], reasons: ['x402_not_configured'] },
};

/** The standing of each rail, without waiting for providers. */
async function railsNow({ rails }: Runtime, off: Switches, now: Date): Promise<Availability['rails']> {
  const standing = async (name: RailName) => {
    const one = (await rails.get(name)?.standing(now, off.has(name))) ?? absent[name];
    const state: RailState = one.reasons.length === 0 ? 'available' : 'unavailable';
    return { ...one, state };
  };
  const [card, x402] = await Promise.all([standing('card'), standing('x402')]);
  return {
    card: { methods: card.methods ?? [], mode: card.mode ?? 'unknown', reasons: card.reasons, state: card.state },
    x402: { networks: x402.networks ?? [], reasons: x402.reasons, state: x402.state },
  };
}
