import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

/** NIST SP 800-38D: 96 random bits are good for 2^32 texts under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** The row and column (`table.column`) of a sealed text. It opens nowhere else. */
export interface SealedPlace {
  column: string;
  row: string;
}

/** The prefix of texts sealed with this key. */
export const sealedUnder = (keyId: string): string => `v2.${keyId}.`;

/**
 * Encrypts and authenticates a text with the first key, bound to one place. Databases keep deleted rows in files, logs
 * and backups; sealed text cannot be read there.
 */
export function seal(text: string, { first }: Keyring, place: SealedPlace): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, first.content, nonce).setAAD(boundTo(place));
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return sealedUnder(first.id) + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a sealed text. Throws when its key is missing, or when it was altered or moved. */
export function unseal(sealed: string, keyring: Keyring, place: SealedPlace): string {
  const [, id = '', text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  const opening = createDecipheriv(cipher, keyring.byId(id).content, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  }).setAAD(boundTo(place));
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8');
}

function boundTo({ column, row }: SealedPlace): Buffer {
  return Buffer.from(`${column} ${row}`);
}
