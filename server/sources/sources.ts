import type { Configuration } from '../configuration.ts';
import { lockAccount } from '../identity/account.ts';
import { accountSharing, outsideGrant } from '../identity/grant.ts';
import type { Queries } from '../kernel/database.ts';
import { digestOf } from '../kernel/digest.ts';
import { newKey } from '../kernel/id.ts';
import { seal, unseal } from '../kernel/seal.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import * as contract from './contract.ts';

/** A document as stored; its text is read only when retrieved. */
interface SourceRow {
  source_key: string;
  name: string;
  media_type: contract.Source['media_type'];
  digest: string;
  bytes: number;
  added_at: Date;
}

/** Names and digests only: an agent that may use a document need not read it. */
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

/** Adds a document. The same name with the same text is a repeat. */
export const addSource: Verb<typeof contract.addSource> = async ({ ctx, caller, input, tx }) => {
  const { accountKey, memberKey } = caller;
  const digest = digestOf(input.text);
  // Lock the account, so that the count still holds at commit.
  await lockAccount(tx, accountKey);
  const { holds, ...named } = await tx.one<{ holds: number } & Partial<SourceRow>>(sql`
    select (select count(*)::int from sources where account_key = ${accountKey} and removed_at is null) as holds,
      named.source_key, named.name, named.media_type, named.digest, named.bytes, named.added_at
    from (values (1)) as always (row) left join sources named
      on named.account_key = ${accountKey} and named.name = ${input.name} and named.removed_at is null`);
  if (named.digest) {
    if (named.digest === digest) return { status: 200, body: sourceView(named as SourceRow) };
    throw new Problem('source_name_taken', `Another document has this name: ${named.source_key}.`);
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

/** Removes a document: the text goes, the digest stays because reports name it. */
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

/** Removes the documents of these accounts, except where `isNeeded`; both are SQL. */
export async function removeSourcesOf(
  db: Queries,
  accounts: string,
  isNeeded: (account: string) => string,
  now: Date,
): Promise<void> {
  const text = `update sources set text = null, removed_at = $1
    where removed_at is null and account_key in (${accounts}) and not ${isNeeded('sources.account_key')} returning 1`;
  await db.many(statement(text, [now]));
}

/** A document as the check reads it; `ref` is the request's name for it. */
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
 * Retrieves the documents that a request names, in order, once each. Leaves out what the account lacks or the grant no
 * longer covers: the caller decides what that means.
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

/** A document as cited; without its text once removed. */
export interface KeptDocument {
  source: string;
  digest: string;
  bytes: number;
  observed_at: string;
  text: string | null;
}

/** The account's documents that a request named, in order of retrieval. */
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
