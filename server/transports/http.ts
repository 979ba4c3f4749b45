import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newKey } from '../kernel/id.ts';
import { errorFields, log } from '../kernel/log.ts';
import { pathKeys, pathPattern } from '../kernel/operation.ts';
import { Problem } from '../kernel/problem.ts';
import { type OperationName, operations } from '../operations.ts';
import type { Runtime } from '../runtime.ts';
import { bodyTooLarge, maxBodyBytes } from './body.ts';
import { credentialInUrl, holdsToken } from './context.ts';
import type { Answer, Asked } from './exchange.ts';
import { answerMcp } from './mcp.ts';
import { requestIdHeader, statusNoted } from './page-status.ts';
import { callerHeader, notePeer } from './peer.ts';
import { answer, noOperation, refusedAnswer } from './rest.ts';
import { dataHeaders } from './security-headers.ts';

interface Route {
  name: OperationName;
  method: string;
  pattern: RegExp;
  keys: readonly string[];
}

/** The routes by what their addresses are about, `/api/agent/v1/jobs`, and how many parts they have. */
const routes = Map.groupBy(
  Object.values(operations).map((operation) => ({
    path: operation.path,
    name: operation.name,
    method: operation.method,
    pattern: pathPattern(operation),
    keys: pathKeys(operation),
  })),
  ({ path }) => subjectOf(path),
);

function subjectOf(path: string): string {
  const parts = path.split('/');
  return `${parts.slice(0, 5).join('/')} ${parts.length}`;
}

