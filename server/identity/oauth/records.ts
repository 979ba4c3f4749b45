import { createHash } from 'node:crypto';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import type { Runtime } from '../../runtime.ts';
import { tokenHash } from '../token.ts';

/**
 * What the authorization server remembers: clients, requests that wait for a person, codes, tokens. Ids are bearer
 * secrets with 256 random bits, so only their digests are kept. An access token is a credential of its agent as well.
 */

type Payload = Record<string, unknown> & { accountId?: string | undefined; grantId?: string | undefined };

/** What a record is about: the library's names. */
type Model = string;

/** The stored form of an id. */
export function recordId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Keeps a record; a later one under the same id replaces it. An access token becomes a credential too. */
export async function keep(
  runtime: Runtime,
  { model, id, seconds }: { model: Model; id: string; seconds: number | undefined },
  { jti: _, ...payload }: Payload,
): Promise<void> {
  const now = runtime.clock();
  const until = seconds === undefined ? null : after(now, seconds);
  await transact(runtime.db, async (tx) => {
    const credentialKey = model === 'AccessToken' ? newKey('cred') : null;
    if (credentialKey !== null) {
      const { first } = runtime.configuration.keyring;
      tx.write(sql`
        insert into credentials (credential_key, principal_key, kind, token_hash, key_id, created_at, expires_at)
        values (${credentialKey}, ${payload.accountId}, 'oauth', ${tokenHash(id, first)}, ${first.id}, ${now}, ${until})`);
    }
    tx.write(sql`
      insert into oauth_records (model, id_hash, payload, grant_id, credential_key, created_at, expires_at)
      values (${model}, ${recordId(id)}, ${JSON.stringify(payload)}, ${payload.grantId ?? null}, ${credentialKey},
        ${now}, ${until})
      on conflict (model, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`);
  });
}

/** Whether tokens may still speak for this agent. */
export async function isStanding({ db }: Runtime, agentKey: string): Promise<boolean> {
  const agent = await db.maybe(sql`
    select 1 from principals where principal_key = ${agentKey} and kind = 'agent' and revoked_at is null`);
  return agent !== undefined;
}

/** The record under this id; undefined for none, and for one whose time is over. */
export async function found(runtime: Runtime, model: Model, id: string): Promise<Payload | undefined> {
  const row = await runtime.db.maybe<{ payload: Payload; consumed_at: Date | null }>(sql`
    select payload, consumed_at from oauth_records
    where model = ${model} and id_hash = ${recordId(id)} and (expires_at is null or expires_at > ${runtime.clock()})`);
  if (!row) return undefined;
  const consumed = row.consumed_at ? { consumed: Math.floor(row.consumed_at.getTime() / 1_000) } : {};
  return { ...row.payload, ...consumed, jti: id };
}

/** Uses a record up. False when it was used before: of two at once, one wins. */
export async function consume(runtime: Runtime, model: Model, id: string): Promise<boolean> {
  const used = await runtime.db.maybe(sql`
    update oauth_records set consumed_at = ${runtime.clock()}
    where model = ${model} and id_hash = ${recordId(id)} and consumed_at is null returning 1`);
  return used !== undefined;
}

/** Forgets a record, and ends the credential that it is. */
export async function forget(runtime: Runtime, model: Model, id: string): Promise<void> {
  await runtime.db.many(sql`
    with gone as (
      delete from oauth_records where model = ${model} and id_hash = ${recordId(id)} returning credential_key)
    update credentials set revoked_at = ${runtime.clock()}
    where credential_key in (select credential_key from gone) and revoked_at is null`);
}

/** The same for all of a model that came from one consent. */
export async function forgetGranted(runtime: Runtime, model: Model, grantId: string): Promise<void> {
  await runtime.db.many(sql`
    with gone as (
      delete from oauth_records where model = ${model} and grant_id = ${grantId} returning credential_key)
    update credentials set revoked_at = ${runtime.clock()}
    where credential_key in (select credential_key from gone) and revoked_at is null`);
}

/** Records per sweep. */
const batch = 500;

/** Forgets records whose time is over. Nothing answers from them by then. */
export async function forgetOldRecords(db: Queries, now: Date): Promise<void> {
  await db.many(sql`
    delete from oauth_records where (model, id_hash) in (
      select model, id_hash from oauth_records where expires_at <= ${now} order by expires_at limit ${batch})`);
}
