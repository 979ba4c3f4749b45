import path from 'node:path';
import { systemClock } from './clock.ts';

/** The process that wrote the line, from `server/start.ts`. */
const role = path.basename(process.argv[1] ?? 'node').replace(/\.\w+$/, '');

/**
 * One JSON line per event on standard error. Fields are keys, codes, counts and durations: never content, never a
 * secret. Errors are logged by name, code and stack, because messages can quote input.
 */
export function log(event: string, fields: Record<string, string | number | boolean | null | undefined> = {}): void {
  const level = 'error' in fields ? 'error' : 'info';
  const line = { event, time: systemClock().toISOString(), level, process: `${role}:${process.pid}`, ...fields };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/** The loggable part of an error. */
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