/**
 * A request's headers and body must be here by then; a slow sender must not hold a connection for good. Between requests
 * it is kept for longer than the minute that proxies keep theirs: they would send a request into one that is closing.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
};

/** The server of one process: it answers the operations itself, and has `showPage` answer everything else. */
export function operationServer(
  runtime: Runtime,
  showPage: (req: IncomingMessage, res: ServerResponse) => unknown,
): Server {
  const server = createServer(timeouts, async (req, res) => {
    try {
      if (await answerOperation(runtime, req, res)) return;
      if (holdsToken(urlOf(req))) return send(refused(runtime, req, credentialInUrl()), res);
      req.headers[callerHeader] = clientAddress(req, runtime.configuration.trustedProxies);
      nameAnswer(req, res);
      await showPage(req, res);
    } catch (error) {
      log('request_failed', errorFields(error));
      res.destroy();
    }
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(runtime, error, socket));
  return server;
}

/** Gives the answer of a page or a file its request id, and the status that its page has noted under that id. */
function nameAnswer(req: IncomingMessage, res: ServerResponse): void {
  const requestId = newKey('req');
  req.headers[requestIdHeader] = requestId;
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = (status: number, ...rest: unknown[]) => {
    if (!res.hasHeader('x-request-id')) res.setHeader('X-Request-Id', requestId);
    return writeHead(statusNoted(requestId) ?? status, ...rest);
  };
  res.once('close', () => statusNoted(requestId));
}

/** Why Node could not read a request (its error codes); anything else is not HTTP. */
const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The address and the headers are larger than ${maxHeaderSize} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Answers what never became a request in the same language as everything else, and ends the connection. */
function refuseUnreadable(runtime: Runtime, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const detail = unreadable[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  const refusal = refusedAnswer(runtime.configuration, new Problem('malformed_request', detail));
  const body = Buffer.from(refusal.text ?? '');
  const headers = { ...dataHeaders, ...refusal.headers, connection: 'close' };
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n`), body]));
}

/** Agents call here: what is not there is refused in their language, not with a page. */
const agentAddresses = /^\/api\/(agent|x402)\//;

/**
 * Answers the operations straight from Node's HTTP server, with the same handlers that the route files use: a Next
 * route costs about a millisecond of CPU a request. Resolves to false when the address is none of theirs.
 */
export async function answerOperation(runtime: Runtime, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
  if (path === '/mcp') {
    send(await mcpAnswer(runtime, req), res);
    return true;
  }
  const atPath = (routes.get(subjectOf(path)) ?? []).flatMap((route) => {
    const match = route.pattern.exec(path);
    return match ? [{ route, match }] : [];
  });
  if (atPath.length === 0) {
    if (!agentAddresses.test(path)) return false;
    send(refused(runtime, req, noOperation()), res);
    return true;
  }
  const found = atPath.find(({ route }) => route.method === req.method);
  const body = found?.route.method === 'POST' ? await readCapped(req) : null;
  const answered =
    body === 'too_large'
      ? refused(runtime, req, bodyTooLarge())
      : found
        ? await answer(runtime, found.route.name, asked(runtime, req, body), paramsOf(found.route, found.match))
        : refused(runtime, req, wrongMethod(atPath.map(({ route }) => route.method)));
  send(answered, res);
  return true;
}

function paramsOf(route: Route, match: RegExpExecArray): Record<string, string> {
  return Object.fromEntries(route.keys.map((key, index) => [key, decoded(match[index + 1] ?? '')]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function mcpAnswer(runtime: Runtime, req: IncomingMessage): Promise<Answer> {
  if (req.method !== 'POST') return refused(runtime, req, wrongMethod(['POST']));
  const body = await readCapped(req);
  if (body === 'too_large') return refused(runtime, req, bodyTooLarge());
  const response = await answerMcp(runtime, webRequest(runtime, req, body));
  const text = response.body ? await response.text() : null;
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}

/** The refusal of a method that an address does not take (RFC 9110, 15.5.6). */
function wrongMethod(allowed: string[]): Problem {
  return new Problem('method_not_allowed', `This address takes ${allowed.join(' or ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

function refused({ configuration }: Runtime, req: IncomingMessage, problem: Problem): Answer {
  return refusedAnswer(configuration, problem, urlOf(req));
}

function urlOf(req: IncomingMessage): URL {
  return new URL(req.url ?? '/', 'http://localhost');
}

/** What of an oversized body is still taken in, and forgotten, so that its sender gets to read the refusal. */
const drainedBytes = 8 * maxBodyBytes;

/**
 * The whole body of a request, or the word for a body that is too large to keep. Listens instead of iterating, which
 * costs more than many an operation.
 */
function readCapped(req: IncomingMessage): Promise<Buffer | null | 'too_large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else if (size > drainedBytes) {
        resolve('too_large');
        req.destroy();
      }
    });
    req.on('error', reject);
    req.on('end', () => resolve(size > maxBodyBytes ? 'too_large' : size === 0 ? null : Buffer.concat(chunks, size)));
  });
}

function asked(runtime: Runtime, req: IncomingMessage, body: Buffer | null): Asked {
  const request: Asked = {
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    headers: { get: (name) => headerOf(req, name) },
    body: body ? [body] : null,
  };
  notePeer(request, clientAddress(req, runtime.configuration.trustedProxies));
  return request;
}

/** A header by its name in lower case. What came in several lines is one list (RFC 9110, 5.3). */
function headerOf(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function webRequest(runtime: Runtime, req: IncomingMessage, body: Buffer | null): Request {
  const headers = new Headers();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(req.rawHeaders[index] ?? '', req.rawHeaders[index + 1] ?? '');
  }
  const request = new Request(urlOf(req), {
    method: req.method ?? 'GET',
    headers,
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  notePeer(request, clientAddress(req, runtime.configuration.trustedProxies));
  return request;
}

/** Who called: the entry that the outermost proxy of ours added, or the peer where none stands in between. */
function clientAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  const noted = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return noted || req.socket.remoteAddress;
}

/** A 304 has no body, and says nothing about the length of one. */
function send({ status, headers, text }: Answer, res: ServerResponse): void {
  const length = text === null ? {} : { 'content-length': Buffer.byteLength(text) };
  res.writeHead(status, { ...dataHeaders, ...headers, ...length });
  res.end(text ?? undefined);
}
