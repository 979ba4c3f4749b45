import canonicalize from 'canonicalize';

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Deeper than any honest document; shallow enough that later readers may recurse. */
export const JSON_DEPTH_MAX = 32;
/** Members and elements per input; the densest honest JSON of 65,536 bytes stays below it. */
export const JSON_NODES_MAX = 20_000;

export type JsonFault = {
  code: 'too_deep' | 'too_many_values' | 'forbidden_character' | 'forbidden_key' | 'number_not_exact' | 'not_json';
  path: (string | number)[];
  message: string;
  limit?: number;
  actual?: number;
};

/** An array or object on the path from the root. */
type Frame = { value: object; parent: Frame | undefined; step: string | number; depth: number };

/**
 * Finds a reason to refuse a value: too deep or too large, NUL or a lone surrogate in a string, a `__proto__` key, an
 * inexact number. Does not recurse, so hostile input cannot exhaust the stack.
 */
export function findJsonFault(
  root: unknown,
  { depthMax, nodesMax } = { depthMax: JSON_DEPTH_MAX, nodesMax: JSON_NODES_MAX },
): JsonFault | undefined {
  if (!isContainer(root)) return scalarFault(root, () => []);
  const stack: Frame[] = [{ value: root, parent: undefined, step: '', depth: 0 }];
  let nodes = 1;
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { value, depth } = frame;
    if (depth >= depthMax) {
      const message = `It is nested deeper than ${depthMax} levels.`;
      return { code: 'too_deep', path: [], message, limit: depthMax, actual: depth + 1 };
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    nodes += children.length;
    if (nodes > nodesMax) {
      const message = `It holds more than ${nodesMax} values.`;
      return { code: 'too_many_values', path: [], message, limit: nodesMax, actual: nodes };
    }
    for (let index = 0; index < children.length; index += 1) {
      const child = children[index];
      const step = keys?.[index] ?? index;
      const fault =
        (typeof step === 'string' ? keyFaultOf(step, () => pathTo(frame, step)) : undefined) ??
        (isContainer(child) ? undefined : scalarFault(child, () => pathTo(frame, step)));
      if (fault !== undefined) return fault;
      if (isContainer(child)) stack.push({ value: child, parent: frame, step, depth: depth + 1 });
    }
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function pathTo({ parent, step: last }: Frame, step: string | number): (string | number)[] {
  return parent ? [...pathTo(parent, last), step] : [step];
}

/** Size in bytes as the interface counts it: UTF-8 of a string, RFC 8785 form of anything else. */
export function jsonBytes(value: JsonValue): number {
  return utf8Bytes(typeof value === 'string' ? value : canonicalJson(value));
}

/** RFC 8785 form of a JSON value. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The value has no JSON form.');
  return text;
}

const encoder = new TextEncoder();

export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

/** The first fault of a string: NUL or a lone surrogate. */
export function stringFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'It contains a NUL character.';
  if (!text.isWellFormed()) return 'It contains a lone surrogate, which has no UTF-8 form.';
  return undefined;
}

type Path = () => (string | number)[];

function keyFaultOf(key: string, path: Path): JsonFault | undefined {
  if (key === '__proto__')
    return { code: 'forbidden_key', path: path(), message: 'The key __proto__ is not accepted.' };
  const message = stringFault(key);
  return message === undefined ? undefined : { code: 'forbidden_character', path: path(), message };
}

function scalarFault(value: unknown, path: Path): JsonFault | undefined {
  switch (typeof value) {
    case 'string': {
      const message = stringFault(value);
      return message === undefined ? undefined : { code: 'forbidden_character', path: path(), message };
    }
    case 'number':
      if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return undefined;
      return {
        code: 'number_not_exact',
        path: path(),
        message: 'The number cannot be held exactly; send it as a string.',
      };
    case 'boolean':
    case 'object':
      return undefined;
    default:
      return { code: 'not_json', path: path(), message: 'It is not a JSON value.' };
  }
}

/** Parse text that is a JSON object or array: agents often send JSON as text. */
export function parsedIfJson(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return findJsonFault(parsed) === undefined ? (parsed as JsonValue) : value;
  } catch {
    return value;
  }
}
