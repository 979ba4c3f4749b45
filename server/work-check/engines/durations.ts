import type { Quantity } from '../reading/quantity.ts';

const MINUTES = new Map([
  ['minute', 1],
  ['hour', 60],
]);
const DAY_MINUTES = 1_440;
const SPAN = /\bfrom\s+$/i;
const TO = /^\s*(?:to|until|till|[-–])\s*$/i;
/** "…, 19 minutes", "(8 minutes)", "…, that is 8 minutes": the length of the span that stands right before it. */
const LENGTH = /^,?\s*(?:\(|(?:that is|i\.e\.|or|for|a total of|lasting|which is)?,?\s*)$/i;

/** "From 06:12 to 06:31, 29 minutes": a span and its length side by side that do not agree. */
export function findWrongDuration(
  text: string,
  quantities: readonly Quantity[],
): { claimed: string; says: string } | undefined {
  for (const [at, from] of quantities.entries()) {
    const [to, length] = [quantities[at + 1], quantities[at + 2]];
    if (from.kind !== 'time' || to?.kind !== 'time' || length === undefined) continue;
    const minutes = MINUTES.get(length.unit);
    if (minutes === undefined || length.kind !== 'number') continue;
    if (!SPAN.test(text.slice(0, from.start)) || !TO.test(text.slice(from.end, to.start))) continue;
    if (!LENGTH.test(text.slice(to.end, length.start))) continue;
    const apart = (to.value - from.value + DAY_MINUTES) % DAY_MINUTES;
    const said = length.value * minutes;
    // "2 hours 15 minutes" goes on behind its first figure, and hours may be rounded.
    if (quantities[at + 3]?.unit === 'minute' || Math.abs(apart - said) < minutes) continue;
    return {
      claimed: text.slice(length.start, length.end),
      says: `${text.slice(from.start, from.end)} to ${text.slice(to.start, to.end)} is ${apart} minutes`,
    };
  }
  return undefined;
}
