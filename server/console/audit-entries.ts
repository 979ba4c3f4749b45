import type { Queries } from '../kernel/database.ts';
import type { ObjectStore } from '../kernel/object-store.ts';
import { type Sql, statement } from '../kernel/sql.ts';
import { Problem } from '../problems/problem.ts';
import { archivedAuditOf, wholeAudit } from '../purchases/archive/archived-audit.ts';
import type { ArchivedRow } from '../purchases/archive/pack.ts';

/** What selects a purchase's audit as entries of its timeline; the steps alone where the archive does not give the rest. */
export async function auditEntries(db: Queries, archive: ObjectStore | null, quoteKey: string): Promise<Sql> {
  return entries(quoteKey, await archivedRows(db, archive, quoteKey));
}

/** The rows of the audit that lie in the archive, as far as it gives them. */
async function archivedRows(db: Queries, archive: ObjectStore | null, quoteKey: string): Promise<ArchivedRow[]> {
  try {
    return await archivedAuditOf(db, archive, quoteKey);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

const entriesText = `
  with audit as (${wholeAudit('= $1', '$2')}),
  steps as (
    select sequence, at, actor, action, state_from, state_to, previous_hash, hash from audit
    union all
    select sequence, at, null, action, null, state_to, null, null from audit_steps
    where purchase_key = $1 and sequence not in (select sequence from audit))
  select 'state-' || sequence as id, at, 'state' as kind, action as title,
    replace(case when state_from is null or state_from = state_to then state_to else state_from || ' to ' || state_to
      end, '_', ' ') || coalesce(', by ' || actor, '; the rest lies in the archive, which does not answer') as detail,
    null as key, action in ('fail', 'fail_recheck', 'refund_failed', 'reversed', 'late_payment_kept') as failed,
    jsonb_build_object('sequence', sequence, 'actor', actor, 'action', action, 'state_from', state_from, 'state_to',
      state_to, 'previous_hash', previous_hash, 'hash', hash) as raw
  from steps`;

const entries = (quoteKey: string, archived: readonly ArchivedRow[]): Sql =>
  statement(entriesText, [quoteKey, JSON.stringify(archived)]);
