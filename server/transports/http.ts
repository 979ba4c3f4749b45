import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorFields, log } from '../kernel/log.ts';
import { pathKeys } from '../kernel/operation.ts';
import { Problem } from '../kernel/problem.ts';
import { type OperationName, operations } from '../operations.ts';
import type { Runtime } from '../runtime.ts';
import { bodyTooLarge, maxBodyBytes } from './body.ts';
import { answerMcp } from './mcp.ts';
import { notePeer } from './peer.ts';
import { answer, refusedResponse } from './rest.ts';
import { dataHeaders } from './security-headers.ts';

interface Route {
  name: OperationName;
  method: string;
  pattern: RegExp;
  keys: string[];
}

const routes: Route[] = Object.values(operations).map((operation) => ({
  name: operation.name,
  method: operation.method,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
  keys: pathKeys(operation),
}));

/** A request's headers and body must be here by then; a slow sender must not hold a connection for good. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;

/** The server of one process: it answers the operations itself, and has `showPage` answer everything else. */
export function operationServer(
  runtime: Runtime,
  showPage: (req: IncomingMessage, res: ServerResponse) => unknown,
): Server {
  const timeouts = { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs };
  return createServer(timeouts, async (req, res) => {
    try {
      if (!(await answerOperation(runtime, req, res))) await showPage(req, res);
    } catch (error) {
      log('request_failed', errorFields(error));
      res.destroy();
    }
  });
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
    const body = await readCapped(req);
    await send(
      body === 'too_large'
        ? refusedResponse(runtime.configuration, bodyTooLarge())
        : await answerMcp(runtime, webRequest(runtime, req, body)),
      res,
    );
    return true;
  }
  const atPath = routes.flatMap((route) => {
    const match = route.pattern.exec(path);
    return match ? [{ route, match }] : [];
  });
  if (atPath.length === 0) {
    if (!agentAddresses.test(path)) return false;
    const problem = new Problem('not_found', 'There is no operation at this address.');
    await send(refusedResponse(runtime.configuration, problem), res);
    return true;
  }
  const found = atPath.find(({ route }) => route.method === req.method);
  const body = found?.route.method === 'POST' ? await readCapped(req) : null;
  const response =
    body === 'too_large'
      ? refusedResponse(runtime.configuration, bodyTooLarge())
      : found
        ? await answer(runtime, found.route.name, webRequest(runtime, req, body), paramsOf(found.route, found.match))
        : wrongMethod(
            runtime,
            atPath.map(({ route }) => route.method),
          );
  await send(response, res);
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

/** The refusal of a method that an address does not take (RFC 9110, 15.5.6). */
function wrongMethod(runtime: Runtime, allowed: string[]): Response {
  const problem = new Problem('method_not_allowed', `This address takes ${allowed.join(' or ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });
  return refusedResponse(runtime.configuration, problem);
}

/** What of an oversized body is still taken in, and forgotten, so that its sender gets to read the refusal. */
const drainedBytes = 8 * maxBodyBytes;

/** The whole body of a request, or the word for a body that is too large to keep. */
async function readCapped(req: IncomingMessage): Promise<Buffer | null | 'too_large'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > drainedBytes) break;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  if (size > maxBodyBytes) return 'too_large';
  return size === 0 ? null : Buffer.concat(chunks, size);
}

function webRequest(runtime: Runtime, req: IncomingMessage, body: Buffer | null): Request {
  const headers = new Headers();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(req.rawHeaders[index] ?? '', req.rawHeaders[index + 1] ?? '');
  }
  const request = new Request(new URL(req.url ?? '/', 'http://localhost'), {
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

async function send(response: Response, res: ServerResponse): Promise<void> {
  const body = response.body ? Buffer.from(await response.arrayBuffer()) : null;
  res.writeHead(response.status, {
    ...dataHeaders,
    ...Object.fromEntries(response.headers),
    ...(body ? { 'content-length': body.length } : {}),
  });
  res.end(body);
}
