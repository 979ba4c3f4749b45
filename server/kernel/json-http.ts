import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { isTracing, traced } from './trace.ts';

/** A JSON service that this process calls often. */
export interface JsonService {
  /** Sends `body` (a GET without one). Resolves to the parsed answer of a 2xx; rejects on anything else. */
  call(path: string, body?: unknown): Promise<unknown>;
}

/** Far above any honest answer. */
const answerMaxBytes = 4 * 1024 * 1024;
const connectionsMax = 64;
/** Below the 5 seconds after which servers close idle connections. */
const idleMsMax = 4_000;

/** Keeps connections alive. Never retries. */
export function jsonService(baseUrl: string, timeoutMs: number): JsonService {
  const transport = baseUrl.startsWith('https:') ? https : http;
  const agent = new transport.Agent({ keepAlive: true, timeout: idleMsMax, maxSockets: connectionsMax });
  const addresses = new Map<string, http.RequestOptions>();
  const addressOf = (path: string): http.RequestOptions => {
    const known = addresses.get(path) ?? urlToHttpOptions(new URL(`${baseUrl}${path}`));
    addresses.set(path, known);
    return known;
  };
  return {
    call: (path, body) => traced('call', { kind: 'client', attributes: described(path, body) }, () => send(path, body)),
  };

  /** The host and what is added to its address, which itself may hold a key. */
  function described(path: string, body: unknown): Record<string, string> {
    if (!isTracing()) return {};
    const { method } = (body ?? {}) as { method?: unknown };
    return {
      'server.address': new URL(baseUrl).host,
      'url.path': path,
      ...(typeof method === 'string' ? { 'rpc.method': method } : {}),
    };
  }

  function send(path: string, body?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = transport.request({
        ...addressOf(path),
        agent,
        method: text === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      });
      const patience = setTimeout(() => request.destroy(new Error('there is no answer in time')), timeoutMs);
      request.on('close', () => clearTimeout(patience));
      request.on('response', (response) => read(response, resolve, reject));
      request.on('error', reject);
      request.end(text);
    });
  }
}

/** Listens for events, which takes 0.6 of the time of async iteration. */
function read(
  response: http.IncomingMessage,
  resolve: (answer: unknown) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerMaxBytes) response.destroy(new Error('the answer is too long'));
    else chunks.push(chunk);
  });
  response.on('error', reject);
  response.on('end', () => {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) return reject(new Error(`the answer is ${status}`));
    try {
      resolve(JSON.parse(Buffer.concat(chunks).toString()));
    } catch (error) {
      reject(error as Error);
    }
  });
}
