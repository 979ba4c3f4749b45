import type { Configuration } from '../configuration.ts';
import { Problem } from '../door/problem.ts';
import type { Verb } from '../door/verb.ts';
import { lockAccount } from '../identity/account.ts';
import { accountSharing, outsideGrant } from '../identity/grant.ts';
import type { Queries } from '../kernel/database.ts';
import { digestOf } from '../kernel/digest.ts';
import { newKey } from '../kernel/id.ts';
import { seal, unseal } from '../kernel/seal.ts';
import { sql, statement } from '../kernel/sql.ts';
import * as contract from './contract.ts';

/** A document as stored; its text is asked for only where it is retrieved. */
interface SourceRow {
  source_key: string;
  name: string;
  media_type: contract.Source['media_type'];
  digest: string;
  bytes: number;
  added_at: Date;
}

/** The documents that are there. Names and digests only: whoever may have them retrieved need not read them. */
export const sources: Verb<typeof contract.sources> = async ({ ctx, caller }) => {
  if (caller.kind !== 'member' && !caller.grant.governed_refs) {
    throw outsideGrant('The grant does not let the agent share governed sources.');
  }
  const rows = await ctx.runtime.prisma.source.findMany({
    where: { accountKey: caller.accountKey, removedAt: null },
    orderBy: { name: 'asc' },
    take: contract.sourceBounds.documents_per_account,
    select: { sourceKey: true, name: true, mediaType: true, digest: true, bytes: true, addedAt: true },
  });
  return {
    body: {
      sources: rows.map(({ sourceKey, mediaType, addedAt, ...row }) => ({
        source_key: sourceKey,
        name: row.name,
        media_type: mediaType as SourceRow['media_type'],
        digest: row.digest,
        bytes: row.bytes,
        added_at: addedAt.toISOString(),
      })),
    },
  };
};

/** Adds a document under a name of its own. The same name with the same text is a repeat, and adds nothing. */
export const addSource: Verb<typeof contract.addSource> = async ({ ctx, caller, input, tx }) => {
  const { accountKey, memberKey } = caller;
  const digest = digestOf(input.text);
  // Held until the end, so that what is counted here is still true when the document is in.
  await lockAccount(tx, accountKey);
  const { holds, ...named } = await tx.one<{ holds: number } & Partial<SourceRow>>(sql`
    select (select count(*)::int from sources where account_key = ${accountKey} and removed_at is null) as holds,
      named.source_key, named.name, named.media_type, named.digest, named.bytes, named.added_at
    from (values (1)) as always (row) left join sources named
      on named.account_key = ${accountKey} and named.name = ${input.name} and named.removed_at is null`);
  if (named.digest) {
    if (named.digest === digest) return { status: 200, body: sourceView(named as SourceRow) };
    throw new Problem('source_name_taken', `There is another document under this name: ${named.source_key}.`);
  }
  const limit = contract.sourceBounds.documents_per_account;
  if (holds >= limit) throw new Problem('source_limit_reached', `The account holds ${limit} documents already.`);
  const sourceKey = newKey('source');
  const row = await tx.one<SourceRow>(sql`
    insert into sources (source_key, account_key, name, media_type, text, digest, bytes, added_by, added_at)
    values (${sourceKey}, ${accountKey}, ${input.name}, ${input.media_type ?? 'text/plain'},
      ${seal(input.text, ctx.runtime.configuration.keyring, { column: 'sources.text', row: sourceKey })},
      ${digest}, ${Buffer.byteLength(input.text)}, ${memberKey}, ${ctx.now})
    returning source_key, name, media_type, digest, bytes, added_at`);
  return { status: 201, body: sourceView(row) };
};

/** Removes a document: its text goes at once, its digest stays, because reports name it. */
export const removeSource: Verb<typeof contract.removeSource> = async ({ ctx, caller, input, tx }) => {
  const removed = await tx.maybe<SourceRow & { removed_at: Date }>(sql`
    with now_removed as (
      update sources set text = null, removed_at = ${ctx.now}
      where source_key = ${input.source_key} and account_key = ${caller.accountKey} and removed_at is null
      returning source_key, name, media_type, digest, bytes, added_at, removed_at)
    select source_key, name, media_type, digest, bytes, added_at, removed_at from now_removed
    union all
    select source_key, name, media_type, digest, bytes, added_at, removed_at from sources
    where source_key = ${input.source_key} and account_key = ${caller.accountKey}
      and removed_at is not null`);
  if (!removed) throw new Problem('not_found', 'There is no such source for this caller.');
  return { body: { ...sourceView(removed), removed_at: removed.removed_at.toISOString() } };
};

/** A document as the check reads it; `ref` is what the request named it by. */
export interface RetrievedDocument {
  ref: string;
  source: string;
  text: string;
  observed_at: string;
}

const retrieved = `
  select source_key, name, text, added_at from sources
  where account_key = (${accountSharing('$1')}) and removed_at is null and source_key = any($2::text[])
  order by array_position($2::text[], source_key)`;

/**
 * Retrieves the documents that a principal's request names, in its order and each once. What its account does not
 * hold, or its grant no longer covers, is left out: the caller decides what a source that is gone means.
 */
export async function retrieveSources(
  db: Queries,
  { keyring }: Pick<Configuration, 'keyring'>,
  principalKey: string,
  refs: readonly string[],
): Promise<RetrievedDocument[]> {
  if (refs.length === 0) return [];
  const rows = await db.many<{ source_key: string; name: string; text: string; added_at: Date }>(
    statement(retrieved, [principalKey, refs]),
  );
  return rows.map(({ source_key, name, text, added_at }) => ({
    ref: source_key,
    source: name,
    text: unseal(text, keyring, { column: 'sources.text', row: source_key }),
    observed_at: added_at.toISOString(),
  }));
}

/** A document as a reader of the check finds it again: without its text once it is removed. */
export interface KeptDocument {
  source: string;
  digest: string;
  bytes: number;
  observed_at: string;
  text: string | null;
}

/** The documents of an account that a request of its named, in the order in which they were retrieved. */
export async function keptSources(
  db: Queries,
  { keyring }: Pick<Configuration, 'keyring'>,
  accountKey: string,
  refs: readonly string[],
): Promise<KeptDocument[]> {
  if (refs.length === 0) return [];
  const rows = await db.many<SourceRow & { text: string | null }>(sql`
    select source_key, name, media_type, digest, bytes, added_at, text from sources
    where account_key = ${accountKey} and source_key = any(${refs}::text[])
    order by array_position(${refs}::text[], source_key)`);
  return rows.map(({ source_key, name, digest, bytes, added_at, text }) => ({
    source: name,
    digest,
    bytes,
    observed_at: added_at.toISOString(),
    text: text === null ? null : unseal(text, keyring, { column: 'sources.text', row: source_key }),
  }));
}

function sourceView({ source_key, name, media_type, digest, bytes, added_at }: SourceRow): contract.Source {
  return { source_key, name, media_type, digest, bytes, added_at: added_at.toISOString() };
}
