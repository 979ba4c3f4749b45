import type { Queries } from '../../kernel/database.ts';
import { errorFields, log } from '../../kernel/log.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { Problem } from '../../problems/problem.ts';
import { each } from '../../queue/rounds.ts';
import { hexOf, objectAt, type TextKind, unpack } from './pack.ts';

/** A report or receipt as its row has it: `body` is null once it lies in the archive. */
export interface Kept {
  job_key: string;
  number: number;
  body: string | null;
}

/** An object of the archive, as the database knows it. */
interface KnownObject {
  job_key: string;
  digest: string;
  texts: string[];
}

/**
 * The bodies of these reports or receipts, in their order: from their rows, else from the archive, where each is held
 * against its digest. Throws `service_unavailable` when the archive does not give one.
 */
export async function bodiesOf(
  db: Queries,
  archive: ObjectStore | null,
  kind: TextKind,
  rows: readonly Kept[],
): Promise<string[]> {
  const jobs = new Set(rows.flatMap(({ job_key, body }) => (body === null ? [job_key] : [])));
  const archived = jobs.size > 0 ? await fromArchive(db, archive, kind, [...jobs]) : new Map<string, string>();
  return rows.map((row) => {
    const body = row.body ?? archived.get(placeOf(row));
    if (body === undefined) throw unreachable();
    return body;
  });
}

const placeOf = ({ job_key, number }: Omit<Kept, 'body'>) => `${job_key} ${number}`;

async function fromArchive(db: Queries, archive: ObjectStore | null, kind: TextKind, jobKeys: string[]) {
  const objects = await db.many<KnownObject>(sql`
    select job_key, encode(digest, 'hex') as digest, array(select encode(text, 'hex') from unnest(texts) text) as texts
    from archived_jobs where job_key = any(${jobKeys}::text[])`);
  const bodies = new Map<string, string>();
  await each(objects, async (object) => {
    for (const text of await textsIn(archive, object)) {
      if (text.kind === kind) bodies.set(placeOf({ job_key: object.job_key, number: text.number }), text.body);
    }
  });
  return bodies;
}

async function textsIn(archive: ObjectStore | null, { digest, texts, job_key }: KnownObject) {
  if (!archive) throw unreachable();
  const object = await archive.get(objectAt(digest)).catch(() => {
    throw unreachable();
  });
  try {
    return textsOf(object, { digest, texts });
  } catch (error) {
    log('archive_damaged', { job_key, digest, ...errorFields(error) });
    throw unreachable();
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

const unreachable = () =>
  new Problem('service_unavailable', 'This lies in the archive, which does not answer right now. Nothing is lost.', {
    members: { reasons: ['archive_unreachable'] },
    headers: { 'Retry-After': '30' },
  });
