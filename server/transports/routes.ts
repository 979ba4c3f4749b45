import { maxHeaderSize } from 'node:http';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { type OperationName, operations } from '../operations.ts';

/** The operations' addresses. Callers have checked that the address may be routed. */
const router = findMyWay({ maxParamLength: maxHeaderSize });
for (const { name, method, path } of Object.values(operations)) {
  router.on(method, path.replace(/\{(\w+)\}/g, ':$1'), () => {}, { name, path });
}

interface Found {
  name: OperationName;
  /** The decoded path keys. */
  params: Record<string, string>;
  path: string;
}

/** The operation at an address, if any. */
export function operationAt(method: string, path: string): Found | null {
  // The router would decode `%6Aobs` to `jobs`: accept one spelling only.
  const found = router.find(method as HTTPMethod, path.includes('%') ? path.replaceAll('%', '%25') : path);
  if (!found) return null;
  const params: Record<string, string> = {};
  for (const [key, value] of Object.entries(found.params)) {
    if (!value) return null;
    params[key] = decoded(value);
  }
  return { ...found.store, params };
}

const methods = ['GET', 'POST', 'DELETE'] as const;

/** The methods of an address, in the order of the operations. */
export function methodsAt(path: string): string[] {
  const known = methods.flatMap((method) => operationAt(method, path)?.path ?? []);
  return Object.values(operations).flatMap((operation) => (known.includes(operation.path) ? operation.method : []));
}

/** A decoded part of an address; unchanged when its encoding is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
