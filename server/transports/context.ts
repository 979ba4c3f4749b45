import { containsToken } from '../identity/token.ts';
import { digestOf } from '../kernel/digest.ts';
import { newKey } from '../kernel/id.ts';
import { Problem } from '../problems/problem.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { Asked } from './exchange.ts';
import { addressBlock, peerOf } from './peer.ts';

/** Longest wait for a change. */
const maxWaitSeconds = 25;
/** An idempotency key is a short name, not content. */
export const maxKeyLength = 255;

/** The parts of an HTTP request that are not input, not verified yet. */
export function contextOf(runtime: Runtime, request: Asked): Context {
  const { headers } = request;
  return {
    runtime,
    now: runtime.clock(),
    requestId: newKey('req'),
    baseUrl: runtime.configuration.baseUrl,
    presented: { bearer: bearerOf(headers.get('authorization')), memberSession: null },
    origin: addressBlock(peerOf(request)),
    idempotencyKey: headers.get('idempotency-key'),
    payment: headers.get('payment-signature'),
    isVersion1: headers.get('x-payment') !== null,
    signIn: headers.get('sign-in-with-x'),
    wait: waitOf(headers.get('prefer'), headers.get('if-none-match')),
  };
}

/** The context of a page: the signed-in visitor's session, and the asking address where that counts. */
export function pageContext(
  runtime: Runtime,
  memberSession: string | null,
  address: string | null = null,
  bearer: string | null = null,
): Context {
  return {
    runtime,
    now: runtime.clock(),
    requestId: newKey('req'),
    baseUrl: runtime.configuration.baseUrl,
    presented: { bearer, memberSession },
    origin: addressBlock(address),
    isPage: true,
    idempotencyKey: null,
    payment: null,
    isVersion1: false,
    signIn: null,
    wait: null,
  };
}

/** The context of an operator's command. */
export function operatorContext(runtime: Runtime): Context {
  const context = pageContext(runtime, null);
  return { ...context, presented: { ...context.presented, operator: 'operator' } };
}

/** Refuse a credential in the address: addresses end up in logs. */
export function refuseTokenInUrl(url: URL): void {
  if (holdsToken(url)) throw credentialInUrl();
}

/** The refusal of an address that holds a credential. */
export function credentialInUrl(): Problem {
  return new Problem('credential_in_url', 'The URL contains a credential of this service.');
}

/** Whether the address holds a credential, encoded or not. */
export function holdsToken({ pathname, search }: URL): boolean {
  // Byte by byte: a token beside invalid UTF-8 is still a token.
  const decoded = (pathname + search).replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return containsToken(decoded);
}

/** The key of a request, from the header, the body or both. */
export function idempotencyKeyOf(header: string | null, body: Record<string, unknown>): string | null {
  const { idempotency_key: inBody } = body;
  if (inBody !== undefined && (typeof inBody !== 'string' || inBody.length === 0 || inBody.length > maxKeyLength)) {
    throw invalidKey();
  }
  if (header !== null && (header.length === 0 || header.length > maxKeyLength)) throw invalidKey();
  if (header !== null && inBody !== undefined && header !== inBody) {
    throw new Problem('idempotency_key_mismatch', 'The header and the body carry different idempotency keys.');
  }
  const key = header ?? inBody ?? null;
  if (key?.includes('\0') || key?.isWellFormed() === false) throw invalidKey();
  return key;
}

function invalidKey(): Problem {
  const detail = `An idempotency key is a text of 1 to ${maxKeyLength} characters.`;
  return new Problem('validation_failed', detail, {
    errors: [{ pointer: '/idempotency_key', code: 'invalid_key', detail, limit: maxKeyLength }],
  });
}

function bearerOf(authorization: string | null): string | null {
  if (authorization === null) return null;
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  // A credential was sent: don't treat it as none.
  return token ?? '';
}

function waitOf(prefer: string | null, ifNoneMatch: string | null): Context['wait'] {
  const [, seconds] = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/.exec(prefer ?? '') ?? [];
  if (seconds === undefined) return null;
  const [, hex] = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(ifNoneMatch?.trim() ?? '') ?? [];
  return { seconds: Math.min(Number(seconds), maxWaitSeconds), seen: hex ? `sha256:${hex}` : null };
}

/** The strong ETag of an answer. */
export function etagOf(text: string): string {
  return `"${digestOf(text).slice('sha256:'.length)}"`;
}
