import http from 'node:http';
import https from 'node:https';

/** A JSON service that this process calls often. */
export interface JsonService {
  /** Sends `body` (a GET without one). Resolves to the parsed answer of a 2xx; rejects on anything else. */
  call(path: string, body?: unknown): Promise<unknown>;
}

/** No answer of a provider comes near it; one that passes it is broken. */
const answerMaxBytes = 4 * 1024 * 1024;
const connectionsMax = 64;
/** Servers close connections that were idle for 5 seconds or more; a call must not meet that. */
const idleMsMax = 4_000;

/** Calls over kept connections. Nothing is sent twice. */
export function jsonService(baseUrl: string, timeoutMs: number): JsonService {
  const transport = baseUrl.startsWith('https:') ? https : http;
  const agent = new transport.Agent({ keepAlive: true, timeout: idleMsMax, maxSockets: connectionsMax });
  return {
    call: (path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const request = transport.request(`${baseUrl}${path}`, {
          agent,
          method: text === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json',
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
          signal: AbortSignal.timeout(timeoutMs),
        });
        request.on('response', (response) => read(response).then(resolve, reject));
        request.on('error', reject);
        request.end(text);
      }),
  };
}

async function read(response: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > answerMaxBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) throw new Error(`the answer is ${status}`);
  return JSON.parse(Buffer.concat(chunks).toString());
}
