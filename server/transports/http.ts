import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { containsToken } from '../identity/token.ts';
import { newKey } from '../kernel/id.ts';
import { log } from '../kernel/log.ts';
import { metrics } from '../kernel/metrics.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { inTurn } from './connections.ts';
import { hideConsole } from './console-gate.ts';
import { credentialInUrl, holdsToken } from './context.ts';
import { documentAnswer } from './documents.ts';
import type { Answer } from './exchange.ts';
import { healthAnswer } from './health.ts';
import { answerMcp } from './mcp.ts';
import { answerOAuth, isOAuthAddress } from './oauth.ts';
import { chargePage, countPage, pageFault, pageWaits } from './page-limits.ts';
import { beginDrawing, endDrawing, requestIdHeader, statusNoted } from './page-status.ts';
import { addressBlock, callerHeader } from './peer.ts';
import { askedOf, clientAddress, send } from './plain.ts';
import { answer, noOperation, refusedAnswer } from './rest.ts';
import { routerStateFault } from './router-state.ts';
import { decoded, methodsAt, operationAt } from './routes.ts';
import { dataHeaders } from './security-headers.ts';
import { feedAnswer } from './status-feed.ts';
import { webhookAnswer as answerWebhook, webhookPath } from './webhook.ts';

/**
 * Time-outs of headers and body, against slow senders. Keep-alive outlasts the minute of proxies: they would reuse a
 * closing connection.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
};

/** Opens the server of a process: answers operations and documents, and leaves the rest to `showPage`. */
export function operationServer(
  runtime: Runtime,
  showPage: (req: IncomingMessage, res: ServerResponse) => unknown,
): Server {
  // Upgraded connections have no time-out, and Next does not end those it gets.
  const server = createServer({ ...timeouts, shouldUpgradeCallback: () => false }, (req, res) =>
    inTurn(req, res, async () => {
      const requestId = noteRequest(req, res);
      // Announce the close: nobody should send a request into a closing connection.
      if (runtime.stopping.aborted) res.setHeader('connection', 'close');
      if (await answerOperation(runtime, req, res)) return;
      const fault = isLeaking(req) ? credentialInUrl() : (pageFault(req) ?? routerStateFault(req.headers));
      const turn = fault ?? (await pageTurnOf(runtime, req, res));
      if (turn === 'gone') return;
      if (turn instanceof Problem) {
        await send(req, res, refused(runtime, req, turn));
        return;
      }
      try {
        req.headers[callerHeader] = clientAddress(req, runtime.configuration.trustedProxies);
        await hideConsole(runtime, req);
        if (isGuideAsText(req)) req.url = '/docs.md';
        namePage(requestId, req, res);
        await showPage(req, res);
      } finally {
        const characters = await endDrawing(requestId);
        turn();
        await chargePage(runtime, blockOf(runtime, req), characters);
      }
    }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(runtime, error, socket));
  return server;
}

/** Whether the guide is asked for as Markdown. */
function isGuideAsText({ url = '', headers }: IncomingMessage): boolean {
  return pathOf(url) === '/docs' && /\btext\/markdown\b/i.test(headers.accept ?? '');
}

/** Logs one line per answered request, without the query, which may be private. Returns the request id. */
function noteRequest(req: IncomingMessage, res: ServerResponse): string {
  const began = performance.now();
  const path = pathOf(req.url ?? '');
  const requestId = newKey('req');
  res.setHeader('x-request-id', requestId);
  res.once('close', () => {
    metrics.requests.inc({ kind: kindOf(path), status: res.statusCode });
    log('request', {
      method: req.method,
      path: containsToken(decoded(path)) ? '[a credential]' : path.slice(0, 200),
      status: res.statusCode,
      ms: Math.round(performance.now() - began),
      request_id: String(res.getHeader('x-request-id') ?? requestId),
      ...(res.writableFinished ? {} : { unfinished: true }),
    });
  });
  return requestId;
}

/** The kind of an address, for metrics. */
function kindOf(path: string): 'mcp' | 'api' | 'health' | 'file' | 'page' {
  if (path === '/mcp') return 'mcp';
  if (dataAddresses.test(path)) return 'api';
  if (path === '/livez' || path === '/readyz') return 'health';
  return pageFiles.test(path) ? 'file' : 'page';
}

/** Gives the page this request id, and the answer the status that the page notes under it. */
function namePage(requestId: string, req: IncomingMessage, res: ServerResponse): void {
  req.headers[requestIdHeader] = requestId;
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = (status: number, ...rest: unknown[]) => writeHead(statusNoted(requestId) ?? status, ...rest);
  beginDrawing(requestId);
}

/** Node's error codes for unreadable requests; anything else is not HTTP. */
const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The address and the headers are larger than ${maxHeaderSize} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Answers what never became a request with a problem, and closes the connection. */
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

/** Agents call here: answer unknown addresses with a problem, not a page. */
const agentAddresses = /^\/api\/(agent|x402)\//;
/** No pages here. */
const dataAddresses = /^\/(?:api|\.well-known)(?:\/|$)/;

/**
 * Answers operations and documents from Node's HTTP server, with the route files' handlers: a Next route costs about a
 * millisecond of CPU per request. Resolves to false for other addresses.
 */
export async function answerOperation(runtime: Runtime, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  if (isOAuthAddress(pathOf(req.url ?? '')) && !isLeaking(req)) {
    try {
      await answerOAuth(runtime, req, res);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await send(req, res, refused(runtime, req, error));
    }
    return true;
  }
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
  const missing = noneAt(path, req.method ?? '');
  return missing && refused(runtime, req, missing);
}

/** Why no operation is at an address; null where a page may be. */
function noneAt(path: string, method: string): Problem | null {
  const others = methodsAt(path);
  if (others.length > 0) return wrongMethod(others);
  if (agentAddresses.test(path)) return noOperation();
  if (pageMethods.includes(method)) return null;
  return dataAddresses.test(path) ? noOperation() : wrongMethod(pageMethods);
}

async function besideOperations(runtime: Runtime, req: IncomingMessage, path: string): Promise<Answer | null> {
  const asked = askedOf(runtime, req);
  return (
    (await healthAnswer(runtime, path)) ??
    documentAnswer(runtime, asked, path) ??
    (await feedAnswer(runtime, asked, path))
  );
}

/** The methods of pages; Next breaks on some others. */
const pageMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];

