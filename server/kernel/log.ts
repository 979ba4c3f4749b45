/**
 * One JSON line per event on standard error. Fields are keys, codes, counts and durations: never content, never a
 * secret. An error is logged by name, code and stack, because messages can quote input.
 */
export function log(event: string, fields: Record<string, string | number | boolean | null | undefined> = {}): void {
  process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`);
}

/** What of an error may be logged. */
export function errorFields(error: unknown): { error: string; code?: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const stack = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
    .join('\n');
  return { error: error.name, ...(code ? { code } : {}), ...(stack ? { stack } : {}) };
}
