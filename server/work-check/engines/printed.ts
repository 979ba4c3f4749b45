const WRITTEN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** How a number is written in a computed sentence: up to four digits behind the point, thousands marked. */
export function written(value: number): string {
  return WRITTEN.format(value);
}

/** Half of the last digit that is printed: what a figure may be off and still be the one printed. */
export function printedTolerance(text: string): number {
  const digits = /\d[\d,]*(?:\.(\d+))?/.exec(text);
  const decimals = digits?.[1]?.length ?? 0;
  return 0.5 * 10 ** -decimals + 1e-9;
}
