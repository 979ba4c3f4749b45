import { needsCredential, perform, requireCaller } from '../door/perform.ts';
import type { Outcome } from '../door/replay.ts';
import { isKnown } from '../identity/authenticate.ts';
import { newKey } from '../kernel/id.ts';
import { webRuntime } from '../open-runtime.ts';
import { maxBytesOf, type Operation, pathKeys } from '../operation/operation.ts';
import { originOf, requireLeft } from '../operation/rate-limit.ts';
import { type OperationName, operations } from '../operations.ts';
import { PaymentRequired, Problem, problemText } from '../problems/problem.ts';
import type { Context, Runtime } from '../runtime.ts';
import { mayBeLarge, readBody, readQuery } from './body.ts';
import { contextOf, credentialInUrl, etagOf, holdsToken, idempotencyKeyOf, refuseTokenInUrl } from './context.ts';
import { type Answer, type Asked, mergedHeaders, responseOf } from './exchange.ts';
import { presentedByPage } from './member-session.ts';
import { noteCaller } from './peer.ts';
import { publicHeaders } from './security-headers.ts';
import { serviceLinks } from './service-links.ts';

const jsonType = 'application/json; charset=utf-8';

type Params = Record<string, string>;
type Handler = (request: Request, route?: { params: Promise<Params> }) => Promise<Response>;

/** The handler of an operation, for a route file: `export const POST = rest('authorize')`. */
export function rest(name: OperationName): Handler {
  return async (request, route) => {
    noteCaller(request);
    return responseOf(await answer(await webRuntime(), name, request as Asked, (await route?.params) ?? {}));
  };
}

/** Translates an HTTP request for `perform`, and its outcome back. No business rules here. */
export async function answer(runtime: Runtime, name: OperationName, request: Asked, params: Params): Promise<Answer> {
  const operation: Operation = operations[name];
  const ctx = contextOf(runtime, request);
  try {
    const url = new URL(request.url, 'http://localhost');
    refuseTokenInUrl(url);
    if (ctx.presented.bearer === null && operation.audience.some((who) => who !== 'public')) {
      ctx.presented = await presentedByPage(runtime.configuration, request);
    }
    const { key, input } = await inputOf(name, ctx, request, url);
    const outcome = await perform(name, { ...ctx, idempotencyKey: key }, { ...input, ...params });
    return outcomeAnswer(operation, ctx, request, outcome);
  } catch (error) {
    return refusalAnswer(ctx, error);
  }
}

/**
 * The input and idempotency key. Authenticates first: strangers' large bodies are not read, and their faults not
 * explained.
 */
async function inputOf(
  name: OperationName,
  ctx: Context,
  request: Asked,
  url: URL,
): Promise<{ key: string | null; input: Record<string, unknown> }> {
  const operation: Operation = operations[name];
  // Nobody sends content for a price.
  if (operation.readsWhenPaid && ctx.payment === null) return { key: null, input: {} };
  const reads = operation.method === 'POST';
  if (reads && mayBeLarge(request)) await requireWelcome(operation, ctx);
  try {
    const body = reads ? await readBody(request, maxBytesOf(operation)) : readQuery(url.searchParams);
    const { idempotency_key: _, ...input } = body;
    refusePathKeysInBody(operation, input);
    return { key: reads ? idempotencyKeyOf(ctx.idempotencyKey, body) : null, input };
  } catch (error) {
    await requireCaller(name, ctx);
    throw error;
  }
}

/** Refuses a large body before it is read. Throws `invalid_token` or `rate_limited`. */
async function requireWelcome({ audience, limit }: Operation, ctx: Context): Promise<void> {
  if (!audience.includes('public')) {
    if (!(await isKnown(ctx))) throw needsCredential(ctx);
  } else if (limit) {
    const { db, configuration } = ctx.runtime;
    await requireLeft(db.shared, { subject: originOf(ctx), name: limit }, configuration.rateLimits, ctx.now);
  }
}

/** The handler for unknown addresses below the API. */
export async function nothingHere(request: Request): Promise<Response> {
  const { configuration } = await webRuntime();
  return responseOf(refusedAnswer(configuration, noOperation(), new URL(request.url)));
}

/** The refusal of an unknown address below the API. */
export function noOperation(): Problem {
  return new Problem('not_found', 'There is no operation at this address.');
}

/** A refusal outside any operation. A credential in the address comes first. */
export function refusedAnswer({ baseUrl }: Pick<Context, 'baseUrl'>, problem: Problem, url?: URL): Answer {
  const first = url && holdsToken(url) ? credentialInUrl() : problem;
  return problemAnswer({ baseUrl, requestId: newKey('req') }, first);
}

function outcomeAnswer(operation: Operation, ctx: Context, request: Asked, outcome: Outcome): Answer {
  const headers = mergedHeaders(
    {
      'content-type': jsonType,
      'x-request-id': ctx.requestId,
      'cache-control': operation.cacheSeconds
        ? `public, max-age=${operation.cacheSeconds}`
        : operation.secret
          ? 'no-store'
          : 'private, no-store',
      ...(operation.cacheSeconds ? { ...publicHeaders, link: serviceLinks } : {}),
    },
    outcome.headers,
  );
  if (outcome.replayed) headers['idempotent-replayed'] = 'true';
  if (operation.method === 'GET') {
    const etag = headers.etag ?? etagOf(outcome.text);
    headers.etag = etag;
    if (!operation.cacheSeconds) headers['cache-control'] = 'private, no-cache';
    const known = request.headers
      .get('if-none-match')
      ?.split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''));
    if (known?.includes(etag)) return { status: 304, headers, text: null };
  }
  return { status: outcome.status, headers, text: outcome.text, secret: operation.secret };
}

/** The answer to a refused or failed request. */
export function refusalAnswer(ctx: Context, error: unknown): Answer {
  if (error instanceof PaymentRequired) {
    return {
      status: 402,
      headers: mergedHeaders({ 'content-type': jsonType, 'x-request-id': ctx.requestId }, error.headers),
      text: JSON.stringify(error.body),
    };
  }
  return problemAnswer(ctx, error instanceof Problem ? error : new Problem('internal', 'The request failed.'));
}

function problemAnswer(ctx: { baseUrl: string; requestId: string }, problem: Problem): Answer {
  return {
    status: problem.status,
    headers: mergedHeaders(
      {
        'content-type': 'application/problem+json; charset=utf-8',
        'x-request-id': ctx.requestId,
        'cache-control': 'no-store',
        ...(problem.status === 401 ? { 'www-authenticate': 'Bearer realm="svc"' } : {}),
      },
      problem.extras.headers ?? {},
      problem.extras.replayOf ? { 'idempotent-replayed': 'true' } : {},
    ),
    text: problemText(problem, ctx),
  };
}

/** Keys come from the address only; a body could name another. */
function refusePathKeysInBody(operation: Operation, input: Record<string, unknown>): void {
  const errors = pathKeys(operation)
    .filter((key) => Object.hasOwn(input, key))
    .map((key) => ({ pointer: `/${key}`, code: 'unknown_field', detail: `"${key}" belongs in the address only.` }));
  if (errors[0]) throw new Problem('validation_failed', errors[0].detail, { errors });
}
