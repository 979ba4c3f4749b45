// Longer than 300 lines: one exchange over MCP, from request to result.
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type LegacyHttpHandler,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { needsCredential, perform, requireCaller } from '../door/perform.ts';
import { isKnown } from '../identity/authenticate.ts';
import { isOAuthToken } from '../identity/token.ts';
import { findJsonFault } from '../kernel/json-value.ts';
import { errorFields, log } from '../kernel/log.ts';
import { webRuntime } from '../open-runtime.ts';
import { maxBytesOf } from '../operation/operation.ts';
import { Problem } from '../problems/problem.ts';
import type { Context, Runtime } from '../runtime.ts';
import { service } from '../service/terms.ts';
import { bodyTooLarge, largestBytes, mayBeLarge, readBytes, textProblem } from './body.ts';
import { contextOf, idempotencyKeyOf, refuseTokenInUrl } from './context.ts';
import { type Answer, type Asked, mergedHeaders, responseOf } from './exchange.ts';
import { payerPage, paymentKey, refusalOf, resultOf } from './mcp-answers.ts';
import { type Spelling, words } from './mcp-lines.ts';
import { plainCall, resultText } from './mcp-plain.ts';
import { type CallParams, followed, tellerOf, wantsProgress } from './mcp-progress.ts';
import { promptOf, prompts, readResource, resources, resourceTemplates } from './mcp-resources.ts';
import { listed, offers, operationOf, type Profile, toolWaits, unclearKey } from './mcp-tools.ts';
import { waitSeconds } from './mcp-words.ts';
import { countPage } from './page-limits.ts';
import { noteCaller } from './peer.ts';
import { challenge } from './protected-resource.ts';
import { refusalAnswer } from './rest.ts';

/** Tools are the same for everyone and change with a release. */
const listCache = { ttlMs: 300_000, cacheScope: 'public' } as const;

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

/** Keeps proxies from holding a stream back; only answers that are sent while their call runs have it. */
const liveHeader = 'x-accel-buffering';

/** The handler of `/mcp`, for its route file. */
export async function mcp(request: Request): Promise<Response> {
  noteCaller(request);
  return responseOf(await answerMcp(await webRuntime(), request));
}

/** What answers behind the door. */
export interface Mounted {
  server(): Server;
  /** Answers clients of 2025 in sessions of its own. Without it each of their requests stands alone, too. */
  sessions?: LegacyHttpHandler;
}

/**
 * Answers one MCP request over Streamable HTTP (specification 13), revision 2026-07-28 and clients of 2025. No business
 * rules here.
 *
 * @param mounted answers in the place of the product, which keeps no sessions: any process may answer the next request
 */
export async function answerMcp(runtime: Runtime, request: Asked, mounted?: Mounted): Promise<Answer> {
  const asked = contextOf(runtime, request);
  const ctx: Context = { ...asked, presented: { ...asked.presented, atMcp: true } };
  try {
    const url = new URL(request.url, 'http://localhost');
    refuseTokenInUrl(url);
    const foreign = foreignOrigin(request, url, ctx);
    if (foreign) return { ...identified(foreign, ctx), text: await foreign.text() };
    const address = addressOf(url.searchParams);
    if (mayBeLarge(request) && !(await isKnown(ctx))) throw needsCredential(ctx);
    const bytes = await readBytes(request, largestBytes);
    const text = new TextDecoder().decode(bytes);
    const unclear = textProblem(text);
    // Too much depth is answered as a tool result, like any bad argument.
    if (unclear && unclear.extras.errors?.[0]?.code !== 'too_deep') throw unclear;
    const message = parsed(text);
    // The door counts calls; everything else counts as a page.
    const refusal = isToolCall(message) ? null : await countPage(runtime, ctx.origin);
    if (refusal) throw refusal;
    const exchange: Exchange = { ctx, ...address, bytes: bytes.length, unauthorized: null };
    const plain = mounted ? null : plainCall(request.headers, message);
    if (plain && offers(exchange.profile, plain.name)) {
      const result = await call(exchange, plain, {});
      if (exchange.unauthorized) throw exchange.unauthorized;
      return { status: 200, headers: answerHeaders(ctx), text: resultText(plain, result, identity(ctx)) };
    }
    const { method } = request;
    const headers = request.allHeaders?.() ?? (request.headers as Headers);
    const sent = message === undefined && bytes.length > 0 ? { body: new Uint8Array(bytes) } : {};
    return await answerBySdk(exchange, { request: new Request(url, { method, headers, ...sent }), message }, mounted);
  } catch (error) {
    return challenged(refusalAnswer(ctx, error), ctx);
  }
}

