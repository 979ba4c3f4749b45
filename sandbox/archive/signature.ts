import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SANDBOX_ACCESS_KEY_ID, SANDBOX_SECRET_ACCESS_KEY } from './keys.ts';

const CLOCK_MS_MAX = 15 * 60_000;

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The S3 error code of a request whose signature (AWS Signature Version 4, in the Authorization header) or body does
 * not hold; null when both do.
 */
export function signatureFault(request: IncomingMessage, body: Buffer, now: Date): string | null {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (!parts) return 'AccessDenied';
  const [, keyId = '', day = '', region = '', signedHeaders = '', signature = ''] = parts;
  if (keyId !== SANDBOX_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  const headers = signedHeaders.split(';');
  if (!headers.includes('host') || !headers.includes('x-amz-date')) return 'AccessDenied';
  const at = String(request.headers['x-amz-date'] ?? '');
  const time = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!at.startsWith(day) || !(Math.abs(time - now.getTime()) <= CLOCK_MS_MAX)) return 'RequestTimeTooSkewed';
  const content = String(request.headers['x-amz-content-sha256'] ?? '');
  if (content !== hash('sha256', body)) return 'XAmzContentSHA256Mismatch';
  const url = new URL(request.url ?? '/', 'http://localhost');
  const canonical = [
    request.method,
    url.pathname,
    [...url.searchParams]
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .toSorted()
      .join('&'),
    ...headers.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    signedHeaders,
    content,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, hash('sha256', canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${SANDBOX_SECRET_ACCESS_KEY}`, day));
  const wanted = hmac(key, toSign);
  return timingSafeEqual(wanted, Buffer.from(signature, 'hex')) ? null : 'SignatureDoesNotMatch';
}
