import { invalidParameter } from './errors.ts';
import type { Store } from './store.ts';

const DEPTH_MAX = 4;

/**
 * Replaces ids by objects along paths such as `data.latest_charge`. Throws 400 for a path without anything to expand.
 */
export function expandPaths(store: Store, answer: object, paths: readonly string[]): object {
  return paths.reduce((expanded, path) => {
    const names = path.split('.');
    if (names.length > DEPTH_MAX) throw cannotExpand(path);
    return expandPath(store, expanded, names, path) as object;
  }, answer);
}

function expandPath(store: Store, value: unknown, [name, ...rest]: readonly string[], path: string): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => expandPath(store, item, [name, ...rest], path));
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) throw cannotExpand(path);
  const inner = resolve(store, Reflect.get(value, name));
  if (inner === null) return value;
  if (typeof inner !== 'object') throw cannotExpand(path);
  return { ...value, [name]: expandPath(store, inner, rest, path) };
}

function resolve(store: Store, value: unknown): unknown {
  return typeof value === 'string' ? (store.find(value) ?? value) : value;
}

function cannotExpand(path: string) {
  const [last] = path.split('.').slice(-1);
  return invalidParameter(`This property cannot be expanded (${last}).`, 'expand');
}