/** Has the SDK's server judge and answer a message; undefined is one that is no JSON. */
async function answerBySdk(
  exchange: Exchange,
  { request, message }: { request: Request; message: unknown },
  mounted?: Mounted,
): Promise<Answer> {
  const { ctx } = exchange;
  const sessions = mounted?.sessions && (await isLegacyRequest(request, message)) ? mounted.sessions : undefined;
  // In a session an answer may ask its client first.
  const streams = sessions !== undefined || isMessage(message, 'tools/call', wantsProgress);
  // The status of a stream is sent before the call is carried out.
  if (streams && !mounted) await requireCaller('job', ctx);
  let fault: unknown;
  const handler = createMcpHandler(mounted?.server ?? (() => serverFor(exchange)), {
    maxRequestBodySize: largestBytes,
    // A subscription is acknowledged and ends: tools change with a release, and jobs are polled.
    maxSubscriptions: 1,
    onerror: (error) => {
      fault = error;
    },
  });
  const response = await (sessions ?? handler.fetch)(request, message === undefined ? {} : { parsedBody: message });
  // A result, even one with isError, would tell hosts that they are connected: only 401 makes them sign in.
  if (streams && response.body && response.headers.has(liveHeader)) {
    return { ...identified(response, ctx), text: null, stream: response.body };
  }
  const answered = await (isMessage(message, 'subscriptions/listen') ? firstFrame(response) : response.text());
  if (exchange.unauthorized) throw exchange.unauthorized;
  // Log only our own failures; clients learn theirs from the answer.
  if (response.status >= 500) log('mcp_failed', { request_id: ctx.requestId, ...errorFields(fault) });
  response.headers.delete(liveHeader);
  return { ...identified(response, ctx), text: answered || null };
}

/** The refusal of a page elsewhere that calls in its visitor's name; else null. */
function foreignOrigin({ headers }: Asked, url: URL, { baseUrl }: Context): Response | null {
  const origin = headers.get('origin');
  if (origin === null) return null;
  return originValidationResponse(new Request(url, { headers: { origin } }), [new URL(baseUrl).hostname]) ?? null;
}

/** The JSON of a body; undefined if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One HTTP request with its one message. */
interface Exchange extends Address {
  ctx: Context;
  bytes: number;
  /** Set once a call found that nobody is signed in, or that the person must be asked for more. */
  unauthorized: Problem | null;
}

function challenged(answer: Answer, { baseUrl }: Context): Answer {
  if (answer.status !== 401 && answer.status !== 403) return answer;
  const error = answer.status === 401 ? 'invalid_token' : 'insufficient_scope';
  return { ...answer, headers: mergedHeaders(answer.headers, challenge(baseUrl, error)) };
}

/** Whether a message is of a method, and of what `holds` says of its parameters. */
function isMessage(message: unknown, wanted: string, holds: (params: CallParams) => boolean = () => true): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: CallParams | null };
  return method === wanted && holds(params ?? {});
}

/** Whether a message calls an existing tool. */
const isToolCall = (message: unknown): boolean =>
  isMessage(message, 'tools/call', ({ name }) => operationOf(String(name), {}) !== null);

/** The first event of a stream that would stay open: the acknowledgement, which says that nothing will follow. */
async function firstFrame(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf('\n\n');
    if (end >= 0) return text.slice(0, end + 2);
  }
  return text;
}

interface Address {
  profile: Profile;
  spelling: Spelling;
}

/**
 * What the address asks for. Without a query, as hosts prefer it, names have no dots: some drop a whole server for one.
 * The interface's own address keeps the interface's own names.
 */
function addressOf(query: URLSearchParams): Address {
  const asked = query.get('profile');
  const profile = asked ?? 'buyer';
  if (profile !== 'buyer' && profile !== 'reader') {
    throw new Problem('not_found', 'There is no such profile. They are buyer and reader.');
  }
  return { profile, spelling: asked === 'buyer' && query.get('names') !== 'snake' ? 'dots' : 'snake' };
}

