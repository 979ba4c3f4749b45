import type { Queries } from '../kernel/database.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { type SealedPlace, seal, sealedUnder, unseal } from '../kernel/seal.ts';
import { statement } from '../kernel/sql.ts';

/** The columns of sealed texts, with the key of their rows. Code, never input. */
const places = [
  { column: 'quotes.input', table: 'quotes', text: 'input', key: 'quote_key' },
  { column: 'dispute_texts.texts', table: 'dispute_texts', text: 'texts', key: 'review_key' },
  { column: 'sources.text', table: 'sources', text: 'text', key: 'source_key' },
  { column: 'webhook_endpoints.secret', table: 'webhook_endpoints', text: 'secret', key: 'endpoint_key' },
] as const satisfies readonly { column: SealedPlace['column']; table: string; text: string; key: string }[];

/** Rows resealed at once; each is its own statement, so that nobody waits for it. */
const batch = 100;

/**
 * Reseals with the first key whatever another key sealed, while the service runs; skips rows that change meanwhile.
 * Returns the number of texts.
 */
export async function resealAll(db: Queries, keyring: Keyring): Promise<number> {
  let sealed = 0;
  for (const { column, table, text, key } of places) {
    let last = '';
    for (;;) {
      const rows = await db.many<{ row: string; text: string }>(
        statement(
          `select ${key} as row, ${text} as text from ${table}
          where ${key} > $1 and ${text} is not null and not starts_with(${text}, $2) order by ${key} limit ${batch}`,
          [last, sealedUnder(keyring.first.id)],
        ),
      );
      for (const { row, text: before } of rows) {
        const place = { column, row };
        const after = seal(unseal(before, keyring, place), keyring, place);
        const written = await db.many(
          statement(`update ${table} set ${text} = $1 where ${key} = $2 and ${text} = $3 returning 1`, [
            after,
            row,
            before,
          ]),
        );
        sealed += written.length;
        last = row;
      }
      if (rows.length < batch) break;
    }
  }
  return sealed;
}

/**
 * What still needs another key than the first: texts, and usable credentials and registrations. Hashes under a retired
 * key are void and need none.
 */
export interface StillNeeded {
  texts: number;
  credentials: number;
  registrations: number;
}

export async function stillNeeded(db: Queries, { first }: Keyring, now: Date): Promise<StillNeeded> {
  const texts = places
    .map(
      ({ table, text }) => `(select count(*) from ${table} where ${text} is not null and not starts_with(${text}, $1))`,
    )
    .join(' + ');
  const isAlive = 'key_id not in (select key_id from secret_keys where retired_at is not null)';
  const row = await db.one<Record<keyof StillNeeded, bigint>>(
    statement(
      `select (${texts})::bigint as texts,
        (select count(*) from credentials join principals using (principal_key)
          where key_id <> $2 and ${isAlive} and credentials.revoked_at is null and principals.revoked_at is null
            and (expires_at is null or expires_at > $3)
            and (use_by is null or last_used_at is not null or use_by > $3)) as credentials,
        (select count(*) from registrations left join principals on principal_key = agent_key
          where key_id <> $2 and ${isAlive} and revoked_at is null and (state = 'released'
            or (state in ('pending_confirmation', 'confirmed') and coalesce(claim_until, expires_at) > $3))
        ) as registrations`,
      [sealedUnder(first.id), first.id, now],
    ),
  );
  return { texts: Number(row.texts), credentials: Number(row.credentials), registrations: Number(row.registrations) };
}
