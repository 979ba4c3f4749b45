import type { z } from 'zod';
import { findJsonFault, utf8Bytes } from '../kernel/json-value.ts';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import { type FieldError, Problem } from '../problems/problem.ts';

/** Stop at this many errors. */
const maxErrors = 20;

/** Parses readable input. Throws `invalid_request` when it breaks the schema. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = comparing(() => schema.safeParse(input));
  if (!parsed.success) throw validationProblem(parsed.error);
  return parsed.data;
}

/**
 * zod compares the `length` of whatever stands in place of a text or list; an object without `toString` makes that
 * throw. Blame the input: nothing else in a schema can throw this.
 */
function comparing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError && error.message === 'Cannot convert object to primitive value')) throw error;
    const detail = 'An object was sent where a text or a list belongs.';
    throw new Problem('validation_failed', detail, { errors: [{ pointer: '', code: 'invalid_type', detail }] });
  }
}

/** The refusal of an input that breaks its schema, with a JSON pointer (RFC 6901) to each field at fault. */
function validationProblem(error: z.ZodError): Problem {
  const errors = error.issues.flatMap(fieldErrors).slice(0, maxErrors);
  // A limit on the whole input has no field to point at.
  if (errors.some((field) => field.pointer === '' && field.code === 'too_large')) {
    return new Problem('input_too_large', errors[0]?.detail ?? 'The input is too large.', { errors });
  }
  const own = errors.map((field) => field.code).find((code) => Object.hasOwn(problems, code)) as
    | ProblemCode
    | undefined;
  const [first] = errors;
  const detail = first ? `${first.pointer || 'The input'}: ${first.detail}` : 'The input breaks its schema.';
  return new Problem(own ?? 'validation_failed', detail, { errors });
}

/** Other fields may surround the largest, each with its own depth. */
const inputMax = { depthMax: 48, nodesMax: 100_000 };

/**
 * Refuses oversized input first. Leaves input that is too deep for the stack to `refuseUnreadable`, which does not
 * recurse. Counts JSON bytes, which equal those of RFC 8785: only the key order differs.
 */
export function refuseTooLarge(
  input: Record<string, unknown>,
  { maxBytes, without }: { maxBytes: number; without: readonly string[] },
): void {
  const measured = Object.fromEntries(Object.entries(input).filter(([name]) => !without.includes(name)));
  let text: string;
  try {
    text = JSON.stringify(measured);
  } catch (error) {
    if (error instanceof RangeError) return;
    throw error;
  }
  const actual = utf8Bytes(text);
  if (actual <= maxBytes) return;
  const detail = `The input holds ${actual} bytes; at most ${maxBytes} are allowed.`;
  const error = { pointer: '', code: 'too_large', detail, limit: maxBytes, actual };
  throw new Problem('input_too_large', detail, { errors: [error] });
}

/**
 * Refuses what no field may hold: text that PostgreSQL cannot store, a key `__proto__`, an inexact number, too much
 * depth or too many members.
 */
export function refuseUnreadable(input: unknown): void {
  const fault = findJsonFault(input, inputMax);
  if (!fault) return;
  const { path, message, ...rest } = fault;
  const error = { ...rest, pointer: pointerTo(path), detail: message };
  throw new Problem('validation_failed', `${error.pointer || 'The input'}: ${message}`, { errors: [error] });
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors);
    if (meant) return meant.flatMap((inner) => fieldErrors({ ...inner, path: [...issue.path, ...inner.path] }));
    const expected = issue.errors
      .flat()
      .flatMap((inner) => ('expected' in inner ? [typeWords[inner.expected] ?? String(inner.expected)] : []));
    const detail = `It must be ${[...new Set(expected)].join(' or ')}.`;
    if (expected.length > 0) return [{ pointer: pointerTo(issue.path), code: 'invalid_type', detail }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      code: 'unknown_field',
      detail: `There is no field "${key.slice(0, 64)}".`,
    }));
  }
  const params = issue.code === 'custom' ? (issue.params ?? {}) : {};
  const limit = numberIn(params.limit) ?? ('maximum' in issue ? Number(issue.maximum) : undefined);
  const actual = numberIn(params.actual);
  return [
    {
      pointer: pointerTo(issue.path),
      code: typeof params.code === 'string' ? params.code : issue.code,
      detail: plainWords(issue),
      ...(limit === undefined ? {} : { limit }),
      ...(actual === undefined ? {} : { actual }),
    },
  ];
}

/** Error messages in our words: zod's speak of schemas. Keeps a message that a schema chose. */
function plainWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' && issue.params?.code === 'wrong_type') {
    return issue.message.replaceAll(/\b(?:string|object|array)\b/g, (type) => typeWords[type] ?? type);
  }
  if (!/^(?:Invalid|Too) /.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'It is required.';
      return `It must be ${typeWords[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `It must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`;
    case 'invalid_format':
      return `It must be ${formatWords[issue.format] ?? `of the form ${issue.format}`}.`;
    case 'too_small':
      return `It must ${amountWords(issue.origin, 'at least', issue.minimum)}.`;
    case 'too_big':
      return `It must ${amountWords(issue.origin, 'at most', issue.maximum)}.`;
    default:
      return issue.message;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

const formatWords: Readonly<Record<string, string>> = {
  datetime: 'an instant of ISO 8601, such as 2026-07-21T12:00:00Z',
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
  regex: 'of the form that the schema describes',
};

function amountWords(origin: string, bound: 'at least' | 'at most', size: number | bigint): string {
  if (origin === 'array') return `hold ${bound} ${size} ${size === 1 ? 'item' : 'items'}`;
  if (origin === 'string') return `hold ${bound} ${size} ${size === 1 ? 'character' : 'characters'}`;
  return `be ${bound} ${size}`;
}

/** The errors of the one form whose type the value has. Undefined when none or several fit. */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const fitting = branches.filter(
    (issues) => !issues.some(({ path, code }) => path.length === 0 && code === 'invalid_type'),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A JSON pointer (RFC 6901). */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
