import { compactVerify, decodeProtectedHeader, type JWK } from 'jose';
import { z } from 'zod';
import type { Database } from '../../kernel/database.ts';
import { digestOf } from '../../kernel/digest.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { each } from '../../queue/rounds.ts';
import { textsOf } from './bodies.ts';
import { type ArchivedEntry, type ArchivedRow, type KnownMonth, manifestAt, objectAt, rowsOf } from './pack.ts';

const Manifest = z.object({
  manifest_version: z.literal('svc.archive.v1'),
  number: z.int(),
  made_at: z.iso.datetime(),
  previous_manifest_digest: z.string().nullable(),
  objects: z.array(
    z.object({ job_key: z.string().optional(), month: z.string().optional(), digest: z.string(), bytes: z.int() }),
  ),
});
type Manifest = z.infer<typeof Manifest>;

interface Known {
  number: number;
  digest: string;
  previous_digest: string | null;
}

interface KnownObject {
  job_key: string;
  digest: string;
  texts: string[];
}

export interface Checked {
  manifests: number;
  objects: number;
  /** A sentence for each thing that is wrong. */
  faults: string[];
}

/**
 * Reads the whole archive: each manifest must be signed by a published key and name the one before, and each object
 * must be there, listed, and hold the texts that left the database. Changes nothing.
 */
export async function checkArchive(db: Database, archive: ObjectStore): Promise<Checked> {
  const checked: Checked = { manifests: 0, objects: 0, faults: [] };
  let last: { number: number; digest: string | null } = { number: 0, digest: null };
  for (;;) {
    const known = await db.maybe<Known>(sql`
      select number, digest, previous_digest from archive_manifests where number > ${last.number}
      order by number limit 1`);
    if (!known) break;
    const objects = await db.many<KnownObject>(sql`
      select job_key, encode(digest, 'hex') as digest, array(select encode(text, 'hex') from unnest(texts) text) as texts
      from archived_jobs where manifest = ${known.number}`);
    const months = await db.many<KnownMonth & { of: 'audit' | 'books' }>(sql`
      select 'audit' as of, month::text as month, encode(digest, 'hex') as digest, encode(hashes, 'hex') as hashes
      from archived_audit where manifest = ${known.number}
      union all
      select 'books', month::text, encode(digest, 'hex'), encode(hashes, 'hex')
      from archived_ledger where manifest = ${known.number}`);
    const fault = (what: string) => (error: unknown) => {
      checked.faults.push(`${what}: ${error instanceof Error ? error.message : error}`);
    };
    if (known.number !== last.number + 1 || known.previous_digest !== last.digest) {
      fault(`manifest ${known.number}`)(new Error('it does not follow the one before it'));
    }
    last = known;
    await readManifest(db, archive, known)
      .then((manifest) => requireListed(manifest, [...objects, ...months]))
      .catch(fault(`manifest ${known.number}`));
    await each(objects, async ({ job_key, digest, texts }) => {
      const object = archive.get(objectAt(digest));
      await object.then((bytes) => textsOf(bytes, { digest, texts })).catch(fault(`the object of ${job_key}`));
    });
    for (const one of months) {
      const object = archive.get(objectAt(one.digest));
      await object
        .then((bytes) =>
          one.of === 'audit' ? requireChained(db, rowsOf(bytes, one)) : requireAsPosted(db, rowsOf(bytes, one)),
        )
        .catch(fault(`the ${one.of} of ${one.month}, object ${one.digest}`));
    }
    checked.manifests += 1;
    checked.objects += objects.length + months.length;
  }
  checked.faults.push(...(await lostTexts(db)));
  return checked;
}

/** Jobs that one statement counts, in less time than it may take. */
const jobsAtATime = 10_000;