/**
 * Path and query of a request target, which may be absolute (RFC 9112, 3.2); `*` for the server. Null for a path that
 * others would resolve differently: routing and guards must agree.
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

function mcpAnswer(runtime: Runtime, req: IncomingMessage): Promise<Answer> | Answer {
  return req.method === 'POST'
    ? answerMcp(runtime, askedOf(runtime, req))
    : refused(runtime, req, wrongMethod(['POST']));
}

/** Scripts, styles and fonts belong to pages that were counted. */
const pageFiles = /^\/(?:_next\/static\/|verify\/|icon\.svg$)/;

/** Counts a page and waits for its turn; returns what ends it, or the refusal of one too many. */
async function pageTurnOf(
  runtime: Runtime,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<(() => void) | Problem | 'gone'> {
  if (pageFiles.test(pathOf(req.url ?? ''))) return () => {};
  const block = blockOf(runtime, req);
  return (await countPage(runtime, block)) ?? pageWaits(block, res);
}

/** The caller's block of addresses. */
function blockOf({ configuration }: Runtime, req: IncomingMessage): string | null {
  return addressBlock(clientAddress(req, configuration.trustedProxies) ?? null);
}

/** The refusal of a wrong method (RFC 9110, 15.5.6). */
function wrongMethod(allowed: readonly string[]): Problem {
  const all = allowed.includes('GET') && !allowed.includes('HEAD') ? [...allowed, 'HEAD'] : allowed;
  return new Problem('method_not_allowed', `This address takes ${all.join(' or ')}.`, {
    headers: { Allow: all.join(', ') },
  });
}

function refused({ configuration }: Runtime, req: IncomingMessage, problem: Problem): Answer {
  return refusedAnswer(configuration, problem, urlOf(req));
}

/** Whether the address holds a credential: addresses end up in logs. */
function isLeaking(req: IncomingMessage): boolean {
  const url = urlOf(req);
  return url !== undefined && holdsToken(url);
}

function urlOf(req: IncomingMessage): URL | undefined {
  const url = req.url ?? '/';
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}
