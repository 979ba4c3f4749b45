import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { Problem } from '../../door/problem.ts';
import type { Verb } from '../../door/verb.ts';
import { after } from '../../kernel/clock.ts';
import { ConfigurationError } from '../../kernel/configuration-error.ts';
import type { Database } from '../../kernel/database.ts';
import { newKey, randomText } from '../../kernel/id.ts';
import { sql } from '../../kernel/sql.ts';
import type * as contract from '../../service/contract.ts';
import type { ReceiptSigner } from './receipt-signer.ts';

const KeyList = z.object({
  keys: z.array(z.object({ kid: z.string(), created_at: z.iso.datetime(), private_key_pem: z.string() })).min(1),
});
type KeyList = z.infer<typeof KeyList>;
interface Key {
  kid: string;
  created_at: string;
  privateKey: KeyObject;
  /** As it is published. */
  jwk: Record<string, unknown>;
}

/** Where the signing keys are: in a file that the first start makes, or given as text by the environment. */
export type ReceiptKeysPlace = { file: string } | { text: string };

/** After a rotation the key before is valid for so long: processes that still sign with it are started anew by then. */
const overlapSeconds = 3_600;

/**
 * Opens the signing keys: the newest signs, the public half of every one is published for good. At the very first start
 * the file is made, readable by its owner only; of two processes that start together one makes it and both use it. A
 * database that knows other keys stops the start: receipts of a new key would be those of somebody else. Throws
 * `ConfigurationError`.
 */
export async function openReceiptKeys(place: ReceiptKeysPlace, db: Database, now: Date): Promise<ReceiptSigner> {
  const found = await checkReceiptKeys(place, db, now);
  if (!found) {
    makeKeys(place, now);
    return openReceiptKeys(place, db, now);
  }
  await publish(db, found.keys, now);
  return signerOf(found.signing.kid, found.signing.privateKey);
}

/**
 * Holds the signing keys against those that the database knows, and changes nothing. Gives the keys and the one of them
 * that signs; null where the first start makes them. Throws `ConfigurationError`.
 */
export async function checkReceiptKeys(
  place: ReceiptKeysPlace,
  db: Database,
  now: Date,
): Promise<{ keys: Key[]; signing: Key } | null> {
  const variable = variableOf(place);
  const published = await db.many<{
    kid: string;
    public_jwk: { x: string };
    valid_to: Date | null;
    revoked_at: Date | null;
  }>(sql`select kid, public_jwk, valid_to, revoked_at from receipt_keys`);
  const list = readKeys(place);
  if (!list && published.length === 0) return null;
  const keys = list ? opensAs(list, variable) : [];
  const asPublished = ({ kid }: Key) => published.find((one) => one.kid === kid);
  if (published.length > 0 && !keys.some(asPublished)) {
    throw new ConfigurationError(
      `${variable} holds none of the keys that this database knows: restore ${'file' in place ? place.file : 'them'} from its backup`,
    );
  }
  const changed = keys.find((key) => (asPublished(key)?.public_jwk.x ?? key.jwk.x) !== key.jwk.x);
  if (changed)
    throw new ConfigurationError(`${variable} has another key under the name ${changed.kid} than is published`);
  const signing = keys.filter((key) => !asPublished(key)?.revoked_at).at(-1);
  const validTo = signing && asPublished(signing)?.valid_to;
  if (!signing || (validTo && validTo <= now)) {
    throw new ConfigurationError(
      `${variable} lacks a key that signs: each is revoked, or was replaced by one that is missing there`,
    );
  }
  return { keys, signing };
}

/**
 * Publishes the public half of each key, with the time for which it signs: it ends when the next one has been published
 * for a while. What was published stays.
 */
async function publish(db: Database, keys: readonly Key[], now: Date): Promise<void> {
  for (const [index, { kid, created_at, jwk }] of keys.entries()) {
    const validTo = index < keys.length - 1 ? after(now, overlapSeconds) : null;
    await db.many(sql`
      insert into receipt_keys (kid, public_jwk, valid_from, valid_to)
      values (${kid}, ${JSON.stringify(jwk)}, ${created_at}, ${validTo})
      on conflict (kid) do update set valid_to = excluded.valid_to
        where receipt_keys.revoked_at is null and receipt_keys.valid_to is null and excluded.valid_to is not null`);
  }
}

/**
 * Makes another key, which signs from the next start of each process on: adds it to the file, or gives the list to put
 * into the environment. There, the first process that starts with the list publishes it.
 */
export async function rotateReceiptKeys(
  place: ReceiptKeysPlace,
  db: Database,
  now: Date,
): Promise<{ kid: string; list: string | null }> {
  const known = readKeys(place);
  if (!known)
    throw new Problem('not_found', 'There are no receipt keys yet: the first start of the server makes them.');
  const key = newReceiptKey(now);
  const keys = [...known.keys, key];
  if ('text' in place) return { kid: key.kid, list: JSON.stringify({ keys }) };
  const draft = `${place.file}.${newKey('req')}`;
  writeFileSync(draft, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  // In one step: a process that starts meanwhile reads the one list or the other.
  renameSync(draft, place.file);
  await publish(db, opensAs({ keys }, variableOf(place)), now);
  return { kid: key.kid, list: null };
}

/**
 * Revokes a key that somebody else may hold: nothing it signs from now on counts, and no process that starts signs with
 * it. Throws `not_found` where no such key signs, and `action_not_allowed` for the one that signs now.
 */
export async function revokeReceiptKey(
  place: ReceiptKeysPlace,
  db: Database,
  { kid, because, now }: { kid: string; because: string; now: Date },
): Promise<void> {
  if (readKeys(place)?.keys.at(-1)?.kid === kid) {
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

const variableOf = (place: ReceiptKeysPlace) => ('file' in place ? 'RECEIPT_KEYS_FILE' : 'RECEIPT_KEYS');

function readKeys(place: ReceiptKeysPlace): KeyList | null {
  try {
    return KeyList.parse(JSON.parse('text' in place ? place.text : readFileSync(place.file, 'utf8')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ('file' in place && code === 'ENOENT') return null;
    throw new ConfigurationError(`${variableOf(place)} cannot be read: ${code ?? 'it is not what the server writes'}`);
  }
}

/** The keys of a list, ready to sign. */
function opensAs({ keys }: KeyList, variable: string): Key[] {
  return keys.map(({ kid, created_at, private_key_pem }) => {
    try {
      const privateKey = createPrivateKey(private_key_pem);
      if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('another kind of key');
      const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' });
      return { kid, created_at, privateKey, jwk: { ...publicJwk, kid, use: 'sig', alg: 'EdDSA' } };
    } catch {
      throw new ConfigurationError(`${variable} has no Ed25519 key under the name ${kid}`);
    }
  });
}

function makeKeys(place: ReceiptKeysPlace, now: Date): void {
  if ('text' in place) throw new Error('keys that the environment gives are not made');
  const { file } = place;
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${newKey('req')}`;
  writeFileSync(draft, `${JSON.stringify({ keys: [newReceiptKey(now)] }, null, 2)}\n`, { mode: 0o600 });
  try {
    // A link, unlike a rename, refuses to replace a file that another process made first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}

function newReceiptKey(now: Date): KeyList['keys'][number] {
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
