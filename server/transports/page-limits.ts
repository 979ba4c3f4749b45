import type { IncomingMessage } from 'node:http';
import { Problem } from '../door/problem.ts';
import { bodyTooLarge } from './body.ts';

/** The largest form is one with a document in it, of 64 KiB. Who chose a file that is somewhat larger is told on the page. */
const maxFormBytes = 262_144;
/** No page of ours has a longer address: what was typed into a form that is refused comes back in it. Next takes longer over a query than over the page, in each of its layers. */
const maxAddressLength = 12_288;
const maxParameters = 32;

/**
 * Why a request is not handed to Next; null when it is. Next keeps the body of any request in memory, up to 10 MB, and
 * the pages' own limits look at it only then.
 */
export function pageFault({ method, url = '/', headers }: IncomingMessage): Problem | null {
  if (url.length > maxAddressLength) {
    return new Problem('malformed_request', `The address of a page has ${maxAddressLength} characters at most.`);
  }
  if (url.split('&', maxParameters + 1).length > maxParameters) {
    return new Problem('malformed_request', `A page takes ${maxParameters} parameters at most.`);
  }
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
  const maxBytes = method === 'POST' ? maxFormBytes : 0;
  return length > maxBytes ? bodyTooLarge(maxBytes) : null;
}
