import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Outcome } from '../door/replay.ts';
import { errorFields, log } from '../kernel/log.ts';
import { toText } from '../kernel/money.ts';
import { problems } from '../problems/catalogue.ts';
import { PaymentRequired, Problem, problemText } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { price } from '../service/terms.ts';
import { type Spelling, spelled, words } from './mcp-lines.ts';
import { refusalTexts, textsOf } from './mcp-text.ts';
import { mcpNext } from './mcp-words.ts';

/** Answers of the door as results of tools. */

/** The x402 transport over MCP carries payment and settlement here (x402 v2, transports/mcp). */
export const paymentKey = 'x402/payment';
const paymentResponseKey = 'x402/payment-response';

/** Who asked, and how the client spells tools. */
interface Asked {
  ctx: Context;
  spelling: Spelling;
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

/** The result of an answer. */
export function resultOf(outcome: Outcome, { ctx, spelling }: Asked): CallToolResult {
  const body = spelled(outcome.body as Record<string, unknown>, spelling);
  return {
    content: contentOf(textsOf(body).map((each) => words(each, spelling))),
    structuredContent: body,
    _meta: {
      ...metaOf(ctx, outcome.headers),
      ...(outcome.replayed ? { 'svc/idempotent-replayed': true } : {}),
    },
  };
}

/**
 * Asks the host to open the page where a person pays, where it can open pages (revision 2026-07-28). The host calls again
 * with its person's answer, whatever that is, and then gets the result with the link in it, as every other host does.
 */
export function payerPage(
  { isError, structuredContent }: CallToolResult,
  { envelope, inputResponses }: Pick<ServerContext['mcpReq'], 'envelope' | 'inputResponses'>,
): InputRequiredResult | null {
  const url = (structuredContent as { continuation_url?: unknown } | undefined)?.continuation_url;
  const { [CLIENT_CAPABILITIES_META_KEY]: can } = (envelope ?? {}) as {
    [CLIENT_CAPABILITIES_META_KEY]?: { elicitation?: { url?: object } };
  };
  const opensPages = can?.elicitation?.url !== undefined;
  if (isError || typeof url !== 'string' || !opensPages || inputResponses?.payer !== undefined) return null;
  const message = `Approve and pay ${toText(price)} for one work check. Nothing is charged before you do.`;
  return inputRequired({ inputRequests: { payer: inputRequired.elicitUrl({ message, url }) } });
}

/** The result of a refusal, and of a request for payment. */
export function refusalOf(error: unknown, { ctx, spelling }: Asked): CallToolResult {
  if (error instanceof PaymentRequired) {
    // x402 clients look for JSON in the first text.
    const line =
      `Not paid. Sign one of accepts and repeat the call, unchanged, with the signed payment as payment or in ` +
      `_meta["${paymentKey}"].`;
    return refusal(error.body, [JSON.stringify(error.body), line], metaOf(ctx, {}));
  }
  if (!(error instanceof Problem)) log('mcp_failed', { request_id: ctx.requestId, ...errorFields(error) });
  const problem = error instanceof Problem ? error : new Problem('internal', 'The request failed.');
  const next_step = mcpNext[problem.code] ?? problems[problem.code].next;
  const body = spelled({ ...JSON.parse(problemText(problem, ctx)), next_step }, spelling);
  const line = `${problem.message} ${next_step}`;
  const texts = refusalTexts(line, body).map((each) => words(each, spelling));
  return refusal(body, texts, {
    ...metaOf(ctx, problem.extras.headers ?? {}),
    ...(problem.extras.replayOf ? { 'svc/idempotent-replayed': true } : {}),
  });
}

function refusal(
  structuredContent: Record<string, unknown>,
  texts: string[],
  _meta: Record<string, unknown>,
): CallToolResult {
  return { isError: true, content: contentOf(texts), structuredContent, _meta };
}

/** Texts as content. Each but the last ends its paragraph: some libraries glue them together (OpenAI Agents 0.20). */
function contentOf(texts: string[]): { type: 'text'; text: string }[] {
  return texts.map((text, index) => ({ type: 'text', text: index < texts.length - 1 ? `${text}\n\n` : text }));
}
