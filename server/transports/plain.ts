import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import type { Runtime } from '../runtime.ts';
import { largestBytes } from './body.ts';
import type { Answer, Asked } from './exchange.ts';
import { notePeer } from './peer.ts';
import { dataHeaders } from './security-headers.ts';

/** The request for operations. Reads its body on demand. */
export function askedOf({ configuration }: Runtime, req: IncomingMessage): Asked {
  const request: Asked = {
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    headers: { get: (name) => headerOf(req, name) },
    allHeaders: () => allHeaders(req),
    body: null,
    read: (maxBytes) => readBytes(req, maxBytes),
  };
  notePeer(request, clientAddress(req, configuration.trustedProxies));
  return request;
}

function allHeaders(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(req.rawHeaders[index] ?? '', req.rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** The caller's address: the entry of our outermost proxy, or the peer without one. */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  const noted = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return noted && isIP(noted.split('%', 1)[0] ?? '') ? noted : req.socket.remoteAddress;
}

/** A header by its lower-case name. Several lines are one list (RFC 9110, 5.3). */
function headerOf(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** How much of an unread body to discard, so that its sender reads the answer. */
const drainedBytes = 8 * largestBytes;

/** The whole body; null for one that is too large. Listening takes 0.6 of the time of async iteration. */
function readBytes(req: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(null);
      if (size > drainedBytes) req.destroy();
    });
    req.on('error', reject);
    // The sender went away: there is nobody to answer.
    req.on('close', () => reject(new Error('the body ended early')));
    req.on('end', () => resolve(size > maxBytes ? null : Buffer.concat(chunks, size)));
  });
}

/** A body up to this size is always discarded: most of it has arrived. */
const littleBytes = 512 * 1024;
/** Of larger ones, so much in a minute: discarding takes three quarters of the CPU of refusing a body of 2 MiB. */
const drainedAMinute = 32 * largestBytes;
const minuteMs = 60_000;
const drained = { since: 0, bytes: 0 };

/** Whether the unread body may be discarded; counts it. Otherwise its sender may be cut off before it has read the answer. */
function mayDrain({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? drainedBytes);
  if (length <= littleBytes) return true;
  const now = performance.now();
  if (now - drained.since > minuteMs) Object.assign(drained, { since: now, bytes: 0 });
  drained.bytes += length;
  return drained.bytes <= drainedAMinute;
}

/** Discards the unread rest of a body. */
function drain(req: IncomingMessage): void {
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainedBytes) req.destroy();
  });
}

/** A shorter answer fits into a packet or two uncompressed. */
const compressedFromBytes = 1_024;
/** Compressing a longer one would block everybody else. */
const atOnceBytes = 32_768;
const quick = { level: constants.Z_BEST_SPEED };
const compress = promisify(gzip);

/** Sends an answer, compressed if accepted. Without a body for HEAD; a 304 has no content-length. */
export async function send(req: IncomingMessage, res: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, text } = answer;
  // An unread request body would block the connection's next request.
  if (!req.complete && req.readableFlowing === null) {
    if (mayDrain(req)) drain(req);
    else res.setHeader('connection', 'close');
  }
  if (text === null) {
    res.writeHead(status, { ...dataHeaders, ...headers });
    // A reader that went away ends the stream, and is no error of ours.
    if (answer.stream) await pipeline(Readable.from(answer.stream), res).catch(() => {});
    else res.end();
    return;
  }
  const isCompressed = Buffer.byteLength(text) >= compressedFromBytes && !answer.secret && takesGzip(req);
  const bytes = isCompressed ? await compressed(text) : Buffer.from(text);
  res.writeHead(status, {
    ...dataHeaders,
    ...headers,
    ...(answer.secret ? {} : { vary: 'accept-encoding' }),
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    'content-length': bytes.length,
  });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

function compressed(text: string): Buffer | Promise<Buffer> {
  return text.length > atOnceBytes ? compress(text, quick) : gzipSync(text, quick);
}

function takesGzip(req: IncomingMessage): boolean {
  return /(?:^|[,\s])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?(?:$|[,\s]))/i.test(String(req.headers['accept-encoding'] ?? ''));
}
