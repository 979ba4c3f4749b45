import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Database } from '../kernel/database.ts';
import { newKey, randomText } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../perform.ts';
import type * as contract from '../service/contract.ts';

/** Signs receipts: a compact JWS (RFC 7515) with Ed25519 (RFC 8037) that carries its payload. */
export interface ReceiptSigner {
  readonly kid: string;
  sign(payload: string): string;
}

const KeysFile = z.object({
  keys: z.array(z.object({ kid: z.string(), created_at: z.iso.datetime(), private_key_pem: z.string() })).min(1),
});

/**
 * Opens the signing keys: the newest signs, the public half of every one is published for good. Without a file one is
 * made, readable by its owner only; of two processes that start together one makes it and both use it.
 */
export async function openReceiptKeys(file: string, db: Database, now: Date): Promise<ReceiptSigner> {
  const { keys } = readKeys(file) ?? makeKeys(file, now);
  for (const [index, key] of keys.entries()) {
    const publicJwk = createPublicKey(createPrivateKey(key.private_key_pem)).export({ format: 'jwk' });
    const jwk = { ...publicJwk, kid: key.kid, use: 'sig', alg: 'EdDSA' };
    await db.many(sql`
      insert into receipt_keys (kid, public_jwk, valid_from, valid_to)
      values (${key.kid}, ${JSON.stringify(jwk)}, ${key.created_at}, ${keys[index + 1]?.created_at ?? null})
      on conflict (kid) do update set valid_to = excluded.valid_to`);
  }
  const newest = keys[keys.length - 1];
  if (!newest) throw new Error('the receipt key file holds no key');
  return signerOf(newest.kid, createPrivateKey(newest.private_key_pem));
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
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = { keys: [{ kid: `receipt-${randomText(8)}`, created_at: now.toISOString(), private_key_pem: pem }] };
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

export const receiptKeys: Verb<typeof contract.receiptKeys> = async ({ db }) => {
  const rows = await db.many<{ public_jwk: { kid: string; kty: string }; valid_from: Date; valid_to: Date | null }>(sql`
    select public_jwk, valid_from, valid_to from receipt_keys order by valid_from limit 1000`);
  return {
    body: {
      keys: rows.map((row) => ({
        ...row.public_jwk,
        valid_from: row.valid_from.toISOString(),
        valid_to: row.valid_to?.toISOString() ?? null,
      })),
    },
  };
};
