const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** How much of the instant the reader needs to see; the whole of it is always in `dateTime` and on hover. */
export type InstantPrecision = 'minute' | 'day';

/**
 * An instant as the pages write it, always in UTC: `20 Nov 2026, 13:51 UTC`, or `20 Nov 2026` for a day.
 *
 * @throws RangeError when `at` is not an instant
 */
export function instantText(at: string | Date, precision: InstantPrecision = 'minute'): string {
  const iso = new Date(at).toISOString();
  const day = `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(0, 4)}`;
  return precision === 'day' ? day : `${day}, ${iso.slice(11, 16)} UTC`;
}

/** An instant in the words of `instantText`, its seconds on hover. */
export function Instant({ at, precision = 'minute' }: { at: string | Date; precision?: InstantPrecision }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}>
      {instantText(at, precision)}
    </time>
  );
}
