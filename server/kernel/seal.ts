import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

/** NIST SP 800-38D: 96 random bits are good for 2^32 texts under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** The column of the row that holds a sealed text. It is sealed with the text: in another place it does not open. */
export interface SealedPlace {
  column: 'quotes.input' | 'dispute_texts.texts' | 'sources.text';
  row: string;
}

/** How a text begins that was sealed under the key of this id. */
export const sealedUnder = (keyId: string): string => `v2.${keyId}.`;

/**
 * A text as it is kept at rest: encrypted and authenticated under the first of the server's keys, for one place. A
 * database keeps deleted rows in its files, its log and its backups for as long as it likes; what was sealed cannot be
 * read there.
 */
export function seal(text: string, { first }: Keyring, place: SealedPlace): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, first.content, nonce).setAAD(boundTo(place));
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return sealedUnder(first.id) + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url');
}

/** The text again. Throws when its key is not in the ring, or when it was altered or sealed for another place. */
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
