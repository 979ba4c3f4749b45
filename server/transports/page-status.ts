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

/** Notes the status of the page that answers this request. */
export function noteStatus(requestId: string, status: number): void {
  home[statuses]?.set(requestId, status);
}

/** The status that the page has noted, once. */
export function statusNoted(requestId: string): number | undefined {
  const status = home[statuses]?.get(requestId);
  home[statuses]?.delete(requestId);
  return status;
}
