/**
 * A request as operations see it. A web `Request` is one; the plain HTTP server makes its own, because web objects and
 * their streams cost more than most operations.
 */
export interface Asked {
  readonly method: string;
  /** Absolute, or path and query alone. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** All headers, where `headers` is no web object. */
  allHeaders?(): Headers;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
  /** Reads the body instead of `body`, where that is cheaper. Null past `maxBytes`. */
  read?(maxBytes: number): Promise<Uint8Array | null>;
}

/** An operation's answer: header names in lower case, the body as text. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string | null;
  /** What follows while the call runs, instead of `text`. */
  stream?: AsyncIterable<Uint8Array> | undefined;
  /** It carries a secret: compressing it beside input of others would leak through its length. */
  secret?: true | undefined;
}

/** Merges headers, later ones win, ignoring case. */
export function mergedHeaders(...parts: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of parts) for (const name in part) headers[name.toLowerCase()] = part[name] ?? '';
  return headers;
}

/** The answer as a web `Response`. */
export function responseOf({ status, headers, text, stream }: Answer): Response {
  // Node also takes what is only iterable.
  return new Response((stream ?? text) as BodyInit | null, { status, headers });
}
