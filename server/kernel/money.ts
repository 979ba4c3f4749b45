/**
 * Money is a whole number of microcents: 1 USD = 100,000,000. It is never a float, and the only conversions to what
 * a payment rail counts in are the ones below, which refuse an amount that does not convert exactly.
 */
export type Microcents = bigint & { readonly unit: 'microcents' };

/** Everything is priced in US dollars in version 1. */
export const currency = 'USD';

/** 1 USDC has 6 decimals, so its smallest unit is a millionth of a dollar. */
const microcentsPerTokenUnit = 100n;
const microcentsPerUsd = 100_000_000n;

/** Microcents from a database `bigint`, a literal or a validated wire integer. Throws on a fraction. */
export function microcents(amount: bigint | number): Microcents {
  if (typeof amount === 'number' && !Number.isSafeInteger(amount)) {
    throw new RangeError(`${amount} is not a whole number of microcents`);
  }
  return BigInt(amount) as Microcents;
}

/** The amount as a JSON integer. Throws beyond 2^53 - 1 (about 90 million USD), which no limit here allows. */
export function toWire(amount: bigint): number {
  const wire = Number(amount);
  if (!Number.isSafeInteger(wire)) throw new RangeError(`${amount} microcents do not fit a JSON integer`);
  return wire;
}

/** The amount in the smallest unit of a six-decimal dollar token (USDC), as the decimal string x402 speaks. */
export function toTokenUnits(amount: Microcents): string {
  if (amount % microcentsPerTokenUnit !== 0n) throw new RangeError(`${amount} microcents are not whole token units`);
  return (amount / microcentsPerTokenUnit).toString();
}

/** Microcents of an amount in the smallest units of a six-decimal dollar token. */
export function fromTokenUnits(units: bigint): Microcents {
  return microcents(units * microcentsPerTokenUnit);
}

/** What a person typed as dollars, exactly: `10`, `10.00`, `1,000.5`. Null for anything else. */
export function fromText(text: string): Microcents | null {
  const [, whole, fraction = ''] = /^(\d{1,3}(?:,?\d{3}){0,3})(?:\.(\d{1,8}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  return (BigInt(whole.replaceAll(',', '')) * microcentsPerUsd + BigInt(fraction.padEnd(8, '0'))) as Microcents;
}

/** Exact dollars for people, with at least two decimals: `5.00 USD`, `0.0001 USD`. */
export function toText(amount: bigint): string {
  const sign = amount < 0n ? '-' : '';
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % microcentsPerUsd)
    .toString()
    .padStart(8, '0')
    .replace(/0{1,6}$/, '');
  return `${sign}${size / microcentsPerUsd}.${fraction} ${currency}`;
}
