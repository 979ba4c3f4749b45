import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Keys derived from one secret, one per purpose (RFC 5869). */
export interface SecretKey {
  /** Names the secret without revealing it: 16 hexadecimal digits. */
  readonly id: string;
  readonly tokens: KeyObject;
  readonly codes: KeyObject;
  readonly content: KeyObject;
}

/** The server's secrets. The first seals, signs and hashes; all open and verify. */
export interface Keyring {
  readonly first: SecretKey;
  readonly all: readonly SecretKey[];
  /** The key of this id. Throws when the ring lacks it. */
  byId(id: string): SecretKey;
}

/** Derives the keys from a list of secrets, once per process. */
export function openKeyring(secrets: readonly string[]): Keyring {
  const all = secrets.map(derived);
  const [first] = all;
  if (!first) throw new Error('a keyring needs a secret');
  return {
    first,
    all,
    byId(id) {
      const key = all.find((one) => one.id === id);
      if (!key) throw new Error(`SECRET_KEY holds no key ${id}`);
      return key;
    },
  };
}

function derived(secret: string): SecretKey {
  const bytes = (purpose: string, length: number) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `work-check ${purpose}`, length));
  return {
    id: Buffer.from(bytes('fingerprint', 8)).toString('hex'),
    tokens: createSecretKey(bytes('tokens', 32)),
    codes: createSecretKey(bytes('codes', 32)),
    content: createSecretKey(bytes('content', 32)),
  };
}

/** A keyed hash in base64url: useless without the key. */
export function keyedHash(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
