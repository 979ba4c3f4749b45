import {
  type CallToolResult,
  createMcpHandler,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { maxBytesOf } from '../door/operation.ts';
import { needsCredential, perform, requireCaller } from '../door/perform.ts';
import { PaymentRequired, Problem, problemText } from '../door/problem.ts';
import type { Outcome } from '../door/replay.ts';
import { isKnown } from '../identity/authenticate.ts';
import { findJsonFault } from '../kernel/json-value.ts';
import { errorFields, log } from '../kernel/log.ts';
import { webRuntime } from '../open-runtime.ts';
import { problems } from '../problems.ts';
import type { Context, Runtime } from '../runtime.ts';
import { service } from '../service/terms.ts';
import { bodyTooLarge, largestBytes, mayBeLarge, readBytes, textProblem } from './body.ts';
import { contextOf, idempotencyKeyOf, refuseTokenInUrl } from './context.ts';
import { type Asked, responseOf } from './exchange.ts';
import { inSnake, lineOf, withSnakeActions } from './mcp-lines.ts';
import { operationOf, type Spelling, toolListings, toolWaits, unclearKey } from './mcp-tools.ts';
import { mcpNext, waitSeconds } from './mcp-words.ts';
import { countPage } from './page-limits.ts';
import { noteCaller } from './peer.ts';
import { refusalAnswer } from './rest.ts';

/** The only profile, and the default: some clients drop the query string. */
const profile = 'buyer';
/** Tools are the same for everyone and change with a release. */
const listCache = { ttlMs: 300_000, cacheScope: 'public' } as const;
/** The x402 transport over MCP carries payment and settlement here (x402 v2, transports/mcp). */
const paymentKey = 'x402/payment';
const paymentResponseKey = 'x402/payment-response';

const instructions = (baseUrl: string) =>
  [
    'Buys a check of agent-made work. The connection carries the credential as its bearer token; it is never an argument.',
    `Without one: sign in with a wallet or register for a customer, as ${baseUrl}/docs#sign-in and`,
    `${baseUrl}/.well-known/svc say.`,
    'In order: svc.check_work, svc.authorize_purchase, svc.pay, svc.purchase_status until delivered, svc.get_report,',
    'svc.review_delivery, svc.get_receipt. next_step of each answer says what to do, next_actions what is allowed.',
    'A lost answer: repeat the call with its idempotency_key. svc.purchase_status finds the job of a quote_key. There is no',
    `tool that lists what you bought: ${baseUrl}/api/agent/v1/jobs does, with the same credential.`,
    'Refusals are results with isError and a code; payment is asked for in the same way, as x402 version 2.',
  ].join(' ');

/** The handler of `/mcp`, for its route file. */
export async function mcp(request: Request): Promise<Response> {
  noteCaller(request);
  return answerMcp(await webRuntime(), request as Request & Pick<Asked, 'read'>);
}

/**
 * Answers one MCP request over Streamable HTTP (specification 13): stateless, revision 2026-07-28 and clients of 2025.
 * No business rules here.
 */
export async function answerMcp(runtime: Runtime, request: Request & Pick<Asked, 'read'>): Promise<Response> {
  const ctx = contextOf(runtime, request);
  try {
    const url = new URL(request.url);
    refuseTokenInUrl(url);
    const foreign = originValidationResponse(request, [new URL(ctx.baseUrl).hostname]);
    if (foreign) return identified(foreign, ctx);
    const spelling = spellingOf(url.searchParams);
    if (mayBeLarge(request) && !(await isKnown(ctx))) throw needsCredential(ctx);
    const bytes = await readBytes(request as Asked, largestBytes);
    const text = new TextDecoder().decode(bytes);
    const unclear = textProblem(text);
    // Too much depth is answered as a tool result, like any bad argument.
    if (unclear && unclear.extras.errors?.[0]?.code !== 'too_deep') throw unclear;
    // The door counts calls; everything else counts as a page.
    const refusal = isToolCall(text) ? null : await countPage(runtime, ctx.origin);
    if (refusal) throw refusal;
    let fault: unknown;
    const handler = createMcpHandler(() => serverFor(ctx, spelling, bytes.length), {
      maxRequestBodySize: largestBytes,
      // No subscriptions: tools change with a release, and jobs are polled.
      maxSubscriptions: 0,
      onerror: (error) => {
        fault = error;
      },
    });
    const { method, headers } = request;
    const whole = new Request(url, { method, headers, ...(bytes.length > 0 ? { body: new Uint8Array(bytes) } : {}) });
    const response = await handler.fetch(whole);
    // Log only our own failures; clients learn theirs from the answer.
    if (response.status >= 500) log('mcp_failed', { request_id: ctx.requestId, ...errorFields(fault) });
    return identified(response, ctx);
  } catch (error) {
    return responseOf(refusalAnswer(ctx, error));
  }
}

/** Whether a message calls an existing tool. */
function isToolCall(text: string): boolean {
  if (!text.includes('"tools/call"')) return false;
  try {
    const { method, params } = JSON.parse(text);
    return method === 'tools/call' && operationOf(String(params?.name), {}) !== null;
  } catch {
    return false;
  }
}

function spellingOf(query: URLSearchParams): Spelling {
  if ((query.get('profile') ?? profile) !== profile) {
    throw new Problem('not_found', `There is no such profile. The only one is ${profile}.`);
  }
  return query.get('names') === 'snake' ? 'snake' : 'dots';
}

function identified(response: Response, { requestId }: Context): Response {
  response.headers.set('x-request-id', requestId);
  return response;
}

/** A server for one exchange. Don't register tools one by one: that took a third of a request's time. */
function serverFor(ctx: Context, spelling: Spelling, bytes: number): Server {
  const spelled = spelling === 'snake' ? inSnake : (text: string) => text;
  const server = new Server(
    { name: 'work-check', title: service.name, version: service.interface, websiteUrl: ctx.baseUrl },
    {
      capabilities: { tools: {} },
      instructions: spelled(instructions(ctx.baseUrl)),
      cacheHints: { 'tools/list': listCache, 'server/discover': listCache },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolListings[spelling] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const result = await call(ctx, { tool: params.name, args: params.arguments ?? {}, bytes }, mcpReq._meta);
    return spelling === 'snake' ? inSnakeResult(result) : result;
  });
  return server;
}

/** A result whose text and actions name tools as the client lists them. */
function inSnakeResult(result: CallToolResult): CallToolResult {
  const { structuredContent, content } = result;
  if (!structuredContent) return result;
  const json = JSON.stringify(structuredContent);
  const body = withSnakeActions(structuredContent as Record<string, unknown>);
  return {
    ...result,
    structuredContent: body,
    content: content.map((part) => {
      if (part.type !== 'text') return part;
      return text(part.text === json ? JSON.stringify(body) : inSnake(part.text));
    }),
  };
}

async function call(
  ctx: Context,
  { tool, args, bytes }: { tool: string; args: Record<string, unknown>; bytes: number },
  meta: ServerContext['mcpReq']['_meta'],
): Promise<CallToolResult> {
  const operation = operationOf(tool, args);
  if (!operation) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${tool.slice(0, 64)}".`);
  try {
    const unclear = unclearKey(tool, args);
    if (unclear) {
      await requireCaller(operation.name, ctx);
      throw unclear;
    }
    const maxBytes = maxBytesOf(operation);
    // REST reads have no body to bound; the schema bounds these arguments.
    if (operation.method === 'POST' && bytes > maxBytes) throw bodyTooLarge(maxBytes);
    const { idempotency_key, wait_seconds, ...input } = args;
    const takesKey = operation.idempotency !== 'none';
    const isFollowed = toolWaits(tool);
    const outcome = await perform(
      operation.name,
      {
        ...ctx,
        idempotencyKey: takesKey ? idempotencyKeyOf(null, { idempotency_key }) : null,
        payment: operation.paid ? paymentOf(meta?.[paymentKey]) : null,
        wait: isFollowed ? waitOf(wait_seconds) : null,
      },
      {
        ...input,
        ...(takesKey || idempotency_key === undefined ? {} : { idempotency_key }),
        ...(isFollowed || wait_seconds === undefined ? {} : { wait_seconds }),
      },
    );
    return resultOf(outcome, ctx);
  } catch (error) {
    return refusalOf(error, ctx);
  }
}

/** How long the call may wait. Throws `validation_failed`. */
function waitOf(seconds: unknown): Context['wait'] {
  if (seconds === undefined) return null;
  const { minimum, maximum } = waitSeconds;
  if (Number.isInteger(seconds) && Number(seconds) >= minimum && Number(seconds) <= maximum) {
    return { seconds: Number(seconds), seen: null };
  }
  const detail = `It must be a whole number from ${minimum} to ${maximum}.`;
  throw new Problem('validation_failed', `/wait_seconds: ${detail}`, {
    errors: [{ pointer: '/wait_seconds', code: 'out_of_bounds', detail, limit: maximum }],
  });
}

/** The payment as an HTTP client sends it: base64 of its JSON. Verified behind the door. */
function paymentOf(payment: unknown): string | null {
  if (payment === undefined) return null;
  // Clients with text-only metadata send it as in the header.
  if (typeof payment === 'string') return payment;
  // Impossible in a header: read it as no payment.
  if (findJsonFault(payment)) return '';
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

/** REST's headers go into `_meta`. */
function metaOf(ctx: Context, headers: Record<string, string>): Record<string, unknown> {
  const paid = headers['PAYMENT-RESPONSE'];
  const retryAfter = headers['Retry-After'];
  return {
    'svc/request-id': ctx.requestId,
    ...(retryAfter ? { 'svc/retry-after-seconds': Number(retryAfter) } : {}),
    ...(paid ? { [paymentResponseKey]: decodePaymentResponseHeader(paid) } : {}),
  };
}

function resultOf(outcome: Outcome, ctx: Context): CallToolResult {
  const body = outcome.body as Record<string, unknown>;
  return {
    content: [text(lineOf(body)), text(outcome.text)],
    structuredContent: body,
    _meta: {
      ...metaOf(ctx, outcome.headers),
      ...(outcome.replayed ? { 'svc/idempotent-replayed': true } : {}),
    },
  };
}

function refusalOf(error: unknown, ctx: Context): CallToolResult {
  if (error instanceof PaymentRequired) {
    // x402 clients look for JSON in the first text.
    const line = `Not paid. Sign one of accepts and repeat the call with the payment in _meta["${paymentKey}"].`;
    return refusal(error.body, [JSON.stringify(error.body), line], metaOf(ctx, {}));
  }
  if (!(error instanceof Problem)) log('mcp_failed', { request_id: ctx.requestId, ...errorFields(error) });
  const problem = error instanceof Problem ? error : new Problem('internal', 'The request failed.');
  const json = problemText(problem, ctx);
  const line = `${problem.message} ${mcpNext[problem.code] ?? problems[problem.code].next}`;
  return refusal(JSON.parse(json), [line, json], {
    ...metaOf(ctx, problem.extras.headers ?? {}),
    ...(problem.extras.replayOf ? { 'svc/idempotent-replayed': true } : {}),
  });
}

function refusal(
  structuredContent: Record<string, unknown>,
  texts: string[],
  _meta: Record<string, unknown>,
): CallToolResult {
  return { isError: true, content: texts.map(text), structuredContent, _meta };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}