/** Purchases of which more texts are gone, or fewer, than their objects have. */
async function lostTexts(db: Database): Promise<string[]> {
  const lost: string[] = [];
  for (let after = ''; ; ) {
    const { last } = await db.one<{ last: string | null }>(sql`
      select max(job_key) as last from (
        select job_key from jobs where job_key > ${after} order by job_key limit ${jobsAtATime}) page`);
    if (last === null) return lost;
    const rows = await db.many<{ job_key: string; gone: number; archived: number }>(sql`
      select job_key, gone, archived from jobs, lateral (select
          (select count(*)::int from reports r where r.job_key = jobs.job_key)
          + (select count(*)::int from receipts r where r.job_key = jobs.job_key)
          - (select count(*)::int from job_texts t
            where t.job_key = jobs.job_key and t.month = month_of(jobs.created_at)) as gone,
          (select coalesce(sum(cardinality(texts)), 0)::int from archived_jobs a where a.job_key = jobs.job_key) as archived) texts
      where job_key > ${after} and job_key <= ${last} and gone <> archived order by job_key`);
    lost.push(
      ...rows.map(
        ({ job_key, gone, archived }) => `the texts of ${job_key}: ${gone} left the database, ${archived} are archived`,
      ),
    );
    after = last;
  }
}

async function readManifest(db: Database, archive: ObjectStore, { number, digest, previous_digest }: Known) {
  const signed = (await archive.get(manifestAt(number, digest))).toString('utf8');
  if (digestOf(signed) !== digest) throw new Error('it is another one');
  const key = await db.maybe<{ public_jwk: JWK; valid_from: Date; revoked_at: Date | null }>(sql`
    select public_jwk, valid_from, revoked_at from receipt_keys where kid = ${decodeProtectedHeader(signed).kid ?? ''}`);
  if (!key) throw new Error('no published key signed it');
  const { payload } = await compactVerify(signed, { ...key.public_jwk }, { algorithms: ['EdDSA'] });
  const manifest = Manifest.parse(JSON.parse(new TextDecoder().decode(payload)));
  if (manifest.number !== number || manifest.previous_manifest_digest !== previous_digest) {
    throw new Error('it stands in another place of the chain');
  }
  if (key.revoked_at && new Date(manifest.made_at) >= key.revoked_at) throw new Error('its key was revoked before');
  return manifest;
}

type Named = Pick<Manifest['objects'][number], 'job_key' | 'month' | 'digest'>;

function requireListed({ objects }: Manifest, known: readonly Named[]): void {
  const lines = (list: readonly Named[]) =>
    list.map(({ job_key, month, digest }) => `${job_key ?? month} ${digest.replace('sha256:', '')}`).toSorted();
  if (lines(objects).join('\n') !== lines(known).join('\n')) throw new Error('it lists other objects');
}

/** Each row must have the hash of what it says, and name the one before it of its purchase, unless another object has it. */
async function requireChained(db: Database, rows: readonly ArchivedRow[]): Promise<void> {
  const wrong = await db.maybe<{ purchase_key: string; sequence: number }>(sql`
    select purchase_key, sequence from (
      select purchase_key, sequence, at, actor, action, state_from, state_to, previous_hash, hash,
        coalesce(lag(hash) over w, case when sequence > 1 then previous_hash end) as before,
        row_number() over w + first_value(sequence) over w - 1 as place
      from json_populate_recordset(null::audit_rows, ${JSON.stringify(rows)}::json)
      window w as (partition by purchase_key order by sequence)) chained
    where previous_hash is distinct from before or sequence <> place
      or hash <> encode(sha256(convert_to(concat_ws(E'\\x1f', purchase_key, sequence, extract(epoch from at), actor,
        action, state_from, state_to, previous_hash), 'UTF8')), 'hex')
    limit 1`);
  if (wrong) throw new Error(`row ${wrong.sequence} of ${wrong.purchase_key} is not as it was written`);
}

/** Each entry must have the hash of what it says, and be one that its job counts as archived. */
async function requireAsPosted(db: Database, entries: readonly ArchivedEntry[]): Promise<void> {
  const wrong = await db.maybe<{ event_key: string }>(sql`
    select event_key from json_array_elements(${JSON.stringify(entries)}::json) entry,
      json_populate_record(null::ledger_transfers, entry) t left join job_holdings using (job_key)
    where transfer_hash(t) <> entry ->> 'hash' or (event_digest(event_key) = any(archived_events)) is not true limit 1`);
  if (wrong) throw new Error(`entry ${wrong.event_key} is not as it was posted`);
}
