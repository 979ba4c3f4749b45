import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Asked } from './exchange.ts';

const peers = new WeakMap<Asked, string>();

/** Records the address at the other end of a request's connection. */
export function notePeer(request: Asked, address: string | undefined): void {
  if (address) peers.set(request, address);
}

/** The address at the other end; null if not recorded. */
export function peerOf(request: Asked): string | null {
  return peers.get(request) ?? null;
}

/**
 * The header in which the server in front tells pages who called, because they cannot see the connection. Overwrites
 * any that a client sent.
 */
export const callerHeader = 'x-caller-address';

/** Records who called, for a route behind the server in front. */
export function noteCaller(request: Request): void {
  notePeer(request as Asked, request.headers.get(callerHeader) ?? undefined);
}

/** The block of addresses that one party usually holds: `203.0.113.0/24`, `2001:db8:1::/48`. Null for a non-address. */
export function addressBlock(address: string | null): string | null {
  // The library also accepts shortened and octal addresses.
  if (address === null || !isIP(address)) return null;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return `${known.octets.slice(0, 3).join('.')}.0/24`;
  const site = known.parts.slice(0, 3).map((group) => group.toString(16));
  return `${site.join(':')}::/48`;
}
