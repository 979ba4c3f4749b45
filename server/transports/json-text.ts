import { pointerTo } from '../door/validation.ts';
import type { FieldError } from '../problems/problem.ts';

/** Deeper than any honest body, shallow enough for all later readers. */
const maxDepth = 48;

/** Values per body; the densest honest input stays below. */
const maxValues = 32_768;

const code = { quote: 34, comma: 44, arrayOpen: 91, backslash: 92, arrayClose: 93, objectOpen: 123, objectClose: 125 };

interface Frame {
  /** The keys so far; null in an array. */
  keys: Set<string> | null;
  /** Its position in the parent. */
  step: string | number;
  expectsKey: boolean;
}

/**
 * Finds what `JSON.parse` ignores: a repeated key, which readers may take differently, nesting that overflows later
 * readers, and too many values. Walks the text once, without recursion; the text need not be well-formed.
 */
export function findTextFault(text: string): FieldError | undefined {
  const open: Frame[] = [];
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const frame = open.at(-1);
    switch (text.charCodeAt(at)) {
      case code.quote: {
        const end = endOfString(text, at);
        if (end === -1) return undefined;
        if (frame?.keys && frame.expectsKey) {
          frame.step = keyText(text.slice(at, end + 1));
          frame.expectsKey = false;
          if (frame.keys.has(frame.step)) return duplicateAt(open);
          frame.keys.add(frame.step);
        }
        at = end;
        break;
      }
      case code.comma:
        values += 1;
        if (values > maxValues) return tooMany();
        if (frame?.keys) frame.expectsKey = true;
        else if (frame) frame.step = Number(frame.step) + 1;
        break;
      case code.objectOpen:
        if (open.length === maxDepth) return tooDeepAt(open);
        values += 1;
        open.push({ keys: new Set(), step: '', expectsKey: true });
        break;
      case code.arrayOpen:
        if (open.length === maxDepth) return tooDeepAt(open);
        values += 1;
        open.push({ keys: null, step: 0, expectsKey: false });
        break;
      case code.objectClose:
      case code.arrayClose:
        open.pop();
        break;
      default:
    }
  }
  return undefined;
}

/** The closing quote of the string at `start`; -1 if none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === code.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** The decoded key: `"a"` and `"\u0061"` are the same. */
function keyText(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted;
  }
}

function duplicateAt(open: readonly Frame[]): FieldError {
  const pointer = pointerTo(open.map(({ step }) => step));
  return { pointer, code: 'duplicate_key', detail: 'The object has this key twice.' };
}

/** Point to the top-level field: a pointer to the bottom would be just as deep. */
function tooDeepAt(open: readonly Frame[]): FieldError {
  const pointer = pointerTo(open.slice(0, 1).map(({ step }) => step));
  return {
    pointer,
    code: 'too_deep',
    detail: `It is nested deeper than ${maxDepth} levels.`,
    limit: maxDepth,
    actual: maxDepth + 1,
  };
}

function tooMany(): FieldError {
  return {
    pointer: '',
    code: 'too_many_values',
    detail: `It holds more than ${maxValues} values.`,
    limit: maxValues,
    actual: maxValues + 1,
  };
}
