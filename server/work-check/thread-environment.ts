/**
 * What a thread sees of the environment: where compiled code is kept, if it is, which saves a sixth of the thread's
 * start. No secret is among it.
 */
export function threadEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
