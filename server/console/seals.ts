import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { digestOf } from '../kernel/digest.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import type { Runtime } from '../runtime.ts';

/**
 * Seals over the audit: a chained hash over the hashes of all rows and acts of a range of transactions. A seal covers
 * only transactions that have all ended, so nothing is added later and writers wait for nobody. To change a row
 * unnoticed, one would have to change every seal since.
 */

const everySeconds = 3_600;

interface Seal {
  number: number;
  sealed_at: Date;
  from_transaction: bigint;
  to_transaction: bigint;
  rows: number;
  previous_hash: string | null;
  hash: string;
}

/** Seals what happened since the last seal, once an hour. */
export async function sealAudit({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  await transact(db, async (tx) => {
    // One of two workers seals; nobody else takes this lock.
    const { mine } = await tx.one<{ mine: boolean }>(sql`
      select pg_try_advisory_xact_lock(hashtextextended('audit_seals', 0)) as mine`);
    if (!mine) return;
    const last = await tx.maybe<Seal>(sql`
      select number, sealed_at, to_transaction, hash from audit_seals order by number desc limit 1`);
    if (last && after(last.sealed_at, everySeconds) > now) return;
    const { until } = await tx.one<{ until: bigint }>(sql`
      select oldest_open_transaction() as until`);
    const from = last?.to_transaction ?? 0n;
    if (until <= from) return;
    const [number, before] = [(last?.number ?? 0) + 1, last?.hash ?? null];
    const { rows, digest } = await readSealed(tx, from, until);
    const hash = hashOf({ number, from, until, rows, before, digest });
    tx.write(sql`
      insert into audit_seals (number, sealed_at, from_transaction, to_transaction, rows, previous_hash, hash)
      values (${number}, ${now}, ${from}, ${until}, ${rows}, ${before}, ${hash})`);
  });
}

interface Sealed {
  number: number;
  from: bigint;
  until: bigint;
  rows: number;
  before: string | null;
  digest: string;
}

const hashOf = ({ number, from, until, rows, before, digest }: Sealed): string =>
  digestOf([number, from, until, rows, before ?? '', digest].join(' '));

/** Counts the rows and acts of transactions in [`from`, `until`), with a digest over their hashes. */
function readSealed(db: Queries, from: bigint, until: bigint): Promise<{ rows: number; digest: string }> {
  // By the hashes' last digits, in parts of a few hundred: millions in one text would fill the memory.
  return db.one(sql`
    select coalesce(sum(rows), 0)::int as rows,
      encode(sha256(convert_to(coalesce(string_agg(digest, '' order by part), ''), 'UTF8')), 'hex') as digest
    from (
      select right(hash, 3) as part, count(*) as rows,
        encode(sha256(convert_to(string_agg(hash, '' order by hash), 'UTF8')), 'hex') as digest
      from (
        select hash from audit_rows where transaction >= ${from} and transaction < ${until}
        union all
        select hash from operator_acts where transaction >= ${from} and transaction < ${until}) sealed
      group by right(hash, 3)) parts`);
}

/** A fault of the audit: its subject and row. */
export interface Broken {
  subject: string;
  sequence: number;
  fault: string;
}

/** The result of recomputing seals. */
export interface VerifiedSeals {
  seals: number;
  sealed_rows: number;
  /** No row older than this seal was looked at. */
  since: Date | null;
  broken: Broken[];
}

/** Recompute at most that many rows of the newest seals, because somebody waits. */
const rowsMax = 100_000;
const sealsMax = 1_000;

/**
 * Recomputes the newest seals and the hash of every row and act in them; checks that the seals form a complete chain.
 */
export async function verifySeals(db: Queries): Promise<VerifiedSeals> {
  const seals = await db.many<Seal>(sql`
    select number, sealed_at, from_transaction, to_transaction, rows, previous_hash, hash from (
      select number, sealed_at, from_transaction, to_transaction, rows, previous_hash, hash,
        sum(rows) over (order by number desc) as sum, row_number() over (order by number desc) as nth
      from audit_seals where number > (select max(number) from audit_seals) - ${sealsMax}
        -- Rows of older ones lie in the archive.
        and from_transaction > (select coalesce(max(last_transaction), -1) from archived_audit)) newest
    where sum <= ${rowsMax} or nth = 1 order by number`);
  const broken = chainFaults(seals);
  for (const seal of seals) broken.push(...(await sealFaults(db, seal)));
  return {
    seals: seals.length,
    sealed_rows: seals.reduce((sum, { rows }) => sum + rows, 0),
    since: seals[0]?.sealed_at ?? null,
    broken,
  };
}

function chainFaults(seals: readonly Seal[]): Broken[] {
  return seals.flatMap((seal, index) => {
    const before = seals[index - 1];
    const follows =
      !before ||
      (before.number + 1 === seal.number &&
        before.hash === seal.previous_hash &&
        before.to_transaction === seal.from_transaction);
    return follows ? [] : [{ subject: 'seal', sequence: seal.number, fault: 'missing' }];
  });
}

async function sealFaults(db: Queries, seal: Seal): Promise<Broken[]> {
  const { number, from_transaction: from, to_transaction: until } = seal;
  const { rows, digest } = await readSealed(db, from, until);
  const hash = hashOf({ number, from, until, rows, before: seal.previous_hash, digest });
  const changed = await db.many<Broken>(sql`
    select purchase_key as subject, sequence, 'changed' as fault from audit_rows
    where transaction >= ${from} and transaction < ${until} and hash <> encode(sha256(convert_to(concat_ws(E'\\x1f',
      purchase_key, sequence, extract(epoch from at), actor, action, state_from, state_to, previous_hash), 'UTF8')), 'hex')
    limit 100`);
  return hash === seal.hash ? changed : [...changed, { subject: 'seal', sequence: number, fault: 'broken' }];
}
