import type { Queries } from '../kernel/database.ts';
import { log } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Book, type Difference, type KeptDifference, type Told, told, toldMax } from './told.ts';

/** Differences between our books and a provider's or a chain's. Kept until they agree, then kept as they were. */

/** Records a book's differences after a complete comparison. Earlier ones not found again are gone. */
export async function keepDifferences(
  db: Queries,
  book: Book,
  differences: readonly Difference[],
  now: Date,
): Promise<void> {
  for (const { kind, object_id, ours, theirs } of differences) {
    log('books_differ', { book, kind, object_id, ours, theirs });
    await db.many(sql`
      insert into reconciliation_differences as kept
        (book, kind, object_id, ours, theirs, first_seen_at, last_seen_at)
      values (${book}, ${kind}, ${object_id}, ${ours}, ${theirs}, ${now}, ${now})
      on conflict (book, kind, object_id) do update set ours = excluded.ours, theirs = excluded.theirs,
        first_seen_at = case when kept.gone_at is null then least(kept.first_seen_at, ${now}) else ${now} end,
        last_seen_at = ${now}, gone_at = null`);
  }
  const found = differences.map(({ kind, object_id }) => `${kind} ${object_id}`);
  await db.many(sql`
    update reconciliation_differences set gone_at = ${now}
    where book = ${book} and gone_at is null and not (kind || ' ' || object_id = any(${found}::text[]))`);
}

/** The current differences of the books, oldest first. */
export function readDifferences(db: Queries): Promise<Told<KeptDifference>> {
  return told<KeptDifference>(
    db,
    sql`
      select book, kind, object_id, ours, theirs, first_seen_at, last_seen_at, count(*) over () as total
      from reconciliation_differences where gone_at is null
      order by first_seen_at, book, kind, object_id limit ${toldMax}`,
  );
}

/** The ids of a kind with a difference in a book, to compare again. */
export async function differingIn(db: Queries, book: Book, kind: Difference['kind']): Promise<string[]> {
  const rows = await db.many<{ object_id: string }>(sql`
    select object_id from reconciliation_differences where book = ${book} and kind = ${kind} and gone_at is null`);
  return rows.map(({ object_id }) => object_id);
}
