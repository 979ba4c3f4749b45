import type { Queries } from '../kernel/database.ts';
import type { ObjectStore } from '../kernel/object-store.ts';
import { type Sql, statement } from '../kernel/sql.ts';
import { archivedEntriesOf, wholeLedger } from '../purchases/archive/archived-ledger.ts';

/**
 * What selects the entries of a job in the books as entries of its purchase's timeline; one line that says how many there
 * are besides, where the archive does not give them.
 */
export async function bookEntries(db: Queries, archive: ObjectStore | null, jobKey: string): Promise<Sql> {
  return statement(entriesText, [jobKey, JSON.stringify(await archivedEntriesOf(db, archive, jobKey))]);
}

const entriesText = `
  with entries as (${wholeLedger}),
  silent as (
    select count(*) as count from job_holdings, unnest(archived_events) event
    where job_key = $1 and event not in (select event_digest(event_key) from entries))
  select 'ledger-' || event_key as id, at, 'ledger' as kind, 'ledger: ' || event as title,
    to_char(amount_microcents / 1e8, 'FM999999990.00999999') || ' ' || currency || ' from ' || debit_account || ' to '
      || credit_account as detail,
    event_key as key, false as failed, jsonb_build_object('event_key', event_key, 'debit_account', debit_account,
      'credit_account', credit_account, 'amount_microcents', amount_microcents, 'currency', currency) as raw
  from entries
  union all
  select 'ledger-archived', updated_at, 'ledger', 'ledger: archived',
    count || ' entries lie in the archive, which does not answer', null, false, jsonb_build_object('entries', count)
  from silent, jobs where job_key = $1 and count > 0`;
