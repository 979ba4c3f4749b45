import path from 'node:path';
import { systemClock } from './clock.ts';

/** `start` of `server/start.ts`: which of the processes wrote a line. */
const role = path.basename(process.argv[1] ?? 'node').replace(/\.\w+$/, '');

/**
 * One JSON line per event on standard error: when, how grave, from which process, what. Fields are keys, codes, counts
 * and durations: never content, never a secret. An error is logged by name, code and stack, because messages can quote
 * input.
 */
export function log(event: string, fields: Record<string, string | number | boolean | null | undefined> = {}): void {
  const level = 'error' in fields ? 'error' : 'info';
  const line = { event, time: systemClock().toISOString(), level, process: `${role}:${process.pid}`, ...fields };
  process.stderr.write(`${JSON.stringify(line)}\n`);
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
