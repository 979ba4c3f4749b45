import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch, type RequestInit } from 'undici';

/** Requests to addresses that strangers name: they must not reach our own network. */

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  // An IPv4 address inside an IPv6 one counts as itself.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/**
 * Resolves a host to public addresses only, and refuses it when any other is among them. The connection goes to what
 * was checked: a name that resolves differently a moment later gains nothing.
 */
export function publicLookup(through: typeof resolve = resolve): LookupFunction {
  return (host, options, callback) => {
    through(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new Error(`${host} is not on the public internet`), '');
      }
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

const agent = new Agent({ connect: { lookup: publicLookup(), timeout: 3_000 }, headersTimeout: 3_000 });

/** `fetch` for an https address of the public internet, without redirects. Rejects for any other. */
export async function fetchPublic(
  address: string | URL,
  request: Pick<RequestInit, 'method' | 'headers' | 'signal' | 'body'>,
) {
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:') throw new Error('only https is fetched');
  const host = hostname.replace(/^\[|\]$/g, '');
  // A literal address is never looked up.
  if (isIP(host) && !isPublicAddress(host)) throw new Error(`${host} is not on the public internet`);
  return fetch(address, { ...request, redirect: 'manual', dispatcher: agent });
}
