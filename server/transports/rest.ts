import { newKey } from '../kernel/id.ts';
import { type Operation, pathKeys } from '../kernel/operation.ts';
import { PaymentRequired, Problem, problemText } from '../kernel/problem.ts';
import { webRuntime } from '../open-runtime.ts';
import { type OperationName, operations } from '../operations.ts';
import { type Outcome, perform } from '../perform.ts';
import type { Context, Runtime } from '../runtime.ts';
import { readBody, readQuery } from './body.ts';
import { contextOf, etagOf, idempotencyKeyOf, refuseTokenInUrl } from './context.ts';
import { presentedSession } from './member-session.ts';

type Params = Record<string, string>;
type Handler = (request: Request, route?: { params: Promise<Params> }) => Promise<Response>;

/** The handler of an operation, for a route file: `export const POST = rest('authorize')`. */
export function rest(name: OperationName): Handler {
  return async (request, route) => answer(await webRuntime(), name, request, (await route?.params) ?? {});
}

/** Translates one HTTP request to `perform` and its outcome back. Holds no rule of the business. */
export async function answer(
  runtime: Runtime,
  name: OperationName,
  request: Request,
  params: Params,
): Promise<Response> {
  const operation: Operation = operations[name];
  const ctx = contextOf(runtime, request);
  try {
    const url = new URL(request.url);
    refuseTokenInUrl(url);
    const body = operation.method === 'POST' ? await readBody(request) : readQuery(url.searchParams);
    const key = operation.method === 'POST' ? idempotencyKeyOf(ctx.idempotencyKey, body) : null;
    const { idempotency_key: _, ...input } = body;
    refusePathKeysInBody(operation, input);
    const memberSession = operation.audience.includes('member')
      ? await presentedSession(runtime.configuration, request)
      : null;
    const presented = { ...ctx.presented, memberSession };
    const outcome = await perform(name, { ...ctx, presented, idempotencyKey: key }, { ...input, ...params });
    return outcomeResponse(operation, ctx, request, outcome);
  } catch (error) {
    return refusalResponse(ctx, error);
  }
}

/** The answer to an address that no operation has, or that has no such method. */
export function refusedResponse(request: Pick<Context, 'baseUrl'>, problem: Problem): Response {
  return problemResponse({ baseUrl: request.baseUrl, requestId: newKey('req') }, problem);
}

function outcomeResponse(operation: Operation, ctx: Context, request: Request, outcome: Outcome): Response {
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': ctx.requestId,
    'cache-control': operation.cacheSeconds
      ? `public, max-age=${operation.cacheSeconds}`
      : operation.secret
        ? 'no-store'
        : 'private, no-store',
    ...outcome.headers,
  });
  if (outcome.replayed) headers.set('idempotent-replayed', 'true');
  if (operation.method === 'GET') {
    const etag = etagOf(outcome.text);
    headers.set('etag', etag);
    if (!operation.cacheSeconds) headers.set('cache-control', 'private, no-cache');
    const known = request.headers
      .get('if-none-match')
      ?.split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''));
    if (known?.includes(etag)) return new Response(null, { status: 304, headers });
  }
  return new Response(outcome.text, { status: outcome.status, headers });
}

/** The answer to a request that was refused, or that broke. */
export function refusalResponse(ctx: Context, error: unknown): Response {
  if (error instanceof PaymentRequired) {
    return new Response(JSON.stringify(error.body), {
      status: 402,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': ctx.requestId, ...error.headers },
    });
  }
  return problemResponse(ctx, error instanceof Problem ? error : new Problem('internal', 'The request failed.'));
}

function problemResponse(ctx: { baseUrl: string; requestId: string }, problem: Problem): Response {
  return new Response(problemText(problem, ctx), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'x-request-id': ctx.requestId,
      'cache-control': 'no-store',
      ...problem.extras.headers,
      ...(problem.extras.replayOf ? { 'idempotent-replayed': 'true' } : {}),
    },
  });
}

/** The address says which quote or job is meant; a body that says it again could say something else. */
function refusePathKeysInBody(operation: Operation, input: Record<string, unknown>): void {
  const errors = pathKeys(operation)
    .filter((key) => Object.hasOwn(input, key))
    .map((key) => ({ pointer: `/${key}`, code: 'unknown_field', detail: `"${key}" belongs in the address only.` }));
  if (errors[0]) throw new Problem('validation_failed', errors[0].detail, { errors });
}
