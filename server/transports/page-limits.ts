import type { IncomingMessage, ServerResponse } from 'node:http';
import { chargeMore, countRequest, paced } from '../operation/rate-limit.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { bodyTooLarge } from './body.ts';
import { pageTurn } from './page-turns.ts';

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
    const counts =
      origin === null ? [] : await countRequest(db.shared, { subject: origin, name: 'pages' }, rateLimits, clock());
    paced(counts, rateLimits, clock());
    return null;
  } catch (error) {
    // Pages that need no database stay up without one.
    return error instanceof Problem ? error : null;
  }
}

/** The home page takes about as long to draw as so many characters that a page reads. */
const charactersOfAPage = 65_536;

/** Counts a drawn page once more for each part that it read, so that a large one costs as much as it takes. */
export async function chargePage(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  origin: string | null,
  characters: number,
): Promise<void> {
  const more = Math.floor(characters / charactersOfAPage);
  // It is drawn already: without a database it costs what it was counted for.
  if (origin === null || more === 0) return;
  await chargeMore(db.shared, { subject: origin, name: 'pages' }, more, clock()).catch(() => {});
}

/** Waits for the turn of a page among those of its block; returns what ends it, or why the page is not drawn. */
export async function pageWaits(origin: string | null, res: ServerResponse): Promise<(() => void) | Problem | 'gone'> {
  const turn = origin === null ? () => {} : await pageTurn(origin, res);
  if (turn !== 'full') return turn;
  return new Problem('rate_limited', 'Too many pages wait for your network already.', {
    headers: { 'Retry-After': '1' },
  });
}
