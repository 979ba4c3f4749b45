import { type JsonValue, parsedIfJson } from './json-value.ts';
import { isInstruction } from './reading/instructions.ts';
import { type Quantity, readQuantities } from './reading/quantities.ts';
import { splitSentences } from './reading/sentences.ts';
import { isContent, type Token, tokenize } from './reading/tokens.ts';

/** One statement of the work that evidence can bear out or contradict. */
export type Claim = {
  /** Where it stands: `sentence 3`, or the path of a field such as `lines[2].amount`. */
  at: string;
  text: string;
  tokens: Token[];
  quantities: Quantity[];
  kind: 'sentence' | 'field';
  instruction: boolean;
  /** For a field of a record: its name, its value, and the other values that tell which record it is. */
  record: { column: string; keys: string[]; value: string } | undefined;
};

/** More statements than any honest work of 65,536 bytes holds; the rest is named in the limitations. */
export const CLAIMS_MAX = 2_000;

export type Work = {
  claims: Claim[];
  plain: string;
  /** The text itself, when the work is text. */
  whole: string | undefined;
  /** Elements of the list that the work is, or holds as its only list. */
  items: number | undefined;
  left_out: number;
};

/** Splits a work product into statements: sentences of a text, fields of structured work. */
export function readWork(product: JsonValue): Work {
  const value = parsedIfJson(product);
  const claims = typeof value === 'string' ? textClaims(value) : fieldClaims(value);
  const plain = typeof product === 'string' ? product : claims.map((claim) => claim.text).join('\n');
  const left_out = Math.max(0, claims.length - CLAIMS_MAX);
  return {
    claims: claims.slice(0, CLAIMS_MAX),
    plain,
    whole: typeof value === 'string' ? value : undefined,
    items: itemsOf(value),
    left_out,
  };
}

function itemsOf(product: JsonValue): number | undefined {
  if (typeof product !== 'object' || product === null) return undefined;
  if (Array.isArray(product)) return product.length;
  const lists = Object.values(product).filter((value) => Array.isArray(value));
  return lists.length === 1 ? lists[0]?.length : undefined;
}

const HEADING = /^#{1,6}\s|^(?:\*\*|__)[^*_]+(?:\*\*|__):?$/;
const COURTESY =
  /^(?:hi|hello|dear|hey|thanks?|thank you|best|kind|sincerely|regards|cheers|please (?:let|feel)|let me know|i hope|we hope|here (?:is|are)|sure|of course|certainly)\b/i;

function textClaims(text: string): Claim[] {
  const claims: Claim[] = [];
  for (const [index, { start, end }] of splitSentences(text).entries()) {
    const raw = text.slice(start, end);
    if (HEADING.test(raw)) continue;
    const sentence = raw.replace(/^(?:[-*•>]|\d+[.)])\s+/, '').replaceAll(/\*\*|__|`/g, '');
    if (/[?:]$/.test(sentence)) continue;
    const claim = makeClaim(`sentence ${index + 1}`, sentence, 'sentence');
    const content = claim.tokens.filter(isContent).length;
    if (content < 2 && claim.quantities.length === 0) continue;
    if (COURTESY.test(sentence) && claim.quantities.length === 0) continue;
    claims.push(claim);
  }
  return claims;
}

function fieldClaims(product: JsonValue): Claim[] {
  const claims: Claim[] = [];
  const visit = (value: JsonValue, path: string, label: string): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`, label);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const at = path === '' ? key : `${path}.${key}`;
        if (typeof item === 'object' || item === '') visit(item, at, wordsOfKey(key));
        else claims.push(fieldClaim(at, key, item, value));
      }
    } else if (value !== null && value !== '') {
      claims.push(makeClaim(path, label === '' ? String(value) : `${label}: ${String(value)}`, 'field'));
    }
  };
  visit(product, '', '');
  return claims;
}

function fieldClaim(at: string, key: string, item: JsonValue, record: { [key: string]: JsonValue }): Claim {
  const keys = Object.entries(record)
    .filter(([other, value]) => other !== key && typeof value === 'string' && value !== '')
    .map(([, value]) => String(value));
  const column = wordsOfKey(key);
  return { ...makeClaim(at, `${column}: ${String(item)}`, 'field'), record: { column, keys, value: String(item) } };
}

/** `invoiceTotal` and `invoice_total` read as "invoice total". */
export function wordsOfKey(key: string): string {
  return key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-./]+/g, ' ')
    .toLowerCase()
    .trim();
}

function makeClaim(at: string, text: string, kind: Claim['kind']): Claim {
  const tokens = tokenize(text);
  return {
    at,
    text,
    tokens,
    quantities: readQuantities(tokens),
    kind,
    instruction: isInstruction(text),
    record: undefined,
  };
}
