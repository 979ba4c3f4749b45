import canonicalize from 'canonicalize';

/** A value that JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Deeper than any honest document; shallow enough that later readers may recurse. */
export const JSON_DEPTH_MAX = 32;
/** Members and elements in one input value; 65,536 bytes of the densest honest JSON stay below it. */
export const JSON_NODES_MAX = 20_000;

export type JsonFault = {
  code: 'too_deep' | 'too_many_values' | 'forbidden_character' | 'forbidden_key' | 'number_not_exact' | 'not_json';
  path: (string | number)[];
  message: string;
  limit?: number;
  actual?: number;
};

type Frame = { value: unknown; path: (string | number)[]; depth: number };

/**
 * Finds the first reason why a value may not be taken in: too deep or too large to walk, NUL or a lone surrogate in a
 * string, a `__proto__` key, a number that a double cannot hold exactly. Walks without recursion, so a hostile value
 * cannot exhaust the stack.
 */
export function findJsonFault(
  root: unknown,
  { depthMax, nodesMax } = { depthMax: JSON_DEPTH_MAX, nodesMax: JSON_NODES_MAX },
): JsonFault | undefined {
  const stack: Frame[] = [{ value: root, path: [], depth: 0 }];
  let nodes = 1;
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { value, path, depth } = frame;
    const fault = scalarFault(value, path);
    if (fault !== undefined) return fault;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= depthMax) {
      const message = `It is nested deeper than ${depthMax} levels.`;
      return { code: 'too_deep', path: [], message, limit: depthMax, actual: depth + 1 };
    }
    nodes += Array.isArray(value) ? value.length : Object.keys(value).length;
    if (nodes > nodesMax) {
      const message = `It holds more than ${nodesMax} values.`;
      return { code: 'too_many_values', path: [], message, limit: nodesMax, actual: nodes };
    }
    const children: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [key, child] of children) {
      const childPath = path.concat(key);
      const keyFault = typeof key === 'string' ? keyFaultOf(key, childPath) : undefined;
      if (keyFault !== undefined) return keyFault;
      stack.push({ value: child, path: childPath, depth: depth + 1 });
    }
  }
  return undefined;
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

function keyFaultOf(key: string, path: (string | number)[]): JsonFault | undefined {
  if (key === '__proto__') return { code: 'forbidden_key', path, message: 'The key __proto__ is not accepted.' };
  const message = stringFault(key);
  return message === undefined ? undefined : { code: 'forbidden_character', path, message };
}

function scalarFault(value: unknown, path: (string | number)[]): JsonFault | undefined {
  if (typeof value === 'string') {
    const message = stringFault(value);
    return message === undefined ? undefined : { code: 'forbidden_character', path, message };
  }
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  )
    return {
      code: 'number_not_exact',
      path,
      message: 'The number cannot be held exactly; send it as a string.',
    };
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return { code: 'not_json', path, message: 'It is not a JSON value.' };
  return undefined;
}

/** Text that is a JSON object or array is read as that, since agents often send their JSON as text. */
export function parsedIfJson(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return findJsonFault(parsed) === undefined ? (parsed as JsonValue) : value;
  } catch {
    return value;
  }
}
