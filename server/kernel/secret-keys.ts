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

/** How often a process says which key it has in front. */
const sayEveryMs = 10_000;
/** A process that has said nothing for this long has ended. */
const silenceMaxSeconds = 60;

/** The same check at start; also says that the first key is in front. Throws `ConfigurationError`. */
export async function requireSecretKeys(db: Queries, keyring: Keyring): Promise<void> {
  await checkSecretKeys(db, keyring);
  await sayInFront(db, keyring);
}

/**
 * Says again and again which key this process issues under, so that nobody retires it meanwhile. One that was retired
 * while the process hung is needed again. Returns what ends it.
 */
export function keepInFront(db: Queries, keyring: Keyring): () => void {
  // A database that is away is told elsewhere; nothing is issued then either.
  const timer = setInterval(() => void sayInFront(db, keyring).catch(() => {}), sayEveryMs).unref();
  return () => clearInterval(timer);
}

async function sayInFront(db: Queries, { first }: Keyring): Promise<void> {
  await db.many(sql`
    insert into secret_keys (key_id, first_used_at, in_front_at) values (${first.id}, now(), now())
    on conflict (key_id) do update set retired_at = null, in_front_at = now()`);
}

/**
 * Retires every key but the first, and returns them: what was hashed with them is void from then on. Retires none, and
 * returns which, while a process still has another in front.
 */
export async function retireOthers(
  db: Queries,
  { first }: Keyring,
  now: Date,
): Promise<{ retired: string[]; inFront: string[] }> {
  const rows = await db.many<{ key_id: string; is_retired: boolean }>(sql`
    with others as (
      select key_id, coalesce(in_front_at > now() - make_interval(secs => ${silenceMaxSeconds}), false) as is_in_front
      from secret_keys where retired_at is null and key_id <> ${first.id} for update
    ), retired as (
      update secret_keys set retired_at = ${now}
      where key_id in (select key_id from others) and not exists (select from others where is_in_front)
      returning key_id
    )
    select key_id, true as is_retired from retired union all select key_id, false from others where is_in_front`);
  const named = (is: boolean) => rows.filter(({ is_retired }) => is_retired === is).map(({ key_id }) => key_id);
  return { retired: named(true), inFront: named(false) };
}
