import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Stands for `node:crypto` in a browser: what digests ask of it. */
export function hash(algorithm: string, data: string | Uint8Array): string {
  if (algorithm !== 'sha256') throw new Error(`No ${algorithm} here.`);
  return bytesToHex(sha256(typeof data === 'string' ? new TextEncoder().encode(data) : data));
}
