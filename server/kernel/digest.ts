import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** `sha256:<hex>` over the UTF-8 bytes of a text. */
export function digestOf(text: string | Uint8Array): string {
  return `sha256:${hash('sha256', text)}`;
}

/** The canonical form of a JSON value (RFC 8785). Throws on what JSON cannot say: undefined, NaN, lone surrogates. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  return text;
}
