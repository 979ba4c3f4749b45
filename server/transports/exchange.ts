/**
 * A request as the operations are given it. A web `Request` is one; the plain HTTP server makes its own, because the
 * web's objects and their streams cost more than most operations.
 */
export interface Asked {
  readonly method: string;
  /** Absolute, or the path and query alone. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
  /** Reads the body in place of `body`, where that costs less. Resolves to null for one of more than `maxBytes`. */
  read?(maxBytes: number): Promise<Uint8Array | null>;
}

/** What an operation answers: the names of the headers are in lower case, and the body is text. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string | null;
  /** It carries a secret: compressed beside what somebody else chose, its length would tell of it. */
  secret?: true | undefined;
}

/** Headers put together, the later ones over the earlier, whatever the case of their names. */
export function mergedHeaders(...parts: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of parts) for (const name in part) headers[name.toLowerCase()] = part[name] ?? '';
  return headers;
}

/** The answer as the web's object, for the doors that speak in these. */
export function responseOf({ status, headers, text }: Answer): Response {
  return new Response(text, { status, headers });
}
