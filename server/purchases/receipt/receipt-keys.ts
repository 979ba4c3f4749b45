import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { after } from '../../kernel/clock.ts';
import { ConfigurationError } from '../../kernel/configuration-error.ts';
import type { Database } from '../../kernel/database.ts';
import { newKey, randomText } from '../../kernel/id.ts';
import { Problem } from '../../kernel/problem.ts';
import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../perform.ts';
import type * as contract from '../../service/contract.ts';

/** Signs receipts: a compact JWS (RFC 7515) with Ed25519 (RFC 8037) that carries its payload. */
export interface ReceiptSigner {
  readonly kid: string;
  sign(payload: string): string;
}

const KeysFile = z.object({
  keys: z.array(z.object({ kid: z.string(), created_at: z.iso.datetime(), private_key_pem: z.string() })).min(1),
});

/** After a rotation the key before is valid for so long: processes that still sign with it are started anew by then. */
const overlapSeconds = 3_600;

/**
 * Opens the signing keys: the newest signs, the public half of every one is published for good. At the very first start
 * the file is made, readable by its owner only; of two processes that start together one makes it and both use it. A
 * database that knows other keys stops the start: receipts of a new key would be those of somebody else. Throws
 * `ConfigurationError`.
 */
export async function openReceiptKeys(file: string, db: Database, now: Date): Promise<ReceiptSigner> {
  const published = await db.many<{ kid: string; revoked_at: Date | null }>(sql`
    select kid, revoked_at from receipt_keys`);
  const keys = readKeys(file)?.keys ?? (published.length === 0 ? makeKeys(file, now).keys : []);
  if (published.length > 0 && !keys.some(({ kid }) => published.some((one) => one.kid === kid))) {
    throw new ConfigurationError(
      `RECEIPT_KEYS_FILE holds none of the keys that this database knows: restore ${file} from its backup`,
    );
  }
  await publish(db, keys);
  const usable = keys.filter(({ kid }) => !published.some((one) => one.kid === kid && one.revoked_at !== null));
  const newest = usable.at(-1);
  if (!newest) throw new ConfigurationError('Every receipt key is revoked: npm run receipt-keys -- rotate');
  return signerOf(newest.kid, createPrivateKey(newest.private_key_pem));
}

/** Publishes the public half of each key, with the time for which it signs. What was published stays. */
async function publish(db: Database, keys: z.infer<typeof KeysFile>['keys']): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const publicJwk = createPublicKey(createPrivateKey(key.private_key_pem)).export({ format: 'jwk' });
    const jwk = { ...publicJwk, kid: key.kid, use: 'sig', alg: 'EdDSA' };
    const next = keys[index + 1];
    const validTo = next ? after(new Date(next.created_at), overlapSeconds) : null;
    await db.many(sql`
      insert into receipt_keys (kid, public_jwk, valid_from, valid_to)
      values (${key.kid}, ${JSON.stringify(jwk)}, ${key.created_at}, ${validTo})
      on conflict (kid) do update set valid_to = excluded.valid_to
        where receipt_keys.revoked_at is null and receipt_keys.valid_to is distinct from excluded.valid_to`);
  }
}

/** Adds a key to the file, which signs from the next start of each process on. Gives its name. */
export async function rotateReceiptKeys(file: string, db: Database, now: Date): Promise<string> {
  const known = readKeys(file);
  if (!known) {
    throw new Problem('not_found', `${file} is not there: the first start of the server makes it.`);
  }
  const key = newReceiptKey(now);
  const keys = [...known.keys, key];
  const draft = `${file}.${newKey('req')}`;
  writeFileSync(draft, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  // In one step: a process that starts meanwhile reads the one list or the other.
  renameSync(draft, file);
  await publish(db, keys);
  return key.kid;
}

/**
 * Revokes a key that somebody else may hold: nothing it signs from now on counts, and no process that starts signs with
 * it. Throws `not_found` where no such key signs, and `action_not_allowed` for the one that signs now.
 */
export async function revokeReceiptKey(
  file: string,
  db: Database,
  { kid, because, now }: { kid: string; because: string; now: Date },
): Promise<void> {
  if (readKeys(file)?.keys.at(-1)?.kid === kid) {
    throw new Problem('action_not_allowed', `${kid} signs now: rotate first, and start the server anew.`);
  }
  const revoked = await db.maybe(sql`
    update receipt_keys set revoked_at = ${now}, revoked_because = ${because},
      valid_to = least(coalesce(valid_to, ${now}), ${now})
    where kid = ${kid} and revoked_at is null returning kid`);
  if (!revoked) throw new Problem('not_found', `${kid} is no receipt key, or it is revoked.`);
}

/** Signs at once: sent to the thread pool, as libraries do it, a signature costs four times as much. */
function signerOf(kid: string, key: KeyObject): ReceiptSigner {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid }));
  return {
    kid,
    sign(payload) {
      const signed = `${header}.${base64url(payload)}`;
      return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
    },
  };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function readKeys(file: string): z.infer<typeof KeysFile> | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return KeysFile.parse(JSON.parse(text));
}

function makeKeys(file: string, now: Date): z.infer<typeof KeysFile> {
  const keys = { keys: [newReceiptKey(now)] };
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${newKey('req')}`;
  writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  try {
    // A link, unlike a rename, refuses to replace a file that another process made first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKeys(file) ?? keys;
}

function newReceiptKey(now: Date): z.infer<typeof KeysFile>['keys'][number] {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { kid: `receipt-${randomText(8)}`, created_at: now.toISOString(), private_key_pem: pem };
}

export const receiptKeys: Verb<typeof contract.receiptKeys> = async ({ db }) => {
  const rows = await db.many<{
    public_jwk: { kid: string; kty: string };
    valid_from: Date;
    valid_to: Date | null;
    revoked_at: Date | null;
  }>(sql`select public_jwk, valid_from, valid_to, revoked_at from receipt_keys order by valid_from limit 1000`);
  return {
    body: {
      keys: rows.map((row) => ({
        ...row.public_jwk,
        valid_from: row.valid_from.toISOString(),
        valid_to: row.valid_to?.toISOString() ?? null,
        ...(row.revoked_at ? { revoked_at: row.revoked_at.toISOString() } : {}),
      })),
    },
  };
};
