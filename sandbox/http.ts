// The sandbox's HTTP server: a route table, bounded JSON bodies, JSON answers, a header that brands every answer.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';

export const BRAND = 'LOCAL SANDBOX';

const BODY_BYTES_MAX = 65_536;
const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** A request for a handler. `body` is parsed JSON, undefined without one. */
export type Call = { readonly query: URLSearchParams; readonly path: Record<string, string>; readonly body: unknown };

/** A handler's answer; `drop` breaks the connection without one. */
export type Answer = { status?: number; json: unknown } | { html: string } | 'drop';

/** Handlers by `METHOD /path/:name`. */
export type Routes = Record<string, (call: Call) => Promise<Answer> | Answer>;

/** A request that cannot be served: answered with the status and `{sandbox, error, message}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads a body against its schema; throws a 400 refusal that names what is wrong. */
export function readBody<Schema extends z.ZodType>(schema: Schema, call: Call): z.infer<Schema> {
  const parsed = schema.safeParse(call.body ?? {});
  if (parsed.success) return parsed.data;
  throw new Refusal(400, 'invalid_body', z.prettifyError(parsed.error));
}

/**
 * Serves `routes` on a loopback port. Rejects with a sentence that names `part` when the port is taken. Unknown paths
 * get a JSON 404, unknown methods a JSON 405.
 */
export function serve(part: string, port: number, routes: Routes): Promise<Server> {
  const table = Object.entries(routes).map(([key, handler]) => {
    const [method = '', pathname = ''] = key.split(' ');
    return { method, pattern: new URLPattern({ pathname }), handler };
  });
  const server = createServer((request, response) => {
    void answer(request, response, async () => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const found = table.filter(({ pattern }) => pattern.test({ pathname: url.pathname }));
      const route = found.find(({ method }) => method === request.method);
      if (!route) {
        if (found.length === 0) throw new Refusal(404, 'not_found', `There is nothing at ${url.pathname}.`);
        throw new Refusal(405, 'method_not_allowed', `${url.pathname} takes ${found.map((r) => r.method).join(', ')}.`);
      }
      const groups = route.pattern.exec({ pathname: url.pathname })?.pathname.groups ?? {};
      const path = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value ?? '']));
      return route.handler({ query: url.searchParams, path, body: await readJson(request) });
    });
  });
  return listen(part, server, port);
}

/** Listens on 127.0.0.1; a port that is taken rejects with one sentence that names it. */
export function listen<S extends Server>(part: string, server: S, port: number): Promise<S> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(portTaken(part, port)) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** The sentence for a port that another program holds. */
export function portTaken(part: string, port: number): string {
  return `Port ${port} is in use by another program, so the sandbox's ${part} cannot start; stop it or choose another PORT.`;
}

async function answer(request: IncomingMessage, response: ServerResponse, handle: () => Promise<Answer>) {
  let result: Answer;
  try {
    refuseForeignHost(request);
    result = await handle();
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal', String(error));
    result = { status: refusal.status, json: { sandbox: BRAND, error: refusal.code, message: refusal.message } };
  }
  if (result === 'drop') {
    request.socket.destroy();
    return;
  }
  const [type, text] =
    'html' in result ? ['text/html', result.html] : ['application/json', JSON.stringify(result.json)];
  response.writeHead('status' in result ? (result.status ?? 200) : 200, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-sandbox': BRAND,
  });
  response.end(text);
}

/** Refuse foreign Host headers: another site could make its own name point to loopback. */
export function refuseForeignHost(request: IncomingMessage) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (!LOOPBACK_HOSTS.has(host)) throw new Refusal(403, 'not_loopback', 'The sandbox answers on loopback only.');
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Refusal(413, 'body_too_large', `A body may hold ${BODY_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'invalid_json', 'The body is not JSON.');
  }
}
