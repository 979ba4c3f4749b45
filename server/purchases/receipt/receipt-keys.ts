import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { chownSync, linkSync, mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { after } from '../../kernel/clock.ts';
import { ConfigurationError } from '../../kernel/configuration-error.ts';
import type { Database, Queries } from '../../kernel/database.ts';
import { newKey, randomText } from '../../kernel/id.ts';
import { log } from '../../kernel/log.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { ReceiptSigner } from '../../runtime.ts';
import type * as contract from '../key-contract.ts';

const KeyList = z.object({
  keys: z.array(z.object({ kid: z.string(), created_at: z.iso.datetime(), private_key_pem: z.string() })).min(1),
});
type KeyList = z.infer<typeof KeyList>;
interface Key {
  kid: string;
  created_at: string;
  privateKey: KeyObject;
  /** The published form. */
  jwk: Record<string, unknown>;
}

/** Where the signing keys are: a file that the first start creates, or text from the environment. */
export type ReceiptKeysPlace = { file: string } | { text: string };

/** The old key stays valid this long after a rotation, until every process has restarted. */
const overlapSeconds = 3_600;

/**
 * Opens the signing keys: the newest signs, every public half is published for good. The very first start creates the
 * file, readable by its owner; two concurrent starts use the same one. Throws `ConfigurationError` when the database
 * knows other keys.
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
 * Compares the signing keys with the database; changes nothing. Returns the keys and the signing one; null when the
 * first start will create them. Throws `ConfigurationError`.
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
 * Publishes public halves with their periods; a key's ends a while after the next is published. Published keys stay.
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
 * Creates another key for the next start: adds it to the file, or returns the list for the environment, published by
 * the first process that starts with it.
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
  // The command may run as root; the service must go on reading its file.
  const { uid, gid } = statSync(place.file);
  chownSync(draft, uid, gid);
  // Rename: a concurrent start reads one list or the other.
  renameSync(draft, place.file);
  await publish(db, opensAs({ keys }, variableOf(place)), now);
  return { kid: key.kid, list: null };
}

/**
 * Revokes a leaked key: later signatures do not count, and no process starts with it. Throws `not_found`, and
 * `action_not_allowed` for the signing key.
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

/**
 * What a key signs now, nobody could verify: it was revoked, or replaced long ago. A process with it was not started
 * anew, and every other goes on.
 */
export class ReceiptKeyEnded extends Problem {
  constructor() {
    super('service_unavailable', 'No receipt can be signed right now. Nothing acknowledged is lost.', {
      members: { reasons: ['receipt_keys_missing'] },
      headers: { 'Retry-After': '5' },
    });
  }
}

/** Whether a key may sign at `$2`, as SQL: it is published under the name `$1`, and has not ended. */
export const maySign = `exists (
  select from receipt_keys where kid = $1 and revoked_at is null and (valid_to is null or valid_to > $2))`;

/** Throws `ReceiptKeyEnded` when this process signs with a key that has ended, and logs it. */
export async function requireReceiptKey(db: Queries, { kid }: ReceiptSigner, now: Date): Promise<void> {
  const { may } = await db.one<{ may: boolean }>(statement(`select ${maySign} as may`, [kid, now]));
  if (may) return;
  log('receipt_key_ended', { kid });
  throw new ReceiptKeyEnded();
}

/** Synchronous: through the thread pool, as libraries do it, a signature takes four times as long. */
function signerOf(kid: string, key: KeyObject): ReceiptSigner {
  const headerOf = (name: string) => base64url(JSON.stringify({ alg: 'EdDSA', kid: name }));
  const header = headerOf(kid);
  return {
    kid,
    sign(payload, name) {
      const signed = `${name === undefined ? header : headerOf(name)}.${base64url(payload)}`;
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

/** Keys ready to sign. */
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
    // Link, unlike rename, does not replace a file that another process made first.
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
