const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** How precise the visible time is. */
export type InstantPrecision = 'minute' | 'day';

/**
 * A time as pages and letters write it, in UTC: `20 Nov 2026, 13:51 UTC`, or `20 Nov 2026` for a day.
 *
 * @throws RangeError for an invalid `at`
 */
export function instantText(at: string | Date, precision: InstantPrecision = 'minute'): string {
  const iso = new Date(at).toISOString();
  const day = `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(0, 4)}`;
  return precision === 'day' ? day : `${day}, ${iso.slice(11, 16)} UTC`;
}
