import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../door/problem.ts';
import { countRequest, paced } from '../door/rate-limit.ts';
import { containsToken } from '../identity/token.ts';
import { newKey } from '../kernel/id.ts';
import { log } from '../kernel/log.ts';
import type { Runtime } from '../runtime.ts';
import { inTurn } from './connections.ts';
import { credentialInUrl, holdsToken } from './context.ts';
import { documentAnswer } from './documents.ts';
import type { Answer } from './exchange.ts';
import { healthAnswer } from './health.ts';
import { answerMcp } from './mcp.ts';
import { pageFault } from './page-limits.ts';
import { requestIdHeader, statusNoted } from './page-status.ts';
import { addressBlock, callerHeader } from './peer.ts';
import { askedOf, clientAddress, send, webRequestOf } from './plain.ts';
import { answer, noOperation, refusedAnswer } from './rest.ts';
import { decoded, methodsAt, operationAt } from './routes.ts';
import { dataHeaders } from './security-headers.ts';
import { webhookAnswer as answerWebhook, webhookPath } from './webhook.ts';

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

/** Opens the server of one process: it answers operations and documents itself, and has `showPage` answer the rest. */
export function operationServer(
  runtime: Runtime,
  showPage: (req: IncomingMessage, res: ServerResponse) => unknown,
): Server {
  // A connection that is handed over for another protocol is bound by no time-out, and Next ends none that it is handed.
  const server = createServer({ ...timeouts, shouldUpgradeCallback: () => false }, (req, res) =>
    inTurn(req, res, async () => {
      const requestId = noteRequest(req, res);
      // Nobody is to find a connection that ends while they send the next request over it.
      if (runtime.stopping.aborted) res.setHeader('connection', 'close');
      if (await answerOperation(runtime, req, res)) return;
      const refusal = isLeaking(req) ? credentialInUrl() : (pageFault(req) ?? (await pageRefusal(runtime, req)));
      if (refusal) {
        await send(req, res, refused(runtime, req, refusal));
        return;
      }
      req.headers[callerHeader] = clientAddress(req, runtime.configuration.trustedProxies);
      namePage(requestId, req, res);
      await showPage(req, res);
    }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(runtime, error, socket));
  return server;
}

/**
 * One line a request, when its answer has left: the address without its query, which may hold what is private. Gives the
 * id of the request, which the answer carries.
 */
function noteRequest(req: IncomingMessage, res: ServerResponse): string {
  const began = performance.now();
  const path = pathOf(req.url ?? '');
  const requestId = newKey('req');
  res.setHeader('x-request-id', requestId);
  res.once('close', () =>
    log('request', {
      method: req.method,
      path: containsToken(decoded(path)) ? '[a credential]' : path.slice(0, 200),
      status: res.statusCode,
      ms: Math.round(performance.now() - began),
      request_id: String(res.getHeader('x-request-id') ?? requestId),
      ...(res.writableFinished ? {} : { unfinished: true }),
    }),
  );
  return requestId;
}

/** Has the page know its request by this id, and the answer get the status that the page has noted under it. */
function namePage(requestId: string, req: IncomingMessage, res: ServerResponse): void {
  req.headers[requestIdHeader] = requestId;
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = (status: number, ...rest: unknown[]) => writeHead(statusNoted(requestId) ?? status, ...rest);
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
/** No pages stand here. */
const dataAddresses = /^\/(?:api|\.well-known)(?:\/|$)/;

/**
 * Answers the operations and the documents straight from Node's HTTP server, with the same handlers that the route files
 * use: a Next route costs about a millisecond of CPU a request. Resolves to false when the address is none of theirs.
 */
export async function answerOperation(runtime: Runtime, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const found = await answerAt(runtime, req);
  if (found) await send(req, res, found);
  return found !== null;
}

async function answerAt(runtime: Runtime, req: IncomingMessage): Promise<Answer | null> {
  const target = targetOf(req.url ?? '/');
  if (target === null) return refused(runtime, req, noOperation());
  if (target === '*') return { status: 204, headers: { allow: 'GET, HEAD, POST, DELETE' }, text: null };
  req.url = target;
  const path = pathOf(target);
  if (path === '/mcp') return mcpAnswer(runtime, req);
  if (path === webhookPath) return webhookAnswer(runtime, req);
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  const beside = method === 'GET' ? await besideOperations(runtime, req, path) : null;
  if (beside) return isLeaking(req) ? refused(runtime, req, credentialInUrl()) : beside;
  const found = operationAt(method ?? 'GET', path);
  if (found) return answer(runtime, found.name, askedOf(runtime, req), found.params);
  const others = methodsAt(path);
  if (others.length > 0) return refused(runtime, req, wrongMethod(others));
  if (agentAddresses.test(path)) return refused(runtime, req, noOperation());
  if (pageMethods.includes(req.method ?? '')) return null;
  return refused(runtime, req, dataAddresses.test(path) ? noOperation() : wrongMethod(pageMethods));
}

async function besideOperations(runtime: Runtime, req: IncomingMessage, path: string): Promise<Answer | null> {
  return (await healthAnswer(runtime, path)) ?? documentAnswer(runtime, askedOf(runtime, req), path);
}

/** What pages take; Next breaks on some of the others. */
const pageMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];

/**
 * The path and query of a request's target, which may be absolute (RFC 9112, 3.2); `*` for the server as a whole. Null
 * for a path that readers resolve to another: whoever routes by it must not be led around whoever guards it.
 */
function targetOf(url: string): string | null {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (target === '*') return target;
  const path = pathOf(target);
  const isPlain = path.startsWith('/') && !/\/\/|\\|%2f|%5c/i.test(path);
  return isPlain && !path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part)) ? target : null;
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

