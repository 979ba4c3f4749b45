/** Titles are no longer than this, in characters. */
const titleMax = 120;

/** What a purchase is called: the first line of its request; null when there is none, or no longer. Pure. */
export function titleOf(request: unknown): string | null {
  if (typeof request !== 'string') return null;
  const line =
    request
      .split('\n')
      .find((one) => one.trim() !== '')
      ?.trim() ?? '';
  if (line === '') return null;
  return line.length > titleMax ? `${line.slice(0, titleMax - 1).trimEnd()}…` : line;
}
