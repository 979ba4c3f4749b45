interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

/** A copy of a document with a JSON Patch (RFC 6902) applied: add, replace and remove, as the vectors use them. */
export function patched(document: unknown, operations: readonly Operation[]): unknown {
  const root = { document: structuredClone(document) };
  for (const { op, path, value } of operations) {
    const names = ['document', ...path.split('/').slice(1)].map((name) =>
      name.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const last = names.pop() as string;
    const parent = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, root);
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return root.document;
}
