import type { Operation } from '../../server/operation/operation.ts';

/** Matches the paths of an operation, with each key as a group in the order of `pathKeys`. */
export function pathPattern({ path }: Pick<Operation, 'path'>): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`);
}
