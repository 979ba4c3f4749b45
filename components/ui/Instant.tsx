const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** How precise the visible time is; `dateTime` and hover always have all of it. */
export type InstantPrecision = 'minute' | 'day';

/**
 * A time as pages write it, in UTC: `20 Nov 2026, 13:51 UTC`, or `20 Nov 2026` for a day.
 *
 * @throws RangeError for an invalid `at`
 */
export function instantText(at: string | Date, precision: InstantPrecision = 'minute'): string {
  const iso = new Date(at).toISOString();
  const day = `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(0, 4)}`;
  return precision === 'day' ? day : `${day}, ${iso.slice(11, 16)} UTC`;
}

/** A time by `instantText`, with seconds on hover. */
export function Instant({ at, precision = 'minute' }: { at: string | Date; precision?: InstantPrecision }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}>
      {instantText(at, precision)}
    </time>
  );
}
