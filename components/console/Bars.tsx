interface Props {
  series: readonly { at: string; count: number }[];
  /** The list for one step on one day. */
  hrefOf: (day: string) => string;
}

const dayOf = (at: string): string => at.slice(0, 10);
const stepText = (at: string): string => at.slice(5, 16).replace('T', ' ');

/** The number of purchases in each step of the period; each bar and day links to its list. */
export function Bars({ series, hrefOf }: Props) {
  const highest = Math.max(1, ...series.map(({ count }) => count));
  const peak = series.find(({ count }) => count === highest);
  const width = 100 / Math.max(1, series.length);
  const [first, last] = [series[0], series.at(-1)];
  const days = Map.groupBy(series, ({ at }) => dayOf(at));
  return (
    <figure>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" className="h-40 w-full border-b border-line" aria-hidden>
        {series.map(({ at, count }, index) => (
          // Keyboards and screen readers use the same links below.
          <a key={at} href={hrefOf(dayOf(at))} tabIndex={-1}>
            <rect x={index * width} width={width} y={0} height={40} className="fill-transparent hover:fill-hover" />
            <rect
              x={index * width + width * 0.1}
              width={width * 0.8}
              y={40 - (40 * count) / highest}
              height={(40 * count) / highest}
              className="fill-ink-2"
            />
          </a>
        ))}
      </svg>
      <figcaption className="mt-1 flex flex-wrap justify-between gap-x-3 text-meta whitespace-nowrap text-ink-3 tabular-nums">
        <span>{first ? stepText(first.at) : ''}</span>
        <span className="max-md:order-1 max-md:w-full">
          {peak ? `At most ${peak.count}, at ${stepText(peak.at)}` : 'No purchases'}
        </span>
        <span>{last ? stepText(last.at) : ''} UTC</span>
      </figcaption>
      <details className="mt-2 text-dense">
        <summary className="min-h-6 cursor-pointer">By day</summary>
        <ul className="mt-1 flex flex-wrap gap-x-5">
          {[...days].map(([day, steps]) => (
            <li key={day}>
              <a className="link inline-flex min-h-6 items-center gap-2 tabular-nums" href={hrefOf(day)}>
                {day}: {steps.reduce((sum, { count }) => sum + count, 0)}
              </a>
            </li>
          ))}
        </ul>
      </details>
    </figure>
  );
}
