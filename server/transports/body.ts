import { pointerTo } from '../door/validation.ts';
import { Problem } from '../problems/problem.ts';
import type { Asked } from './exchange.ts';
import { findTextFault } from './json-text.ts';

/** Cap of any body: the largest honest input, escaped, stays well below. */
export const largestBytes = 2 * 1024 * 1024;

/** Read a body of this size first: that costs less than authenticating. */
const smallBytes = 16 * 1024;

/** Whether to authenticate before reading the body. */
export function mayBeLarge({ headers }: Pick<Asked, 'headers'>): boolean {
  const length = headers.get('content-length');
  return length === null ? headers.get('transfer-encoding') !== null : Number(length) > smallBytes;
}

/** Reads a JSON object from a request. Throws `unsupported_media_type`, `input_too_large` or `malformed_request`. */
export async function readBody(request: Asked, maxBytes: number): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = request.headers.get('content-encoding')?.toLowerCase() ?? 'identity';
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return {};
  if (type !== 'application/json' || encoding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send application/json without a content-encoding.');
  }
  return parseObject(bytes);
}

/** The refusal of an oversized body. */
export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem('input_too_large', `The body is larger than ${maxBytes} bytes.`);
}

/** The whole body. Throws `input_too_large` past the cap. */
export async function readBytes(request: Asked, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  if (request.read) {
    const bytes = await request.read(maxBytes);
    if (bytes === null) throw bodyTooLarge(maxBytes);
    return bytes;
  }
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The refusal of ambiguous or oversized JSON; null for any other. */
export function textProblem(text: string): Problem | null {
  const fault = findTextFault(text);
  if (!fault) return null;
  const code = fault.code === 'duplicate_key' ? 'malformed_request' : 'validation_failed';
  return new Problem(code, `${fault.pointer}: ${fault.detail}`, { errors: [fault] });
}

/** The query. Refuses a repeated parameter: readers differ about which one counts. */
export function readQuery(query: URLSearchParams): Record<string, unknown> {
  const twice = [...query.keys()].find((name, index, names) => names.indexOf(name) !== index);
  if (twice === undefined) return Object.fromEntries(query);
  const errors = [{ pointer: pointerTo([twice]), code: 'duplicate_key', detail: 'The parameter occurs twice.' }];
  throw new Problem('validation_failed', 'A parameter occurs twice.', { errors });
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed_request', 'The body is not valid UTF-8.');
  }
  const problem = textProblem(text);
  if (problem) throw problem;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('malformed_request', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('malformed_request', 'The body must be one JSON object.');
  }
  return value as Record<string, unknown>;
}
