import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import type { Asked } from './exchange.ts';
import { operationOf } from './mcp-tools.ts';

/**
 * Calls of revision 2026-07-28 that use nothing of the protocol but a tool's name and arguments, as most do. They are
 * answered without the SDK's server, which takes most of the time of a short call (`bench/README.md`). Whatever is not
 * plainly such a call is left to the SDK, which judges it; a test holds the answers of both equal byte for byte. Pure.
 */

const revision = '2026-07-28';

export interface PlainCall {
  id: string | number;
  name: string;
  args: Record<string, unknown>;
}

/** The call in a message; null for every other message. */
export function plainCall(headers: Asked['headers'], message: unknown): PlainCall | null {
  if (!isObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return null;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return null;
  if (!isObject(params) || !hasOnly(params, ['name', 'arguments', '_meta'])) return null;
  const { name, arguments: args = {}, _meta } = params;
  if (typeof name !== 'string' || !operationOf(name, {}) || !isObject(args) || !isPlainMeta(_meta)) return null;
  const isSaidInHeaders =
    headers.get('mcp-protocol-version') === revision &&
    headers.get('mcp-method') === method &&
    headers.get('mcp-name') === name &&
    isJsonContentType(headers.get('content-type'));
  return isSaidInHeaders ? { id, name, args } : null;
}

/** Whether the client says who it is and no more, and is capable of nothing that changes an answer. */
function isPlainMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  const known = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
  if (!hasOnly(meta, known) || meta[PROTOCOL_VERSION_META_KEY] !== revision) return false;
  const { [CLIENT_INFO_META_KEY]: client, [CLIENT_CAPABILITIES_META_KEY]: capabilities } = meta;
  return (client === undefined || isPlainClient(client)) && isObject(capabilities) && saysNothing(capabilities);
}

function isPlainClient(client: unknown): boolean {
  if (!isObject(client) || !hasOnly(client, ['name', 'title', 'version'])) return false;
  const { name, title = '', version } = client;
  return [name, title, version].every((each) => typeof each === 'string');
}

/** Whether every capability is bare, such as `{"roots": {}}`. */
function saysNothing(capabilities: Record<string, unknown>): boolean {
  return Object.values(capabilities).every((each) => isObject(each) && Object.keys(each).length === 0);
}

/** The answer to a call, as the SDK words it. */
export function resultText({ id }: PlainCall, result: CallToolResult, server: object): string {
  const { content, structuredContent, isError } = result;
  const _meta = { ...result._meta, [SERVER_INFO_META_KEY]: server };
  return JSON.stringify({
    result: { _meta, content, structuredContent, isError, resultType: 'complete' },
    jsonrpc: '2.0',
    id,
  });
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function hasOnly(value: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
