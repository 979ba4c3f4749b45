import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import type { Runtime } from '../runtime.ts';
import { largestBytes } from './body.ts';
import type { Answer, Asked } from './exchange.ts';
import { notePeer } from './peer.ts';
import { dataHeaders } from './security-headers.ts';

/** The request as operations are given it. Its body is read when it is asked for. */
export function askedOf({ configuration }: Runtime, req: IncomingMessage): Asked {
  const request: Asked = {
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    headers: { get: (name) => headerOf(req, name) },
    body: null,
    read: (maxBytes) => readBytes(req, maxBytes),
  };
  notePeer(request, clientAddress(req, configuration.trustedProxies));
  return request;
}

/** The request as the web's object, its body still to be read. */
export function webRequestOf({ configuration }: Runtime, req: IncomingMessage): Request & Pick<Asked, 'read'> {
  const headers = new Headers();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(req.rawHeaders[index] ?? '', req.rawHeaders[index + 1] ?? '');
  }
  const request = new Request(new URL(req.url ?? '/', 'http://localhost'), { method: req.method ?? 'GET', headers });
  notePeer(request, clientAddress(req, configuration.trustedProxies));
  return Object.assign(request, { read: (maxBytes: number) => readBytes(req, maxBytes) });
}

/** Who called: the entry that the outermost proxy of ours added, or the peer where none added an address. */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  const noted = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return noted && isIP(noted.split('%', 1)[0] ?? '') ? noted : req.socket.remoteAddress;
}

/** A header by its name in lower case. What came in several lines is one list (RFC 9110, 5.3). */
function headerOf(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** What of a body that nobody reads is still taken in, and forgotten, so that its sender gets to read the answer. */
const drainedBytes = 8 * largestBytes;

/** The whole body; null for one that is too large to keep. Listening takes 0.6 of the time of async iteration. */
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
    // A sender that goes away in the middle leaves nobody to answer.
    req.on('close', () => reject(new Error('the body ended early')));
    req.on('end', () => resolve(size > maxBytes ? null : Buffer.concat(chunks, size)));
  });
}

/** Takes in what is left of a body that nobody has read. */
function drain(req: IncomingMessage): void {
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainedBytes) req.destroy();
  });
}

/** A shorter answer fits into a packet or two as it is. */
const compressedFromBytes = 1_024;
/** A longer one would hold up everybody else while it is compressed. */
const atOnceBytes = 32_768;
const quick = { level: constants.Z_BEST_SPEED };
const compress = promisify(gzip);

/** Sends an answer, compressed for who takes that. To HEAD it has no body; a 304 says nothing about the length of one. */
export async function send(req: IncomingMessage, res: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, text } = answer;
  // The body of a request that was answered without it would stand in the way of the next.
  if (!req.complete && req.readableFlowing === null) drain(req);
  if (text === null) {
    res.writeHead(status, { ...dataHeaders, ...headers });
    res.end();
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
