import type { Database } from '../../kernel/database.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { BucketFailed, type ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { each } from '../../queue/rounds.ts';
import type { ReceiptSigner } from '../../runtime.ts';
import { dueJobs } from './due.ts';
import { type ArchivedText, hexOf, manifestAt, objectAt, pack } from './pack.ts';

/** Jobs of one manifest. */
const batch = 200;

export interface Archiver {
  db: Database;
  archive: ObjectStore;
  signer: ReceiptSigner;
  now: Date;
  afterDays: number;
}

/** A job's texts that go, and the object that has them. */
interface Packed {
  job_key: string;
  texts: ArchivedText[];
  object: Buffer;
  digest: string;
}

export interface Archived {
  jobs: number;
  texts: number;
  bytes: number;
}

/**
 * Moves the reports and receipts of ended purchases to the archive, batch by batch: puts each object, reads it back,
 * signs a manifest, and releases the texts in one transaction. May be stopped anywhere and started again. Rejects when
 * the bucket fails, and when another run got ahead.
 */
export async function archiveDue(archiver: Archiver): Promise<Archived> {
  const sum = { jobs: 0, texts: 0, bytes: 0 };
  for (;;) {
    const due = await dueJobs(archiver.db, archiver.now, archiver.afterDays, batch);
    if (due.length === 0) return sum;
    const packed = await packedJobs(archiver.db, due);
    // Another run took all of them meanwhile.
    if (packed.length === 0) continue;
    await each(packed, ({ digest, object }) => putAndRead(archiver.archive, objectAt(digest), object));
    const listed = packed.map(({ job_key, digest, object }) => ({ job_key, digest, bytes: object.length }));
    await release(archiver, packed, await putManifest(archiver, listed));
    sum.jobs += packed.length;
    sum.texts += packed.reduce((count, { texts }) => count + texts.length, 0);
    sum.bytes += packed.reduce((bytes, { object }) => bytes + object.length, 0);
  }
}

async function packedJobs(db: Database, jobKeys: string[]): Promise<Packed[]> {
  const rows = await db.many<ArchivedText & { job_key: string }>(sql`
    select job_key, kind, number, body from job_texts where job_key = any(${jobKeys}::text[])
    order by job_key, kind, number`);
  return [...Map.groupBy(rows, ({ job_key }) => job_key)].map(([job_key, of]) => {
    const texts = of.map(({ kind, number, body }) => ({ kind, number, body }));
    const object = pack(job_key, texts);
    return { job_key, texts, object, digest: hexOf(object) };
  });
}

/** Puts an object and reads it back: what the bucket said it has, it gives. */
export async function putAndRead(archive: ObjectStore, key: string, bytes: Buffer): Promise<void> {
  await archive.put(key, bytes);
  if (!bytes.equals(await archive.get(key)))
    throw new BucketFailed(`the bucket gives something else than was put: ${key}`);
}

/** A manifest that lies in the bucket: its place in the chain, and the digests of the one before and its own. */
export interface Manifest {
  number: number;
  previous: string | null;
  digest: string;
}

/** An object as its manifest names it: by its job, or its month of the audit. */
type Listed = ({ job_key: string } | { month: string }) & { digest: string; bytes: number };

/** Signs what a batch put into the bucket and puts that there, too: a compact JWS with its payload. */
export async function putManifest(
  { db, archive, signer, now }: Archiver,
  objects: readonly Listed[],
): Promise<Manifest> {
  const last = await db.maybe<{ number: number; digest: string }>(sql`
    select number, digest from archive_manifests order by number desc limit 1`);
  const number = (last?.number ?? 0) + 1;
  const previous = last?.digest ?? null;
  const payload = canonicalJson({
    manifest_version: 'svc.archive.v1',
    number,
    made_at: now.toISOString(),
    previous_manifest_digest: previous,
    objects: objects.map((object) => ({ ...object, digest: `sha256:${object.digest}` })),
  });
  const signed = signer.sign(payload);
  const digest = digestOf(signed);
  await putAndRead(archive, manifestAt(number, digest), Buffer.from(signed));
  return { number, previous, digest };
}

/** Records the objects and deletes their texts. The database keeps a text that no object has. */
async function release({ db, now }: Archiver, packed: readonly Packed[], manifest: Manifest): Promise<void> {
  const { number } = manifest;
  const places = packed.flatMap(({ job_key, texts }) => texts.map(({ kind, number: nr }) => ({ job_key, kind, nr })));
  await transact(db, async (tx) => {
    noteManifest(tx, manifest, packed.length, now);
    tx.write(sql`
      insert into archived_jobs (job_key, number, manifest, digest, texts)
      select job_key, 1 + (select count(*) from archived_jobs before where before.job_key = packed.job_key), ${number},
        decode(digest, 'hex'), array(select decode(text, 'hex') from json_array_elements_text(texts) text)
      from json_to_recordset(${JSON.stringify(
        packed.map(({ job_key, digest, texts }) => ({ job_key, digest, texts: texts.map(({ body }) => hexOf(body)) })),
      )}::json) as packed (job_key text, digest text, texts json)`);
    tx.write(sql`
      delete from job_texts t
      using json_to_recordset(${JSON.stringify(places)}::json) as gone (job_key text, kind text, nr int)
      where t.job_key = gone.job_key and t.kind = gone.kind and t.number = gone.nr`);
  });
}

/** Records a manifest. The database refuses one that does not follow the last. */
export function noteManifest(tx: Tx, { number, previous, digest }: Manifest, objects: number, now: Date): void {
  tx.write(sql`
    insert into archive_manifests (number, made_at, objects, previous_digest, digest)
    values (${number}, ${now}, ${objects}, ${previous}, ${digest})`);
}
