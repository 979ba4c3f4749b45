import { errorFields, log } from '../kernel/log.ts';

/**
 * A Next page cannot set a status without throwing, and what throws renders by script alone. So pages note their status
 * under the request id, and the server in front sends it. They note what they read, too, by which it counts them.
 */

/** The header with the request id; overwrites any that a client sent. */
export const requestIdHeader = 'x-request-id';

/** Pages are bundled apart: share one map under a global symbol. */
const statuses: unique symbol = Symbol.for('work-check page statuses');
const home = globalThis as { [statuses]?: Map<string, number> };
home[statuses] ??= new Map();

const reads: unique symbol = Symbol.for('work-check page reads');
const counted = globalThis as { [reads]?: Map<string, number> };
counted[reads] ??= new Map();

/** Notes 404 for this request. */
export function noteMissing(requestId: string): void {
  home[statuses]?.set(requestId, 404);
}

/** Notes 500 and logs the cause; the page shows only the request id. */
export function noteBroken(requestId: string, error: unknown): void {
  log('page_failed', { request_id: requestId, ...errorFields(error) });
  home[statuses]?.set(requestId, 500);
}

/** The noted status, once. */
export function statusNoted(requestId: string): number | undefined {
  const status = home[statuses]?.get(requestId);
  home[statuses]?.delete(requestId);
  return status;
}

/** Begins to count what the page of this request reads. */
export function beginReads(requestId: string): void {
  counted[reads]?.set(requestId, 0);
}

/** Notes so many characters that a page reads to show them. Forgotten once it was drawn. */
export function noteRead(requestId: string, characters: number): void {
  const before = counted[reads]?.get(requestId);
  if (before !== undefined) counted[reads]?.set(requestId, before + characters);
}

/** The characters that the page read, once. */
export function readsNoted(requestId: string): number {
  const characters = counted[reads]?.get(requestId) ?? 0;
  counted[reads]?.delete(requestId);
  return characters;
}
