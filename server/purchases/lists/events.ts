import { principalsOf } from '../../identity/account.ts';
import { after as later } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { statement } from '../../kernel/sql.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { seconds } from '../../service/terms.ts';
import * as contract from '../list-contract.ts';
import { linkTo, ownerOf } from './lists.ts';

/** An event as stored, at its place. */
export interface EventRow extends Place {
  at: Date;
  action: string;
  state_to: string;
  job_key: string | null;
}

/** A position in the feed: after this audit row. */
export interface Place {
  transaction: bigint;
  purchase_key: string;
  sequence: number;
}

/**
 * The caller's events, in an order that later pages cannot change: by transaction, and only once no earlier transaction
 * is open, so that continuing from the last event misses none.
 */
export const events: Verb<typeof contract.events> = async ({ ctx, caller, input, db }) => {
  const { after, limit } = input;
  const since = later(ctx.now, -seconds.events);
  const place = after === undefined ? await beginning(db, caller, since) : await placeOf(db, ownerOf(caller), after);
  const rows = await eventsAfter(db, ownerOf(caller), place, { since, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next_after = last ? keyOf(last) : (after ?? null);
  const more = rows.length > limit && next_after !== null;
  return {
    body: { events: shown.map(eventView), next_after },
    headers: {
      ...(more ? linkTo(ctx.baseUrl + contract.events.path, next_after, limit) : {}),
      // Empty: the first event wakes a waiting reader.
      ...(shown.length === 0 ? { 'Retry-After': '1' } : {}),
    },
  };
};

/** An owner's events after a place, in order. */
export function eventsAfter(
  db: Queries,
  owner: ReturnType<typeof ownerOf>,
  place: Place,
  { since, limit }: { since: Date; limit: number },
): Promise<EventRow[]> {
  const text = `
    select events.transaction, events.purchase_key, events.sequence, events.at, events.action, events.state_to,
      jobs.job_key
    from (${principalsOf(owner.column, '$1')}) buyers, lateral (
      select purchase_key, sequence, at, action, state_to, transaction from audit_rows
      where audit_rows.principal_key = buyers.principal_key
        and (transaction, purchase_key, sequence) > ($2::bigint, $3::text, $4::int)
        and transaction < oldest_open_transaction()
        and at >= $5
      order by transaction, purchase_key, sequence limit $6) events
    left join jobs on jobs.quote_key = events.purchase_key
    order by events.transaction, events.purchase_key, events.sequence limit $6`;
  const values = [owner.key, place.transaction, place.purchase_key, place.sequence, since, limit];
  return db.many<EventRow>(statement(text, values));
}

function keyOf({ purchase_key, sequence }: Pick<EventRow, 'purchase_key' | 'sequence'>): string {
  return `${purchase_key}.${sequence}`;
}

/** An event on the wire. */
export function eventView(row: EventRow) {
  return {
    event_key: keyOf(row),
    at: row.at.toISOString(),
    type: row.action,
    quote_key: row.purchase_key,
    job_key: row.job_key,
    state: row.state_to,
  };
}

/**
 * The position of an owner's event; of one in the archive, which is older than what the feed tells, the feed's beginning.
 * Throws `not_found`.
 */
export async function placeOf(db: Queries, owner: ReturnType<typeof ownerOf>, eventKey: string): Promise<Place> {
  const [, purchase, sequence] = /^(\w{1,64})\.(\d{1,9})$/.exec(eventKey) ?? [];
  const text = `
    select transaction, purchase_key, sequence from audit_rows
    where purchase_key = $1 and sequence = $2
      and principal_key in (${principalsOf(owner.column, '$3')})`;
  const values = [purchase, Number(sequence), owner.key];
  const row = purchase ? await db.maybe<Place>(statement(text, values)) : undefined;
  if (!row && purchase && (await db.maybe(statement(archived(owner.column), values)))) {
    return { transaction: 0n, purchase_key: '', sequence: 0 };
  }
  if (!row) throw new Problem('not_found', 'after does not name an event of this account.');
  return row;
}

const archived = (column: ReturnType<typeof ownerOf>['column']) => `
  select from audit_ends join quotes on quote_key = purchase_key
  where purchase_key = $1 and sequence >= $2::int and principal_key in (${principalsOf(column, '$3')}) limit 1`;

/**
 * A position just before the first event since then: no later event has a lower transaction than the last quote before
 * it. Without it, the feeds of long-standing callers would start with a scan of everything.
 */
async function beginning(db: Queries, caller: Buyer | Member, since: Date): Promise<Place> {
  const owner = ownerOf(caller);
  const text = `
    select transaction from audit_rows where sequence = 1 and purchase_key = (
      select quote_key from quotes where ${owner.column} = $1 and created_at < $2 order by created_at desc limit 1)`;
  const row = await db.maybe<{ transaction: bigint }>(statement(text, [owner.key, since]));
  return { transaction: row?.transaction ?? 0n, purchase_key: '', sequence: 0 };
}
