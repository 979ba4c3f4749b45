import { ConfigurationError } from './configuration-error.ts';
import type { Queries } from './database.ts';
import type { Keyring } from './keyring.ts';
import { sql } from './sql.ts';

/** Throws `ConfigurationError` when a key is missing that rows still need. Changes nothing. */
export async function checkSecretKeys(db: Queries, keyring: Keyring): Promise<void> {
  const needed = await db.many<{ key_id: string }>(sql`
    select key_id from secret_keys where retired_at is null order by first_used_at`);
  const missing = needed.map(({ key_id }) => key_id).filter((id) => !keyring.all.some((key) => key.id === id));
  if (missing.length > 0) {
    throw new ConfigurationError(
      `SECRET_KEY lacks the key ${missing.join(' and ')}, which rows of this database need: list it behind the first one`,
    );
  }
}

/** The same check at start; also records the first key as needed. Throws `ConfigurationError`. */
export async function requireSecretKeys(db: Queries, keyring: Keyring, now: Date): Promise<void> {
  await checkSecretKeys(db, keyring);
  await db.many(sql`
    insert into secret_keys (key_id, first_used_at) values (${keyring.first.id}, ${now})
    on conflict (key_id) do update set retired_at = null where secret_keys.retired_at is not null`);
}

/** Retires every key but the first. What was hashed with them is void from then on. */
export async function retireOthers(db: Queries, { first }: Keyring, now: Date): Promise<string[]> {
  const retired = await db.many<{ key_id: string }>(sql`
    update secret_keys set retired_at = ${now} where retired_at is null and key_id <> ${first.id} returning key_id`);
  return retired.map(({ key_id }) => key_id);
}
