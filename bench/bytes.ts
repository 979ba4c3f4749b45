/** What a purchase of last year costs the database, table by table. */
import type { Arena } from './arena.ts';
import { table } from './measure.ts';

/** Tables below this many bytes a purchase hold no row of its own. */
const least = 100;

/**
 * The table of bytes a purchase once retention has deleted its content and the answers about it, and the archive has its
 * report, receipts, audit and books: with the rows that `npm run archive` leaves, made by SQL.
 */
export function benchBytes(arena: Arena): Promise<string> {
  return arena.onCopy(async ({ pool }) => {
    await pool.query(`set local session_replication_role = replica;
      update quotes set input = null, input_deleted_at = now() where input is not null;
      delete from idempotency_claims;
      delete from idempotency_answers;
      update x402_transfers set signature = null where watch_at is null;
      insert into archive_manifests (number, made_at, objects, digest)
      select 1 + nr, now(), 200, 'sha256:' || repeat('0', 64) from generate_series(0, (select count(*) from jobs) / 200) nr;
      insert into archived_jobs (job_key, number, manifest, digest, texts)
      select job_key, 1, 1 + row_number() over (order by created_at) / 200, sha256(job_key::bytea), array(
        select sha256(convert_to(body, 'UTF8')) from job_texts t where t.job_key = jobs.job_key)
      from jobs;
      insert into archived_audit (month, until_transaction, number, first_key, last_key, rows, last_transaction, hashes,
        digest, manifest)
      select month, 1, nr, min(purchase_key), max(purchase_key), count(*), 1, sha256('x'), sha256('x'), 1 from (
        select month, purchase_key, 1 + (dense_rank() over (order by purchase_key)) / 200 as nr from audit_rows) rows
      group by month, nr;
      insert into audit_ends (purchase_key, month, until_transaction, number, sequence, hash, steps)
      select purchase_key, min(month), 1, 1, max(sequence), sha256('x'), jsonb_agg(jsonb_build_array(
        (extract(epoch from at) * 1000)::bigint, action, state_to) order by sequence)
      from audit_rows group by purchase_key;
      delete from audit_rows;
      insert into archived_ledger (month, until_transaction, number, first_key, last_key, rows, hashes, digest, manifest)
      select month, 1, nr, min(job_key), max(job_key), count(*), sha256('x'), sha256('x'), 1 from (
        select month, job_key, 1 + (dense_rank() over (order by job_key)) / 200 as nr from ledger_transfers
        where job_key is not null) rows
      group by month, nr;
      update job_holdings set archived_events = array(
        select event_digest(event_key) from ledger_transfers t where t.job_key = job_holdings.job_key);
      delete from ledger_transfers where job_key is not null;
      delete from job_texts`);
    await pool.query('vacuum full');
    const { rows } = await pool.query<{ name: string; bytes: number; indexes: number }>(`
      select relname as name, pg_total_relation_size(pg_class.oid)::float8 / jobs.count as bytes,
        pg_indexes_size(pg_class.oid)::float8 / jobs.count as indexes
      from pg_class cross join (select count(*) from jobs) jobs
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc`);
    const kept = rows.filter(({ bytes }) => bytes >= least);
    const sum = (key: 'bytes' | 'indexes') => kept.reduce((total, row) => total + row[key], 0);
    return [
      '## Bytes of a purchase of last year',
      table(
        ['table', 'bytes', 'of these indexes'],
        [...kept, { name: 'sum', bytes: sum('bytes'), indexes: sum('indexes') }].map((row) => [
          row.name,
          row.bytes.toFixed(0),
          row.indexes.toFixed(0),
        ]),
      ),
    ].join('\n');
  });
}
