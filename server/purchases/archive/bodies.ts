import type { Queries } from '../../kernel/database.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { metrics } from '../../kernel/metrics.ts';
import { BucketFailed, type ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { Problem } from '../../problems/problem.ts';
import { each } from '../../queue/rounds.ts';
import { noteWithoutArchive } from './bucket-fault.ts';
import { type ArchivedText, hexOf, objectAt, type TextKind, unpack } from './pack.ts';

/** A report or receipt: `body` is null once it lies in the archive. */
export interface Kept {
  job_key: string;
  number: number;
  body: string | null;
}

/** Keeps the exact text of a report or receipt, of which the same transaction writes the row afterwards. */
export function keepText(tx: Tx, { job_key, kind, number, body }: JobText, now: Date): void {
  tx.write(sql`
    insert into job_texts (job_key, kind, number, body, at, month)
    values (${job_key}, ${kind}, ${number}, ${body}, ${now}, job_month(${job_key}))`);
}

interface JobText extends ArchivedText {
  job_key: string;
}

/** These reports or receipts with their bodies, as far as they are here. */
export async function withBodies<Row extends Omit<Kept, 'body'>>(
  db: Queries,
  kind: TextKind,
  rows: readonly Row[],
): Promise<(Row & Kept)[]> {
  const bodies = await db.many<{ body: string | null }>(sql`
    select text_of(job_key, ${kind}, number) as body
    from unnest(${rows.map(({ job_key }) => job_key)}::text[], ${rows.map(({ number }) => number)}::int[])
      with ordinality as asked (job_key, number, place) order by place`);
  return rows.map((row, index) => ({ ...row, body: bodies[index]?.body ?? null }));
}

/** Purchases that one list reads from the archive. */
const archivedOfAPage = 8;

/** How many of a list's rows, from the first on, one page shows, so that it reads few objects: at least one of any. */
export function rowsOfAPage(rows: readonly Kept[]): number {
  const archived = new Set<string>();
  const beyond = rows.findIndex(({ job_key, body }) => body === null && archived.add(job_key).size > archivedOfAPage);
  return beyond < 0 ? rows.length : beyond;
}

/** An object of the archive, as the database knows it. */
interface KnownObject {
  job_key: string;
  digest: string;
  texts: string[];
}

/**
 * The bodies of these reports or receipts, in their order: from the database, else from the archive, where each is held
 * against its digest. Throws `service_unavailable` when the archive does not give one.
 */
export async function bodiesOf(
  db: Queries,
  archive: ObjectStore | null,
  kind: TextKind,
  rows: readonly Kept[],
): Promise<string[]> {
  const bodies = await readableBodies(db, archive, kind, rows);
  return bodies.map((body) => {
    if (body === null) throw unreachable();
    return body;
  });
}

/** The same with null for each that the archive does not give. */
export async function readableBodies(
  db: Queries,
  archive: ObjectStore | null,
  kind: TextKind,
  rows: readonly Kept[],
): Promise<(string | null)[]> {
  const jobs = new Set(rows.flatMap(({ job_key, body }) => (body === null ? [job_key] : [])));
  if (!archive && jobs.size > 0) noteWithoutArchive();
  const archived =
    archive && jobs.size > 0 ? await fromArchive(db, archive, kind, [...jobs]) : new Map<string, string>();
  return rows.map((row) => row.body ?? archived.get(placeOf(row)) ?? null);
}

const placeOf = ({ job_key, number }: Omit<Kept, 'body'>) => `${job_key} ${number}`;

async function fromArchive(db: Queries, archive: ObjectStore, kind: TextKind, jobKeys: string[]) {
  const objects = await db.many<KnownObject>(sql`
    select job_key, encode(digest, 'hex') as digest, array(select encode(text, 'hex') from unnest(texts) text) as texts
    from archived_jobs where job_key = any(${jobKeys}::text[])`);
  const bodies = new Map<string, string>();
  let isSilent = false;
  await each(objects, async (object) => {
    // One time-out is enough for a reader.
    if (isSilent) return;
    const texts = await textsIn(archive, object).catch((error) => {
      if (!(error instanceof BucketFailed)) throw error;
      isSilent ||= error.status === null;
      return [];
    });
    for (const text of texts) {
      if (text.kind === kind) bodies.set(placeOf({ job_key: object.job_key, number: text.number }), text.body);
    }
  });
  return bodies;
}

/** The texts of an object; none of one that is lost or changed. Rejects with `BucketFailed` when the bucket fails. */
const textsIn = (archive: ObjectStore, { digest, texts, job_key }: KnownObject): Promise<ArchivedText[]> =>
  undamaged(archive, { job_key, digest }, (object) => textsOf(object, { digest, texts }));

/**
 * What `read` makes of the object with this digest; nothing of one that is lost, or that `read` throws at, which is
 * logged under the keys beside the digest. Rejects with `BucketFailed` when the bucket fails.
 */
export async function undamaged<One>(
  archive: ObjectStore,
  known: { digest: string } & Record<string, string>,
  read: (object: Uint8Array) => One[],
): Promise<One[]> {
  try {
    return read(await archive.get(objectAt(known.digest)));
  } catch (error) {
    if (error instanceof BucketFailed && !error.isAbsence) throw error;
    log('archive_damaged', { ...known, ...errorFields(error) });
    metrics.archiveCalls.inc({ call: 'read', result: 'damaged' });
    return [];
  }
}

/** The texts of an object, once it and each of them are what the database knows. Throws when they are not. */
export function textsOf(object: Uint8Array, known: Omit<KnownObject, 'job_key'>) {
  if (hexOf(object) !== known.digest) throw new Error('the object is another one');
  const texts = unpack(object);
  const digests = texts.map(({ body }) => hexOf(body));
  if (digests.join() !== known.texts.join()) throw new Error('its texts are others');
  return texts;
}

export const unreachable = () =>
  new Problem('service_unavailable', 'This lies in the archive, which does not answer right now. Nothing is lost.', {
    members: { reasons: ['archive_unreachable'] },
    headers: { 'Retry-After': '30' },
  });
