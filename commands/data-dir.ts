import path from 'node:path';

/** Where a stack keeps what survives a restart: `DATA_DIR`, or `.data` in the project. */
export function dataDir(): string {
  return path.resolve(process.env.DATA_DIR || path.join(import.meta.dirname, '..', '.data'));
}
