import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/** NIST SP 800-38D: 96 random bits are good for 2^32 texts under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';
const version = 'v1.';

/**
 * A text as it is kept at rest: encrypted and authenticated under the server's secret. A database keeps deleted rows in
 * its files, its log and its backups for as long as it likes; what was sealed cannot be read there.
 */
export function seal(text: string, secretKey: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(secretKey), nonce);
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return version + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url');
}

/** The text again. Throws when it was sealed under another secret, or altered. */
export function unseal(sealed: string, secretKey: string): string {
  const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
  const opening = createDecipheriv(cipher, keyOf(secretKey), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8');
}

const keys = new Map<string, KeyObject>();

/** A key for this purpose alone (RFC 5869), derived once from each secret that a process has. */
function keyOf(secretKey: string): KeyObject {
  let key = keys.get(secretKey);
  if (!key) {
    key = createSecretKey(new Uint8Array(hkdfSync('sha256', secretKey, '', 'submitted content', 32)));
    keys.set(secretKey, key);
  }
  return key;
}
