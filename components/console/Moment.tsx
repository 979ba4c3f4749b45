const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** The distance in time: `3 min ago`, `in 2 d`. */
export function relativeText(at: string, now: Date): string {
  const seconds = Math.round((now.getTime() - Date.parse(at)) / 1_000);
  const [size, unit] = units.find(([each]) => Math.abs(seconds) >= each) ?? [1, 's'];
  const count = Math.round(Math.abs(seconds) / size);
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

/** A time for operators: day and second in UTC, the year if it is another, and the distance. */
export function Moment({ at, now }: { at: string; now: Date }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`} className="whitespace-nowrap">
      {iso.slice(0, 4) === now.toISOString().slice(0, 4) ? iso.slice(5, 10) : iso.slice(0, 10)} {iso.slice(11, 19)}
      <span className="block text-meta text-ink-3">{relativeText(iso, now)}</span>
    </time>
  );
}