function webhookAnswer(runtime: Runtime, req: IncomingMessage): Promise<Answer> | Answer {
  return req.method === 'POST'
    ? answerWebhook(runtime, askedOf(runtime, req))
    : refused(runtime, req, wrongMethod(['POST']));
}

async function mcpAnswer(runtime: Runtime, req: IncomingMessage): Promise<Answer> {
  if (req.method !== 'POST') return refused(runtime, req, wrongMethod(['POST']));
  const response = await answerMcp(runtime, webRequestOf(runtime, req));
  const text = response.body ? await response.text() : null;
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}

/** Scripts, styles and fonts are files, and come with pages that were counted. */
const pageFiles = /^\/(?:_next\/static\/|icon\.svg$)/;

/** Counts a page against the block of addresses that asks for it; the refusal of one too many. */
async function pageRefusal({ db, configuration, clock }: Runtime, req: IncomingMessage): Promise<Problem | null> {
  if (pageFiles.test(pathOf(req.url ?? ''))) return null;
  const origin = addressBlock(clientAddress(req, configuration.trustedProxies) ?? null);
  const { rateLimits } = configuration;
  try {
    // A page that needs no database is shown without one.
    const counts = origin === null ? [] : await countRequest(db.shared, origin, 'pages', rateLimits, clock());
    paced(counts, rateLimits, clock());
    return null;
  } catch (error) {
    return error instanceof Problem ? error : null;
  }
}

/** The refusal of a method that an address does not take (RFC 9110, 15.5.6). */
function wrongMethod(allowed: readonly string[]): Problem {
  const all = allowed.includes('GET') && !allowed.includes('HEAD') ? [...allowed, 'HEAD'] : allowed;
  return new Problem('method_not_allowed', `This address takes ${all.join(' or ')}.`, {
    headers: { Allow: all.join(', ') },
  });
}

function refused({ configuration }: Runtime, req: IncomingMessage, problem: Problem): Answer {
  return refusedAnswer(configuration, problem, urlOf(req));
}

/** Whether the address of the request holds a credential: what is in an address gets into logs. */
function isLeaking(req: IncomingMessage): boolean {
  const url = urlOf(req);
  return url !== undefined && holdsToken(url);
}

function urlOf(req: IncomingMessage): URL | undefined {
  const url = req.url ?? '/';
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}
