import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Asked } from './exchange.ts';

const peers = new WeakMap<Asked, string>();

/** Notes who is at the other end of the connection that a request came over. */
export function notePeer(request: Asked, address: string | undefined): void {
  if (address) peers.set(request, address);
}

/** The address at the other end; null when the server in front did not note it. */
export function peerOf(request: Asked): string | null {
  return peers.get(request) ?? null;
}

/**
 * Where the server in front writes who called, for the pages behind it: they cannot see the connection. It is written
 * over whatever a client sent under this name.
 */
export const callerHeader = 'x-caller-address';

/** Notes who called, for a route behind the server in front. */
export function noteCaller(request: Request): void {
  notePeer(request as Asked, request.headers.get(callerHeader) ?? undefined);
}

/**
 * The block of addresses that one party usually holds: `203.0.113.0/24`, `2001:db8:1::/48`. Null for what is none.
 */
export function addressBlock(address: string | null): string | null {
  // The library also takes addresses of fewer parts, and octal ones.
  if (address === null || !isIP(address)) return null;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return `${known.octets.slice(0, 3).join('.')}.0/24`;
  const site = known.parts.slice(0, 3).map((group) => group.toString(16));
  return `${site.join(':')}::/48`;
}
