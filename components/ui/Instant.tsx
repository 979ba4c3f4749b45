import { type InstantPrecision, instantText } from '@/server/kernel/instant-text.ts';

/** A time by `instantText`, with seconds on hover. `dateTime` and hover always have all of it. */
export function Instant({ at, precision = 'minute' }: { at: string | Date; precision?: InstantPrecision }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}>
      {instantText(at, precision)}
    </time>
  );
}
