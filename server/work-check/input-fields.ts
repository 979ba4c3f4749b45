import { z } from 'zod';
import { findJsonFault, type JsonValue, jsonBytes, stringFault, utf8Bytes } from './json-value.ts';

/** Codes of custom issues; each issue carries its code, and the limit and actual value where it has one, in `params`. */
export type InputIssueCode =
  | 'too_large'
  | 'too_many'
  | 'blank'
  | 'unsupported_work_kind'
  | 'too_deep'
  | 'too_many_values'
  | 'forbidden_character'
  | 'forbidden_key'
  | 'number_not_exact'
  | 'not_json'
  | 'wrong_type';

export type IssueContext = z.core.$RefinementCtx;

export function addIssue(
  ctx: IssueContext,
  code: InputIssueCode,
  message: string,
  more: { limit?: number; actual?: number; path?: (string | number)[] } = {},
): void {
  const { path, ...numbers } = more;
  ctx.addIssue({ code: 'custom', message, params: { code, ...numbers }, ...(path ? { path } : {}) });
}

export function checkBytes(ctx: IssueContext, actual: number, limit: number): void {
  if (actual > limit)
    addIssue(ctx, 'too_large', `It holds ${actual} bytes; at most ${limit} are allowed.`, { limit, actual });
}

/** A string bounded in UTF-8 bytes, without NUL or lone surrogates. */
export function text(maxBytes: number, blank: 'allowed' | 'refused') {
  return z.string().superRefine((value, ctx) => {
    const fault = stringFault(value);
    if (fault !== undefined) return addIssue(ctx, 'forbidden_character', fault);
    if (blank === 'refused' && value.trim() === '') return addIssue(ctx, 'blank', 'It is blank.');
    checkBytes(ctx, utf8Bytes(value), maxBytes);
  });
}

type JsonKind = 'string' | 'object' | 'array';

function jsonKind(value: unknown): JsonKind | undefined {
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' && value !== null ? 'object' : undefined;
}

/** Any JSON of the given kinds, bounded in bytes, depth and number of values before anything walks it. */
export function json<T extends JsonValue>(
  kinds: readonly JsonKind[],
  maxBytes: number,
  description: string,
): z.ZodType<T> {
  const schema = z
    .unknown()
    .superRefine((value, ctx) => {
      const kind = jsonKind(value);
      if (kind === undefined || !kinds.includes(kind))
        return addIssue(ctx, 'wrong_type', `It must be ${kinds.join(' or ')}.`);
      const fault = findJsonFault(value);
      if (fault !== undefined) {
        const { code, message, ...more } = fault;
        return addIssue(ctx, code, message, more);
      }
      if (typeof value === 'string' && value.trim() === '') return addIssue(ctx, 'blank', 'It is blank.');
      checkBytes(ctx, jsonBytes(value as JsonValue), maxBytes);
    })
    .meta({ type: [...kinds], description: `${description} At most ${maxBytes} bytes.` });
  // The refinement above proves the type; zod cannot say it without recursing into hostile input.
  return schema as unknown as z.ZodType<T>;
}