function identified({ status, headers }: Response, { requestId }: Context): Pick<Answer, 'status' | 'headers'> {
  return { status, headers: { ...Object.fromEntries(headers), 'x-request-id': requestId } };
}

const answerHeaders = ({ requestId }: Context) => ({ 'content-type': 'application/json', 'x-request-id': requestId });

/** Who answers, as the protocol names a server. */
const identity = ({ baseUrl }: Context) => ({
  name: 'work-check',
  title: service.name,
  version: service.interface,
  websiteUrl: baseUrl,
});

/** A server for one exchange. Don't register tools one by one: that took a third of a request's time. */
function serverFor(exchange: Exchange): Server {
  const { ctx, profile, spelling } = exchange;
  const server = new Server(identity(ctx), {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: words(instructions(ctx.baseUrl), spelling),
    cacheHints: {
      'tools/list': listCache,
      'resources/list': listCache,
      'resources/templates/list': listCache,
      'prompts/list': listCache,
      'server/discover': listCache,
    },
  });
  server.setRequestHandler('tools/list', () => ({ tools: listed(profile, spelling) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const result = await call(exchange, { name: params.name, args: params.arguments ?? {} }, mcpReq);
    return payerPage(result, mcpReq) ?? result;
  });
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params }) => read(exchange, params.uri));
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const { messages } = promptOf(params.name, params.arguments);
    return { messages: messages.map((message) => spelledPrompt(message, spelling)) };
  });
  return server;
}

type PromptMessage = ReturnType<typeof promptOf>['messages'][number];

function spelledPrompt(message: PromptMessage, spelling: Spelling): PromptMessage {
  const { content } = message;
  return content.type === 'text'
    ? { ...message, content: { ...content, text: words(content.text, spelling) } }
    : message;
}

/** Refusals are protocol errors here: a resource has no other way to say why. */
async function read(exchange: Exchange, uri: string): Promise<ReadResourceResult> {
  try {
    return await readResource(exchange.ctx, uri);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) exchange.unauthorized = error;
    if (error.code === 'not_found') throw new ResourceNotFoundError(uri);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
  }
}

async function call(
  exchange: Exchange,
  { name: tool, args }: { name: string; args: Record<string, unknown> },
  mcpReq: Partial<ServerContext['mcpReq']>,
): Promise<CallToolResult> {
  const { ctx, bytes } = exchange;
  const operation = offers(exchange.profile, tool) ? operationOf(tool, args) : null;
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
    const { idempotency_key, wait_seconds, payment } = args;
    const takes = {
      idempotency_key: operation.idempotency !== 'none',
      wait_seconds: toolWaits(tool),
      payment: operation.paid === true,
    };
    const asked: Context = {
      ...ctx,
      idempotencyKey: takes.idempotency_key ? idempotencyKeyOf(null, { idempotency_key }) : null,
      payment: takes.payment ? paymentOf(mcpReq._meta?.[paymentKey] ?? payment) : null,
      wait: takes.wait_seconds ? waitOf(wait_seconds) : null,
    };
    const body = inputOf(operation.name, args, takes);
    const look = (wait: Context['wait']) => perform(operation.name, { ...asked, wait }, body);
    const tell = asked.wait === null ? undefined : tellerOf(mcpReq);
    const outcome = await (tell ? followed(asked, look, tell) : look(asked.wait));
    return resultOf(outcome, exchange);
  } catch (error) {
    if (error instanceof Problem && (error.status === 401 || isMendedByConsent(error, ctx))) {
      exchange.unauthorized = error;
    }
    return refusalOf(error, exchange);
  }
}

/** The arguments without those that the call itself takes; an operation that takes none of them refuses them. */
function inputOf(
  operation: string,
  args: Record<string, unknown>,
  takes: Readonly<Record<string, boolean>>,
): Record<string, unknown> {
  const input = Object.entries(args).filter(([name, value]) => takes[name] !== true && value !== undefined);
  // A model reads what is open first; `view: "whole"` has the rest.
  return { ...(operation === 'report' ? { view: 'summary' } : {}), ...Object.fromEntries(input) };
}

/** Whether the person of an OAuth client can give what is missing, by consenting again. */
function isMendedByConsent({ code, extras }: Problem, { presented }: Context): boolean {
  return code === 'grant_scope_missing' && !extras.members?.paused && isOAuthToken(presented.bearer ?? '');
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
