import type { IncomingMessage } from 'node:http';
import { Problem } from '../door/problem.ts';
import { countRequest, paced } from '../door/rate-limit.ts';
import type { Runtime } from '../runtime.ts';
import { bodyTooLarge } from './body.ts';

/** The largest form holds a document of 64 KiB. Allow some excess, to explain it on the page. */
const maxFormBytes = 262_144;
/**
 * Longer than any address of our pages; what was typed into a refused form comes back in it. Next takes longer over a
 * query than over the page, in each of its layers.
 */
const maxAddressLength = 12_288;
const maxParameters = 32;

/**
 * Why not to hand a request to Next; null to hand it over. Next buffers up to 10 MB of any request before a page's own
 * limits apply.
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

/** Counts a page, or anything as costly, against its block of addresses; returns the refusal of one too many. */
export async function countPage(
  { db, configuration, clock }: Pick<Runtime, 'db' | 'configuration' | 'clock'>,
  origin: string | null,
): Promise<Problem | null> {
  const { rateLimits } = configuration;
  try {
    const counts = origin === null ? [] : await countRequest(db.shared, origin, 'pages', rateLimits, clock());
    paced(counts, rateLimits, clock());
    return null;
  } catch (error) {
    // Pages that need no database stay up without one.
    return error instanceof Problem ? error : null;
  }
}
