/** Length of a title, in characters. */
const titleMax = 120;

/** The title of a purchase: the first line of its request; null without one. Pure. */
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
