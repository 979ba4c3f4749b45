/** How many purchases there were in each step of the period: bars with their text alternative, each leading to its day. */
export function Bars({ series }: { series: readonly { at: string; count: number }[] }) {
  const highest = Math.max(1, ...series.map(({ count }) => count));
  const peak = series.find(({ count }) => count === highest);
  const width = 100 / Math.max(1, series.length);
  const [first, last] = [series[0], series.at(-1)];
  return (
    <figure>
      <svg
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line"
        role="img"
        aria-label={
          peak
            ? `Purchases over time. Highest at ${peak.at.slice(5, 16).replace('T', ' ')} UTC with ${peak.count}.`
            : 'No purchases.'
        }
      >
        {series.map(({ at, count }, index) => (
          <rect
            key={at}
            x={index * width + width * 0.1}
            width={width * 0.8}
            y={40 - (40 * count) / highest}
            height={(40 * count) / highest}
            className="fill-ink-2"
          />
        ))}
      </svg>
      <figcaption className="mt-1 flex justify-between text-meta text-ink-3 tabular-nums">
        <span>{first?.at.slice(5, 16).replace('T', ' ')}</span>
        <span>at most {highest}</span>
        <span>{last?.at.slice(5, 16).replace('T', ' ')} UTC</span>
      </figcaption>
    </figure>
  );
}
