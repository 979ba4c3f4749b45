import { errorFields, log } from '../kernel/log.ts';

/**
 * A page cannot set its own status without throwing, and what throws is shown by script alone. So it is shown as any
 * other page is, notes its status under the id of the request, and the server in front of it sends that.
 */

/** Where the server in front writes the id of a request, over whatever a client sent under this name. */
export const requestIdHeader = 'x-request-id';

/** Pages are bundled apart from the server: both find the same map under a symbol of the process. */
const statuses: unique symbol = Symbol.for('work-check page statuses');
const home = globalThis as { [statuses]?: Map<string, number> };
home[statuses] ??= new Map();

/** Notes that the page which answers this request shows nothing that is there. */
export function noteMissing(requestId: string): void {
  home[statuses]?.set(requestId, 404);
}

/** Notes that the page broke, and writes the cause into the log: the page itself only names the request. */
export function noteBroken(requestId: string, error: unknown): void {
  log('page_failed', { request_id: requestId, ...errorFields(error) });
  home[statuses]?.set(requestId, 500);
}

/** The status that the page has noted, once. */
export function statusNoted(requestId: string): number | undefined {
  const status = home[statuses]?.get(requestId);
  home[statuses]?.delete(requestId);
  return status;
}
