import { principalsOf } from '../../identity/account.ts';
import { principalsNamed } from '../../identity/agents.ts';
import { toWire } from '../../kernel/money.ts';
import { statement } from '../../kernel/sql.ts';
import { changesOfCredit, creditOfAll } from '../../ledger/ledger.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import * as contract from '../credit-contract.ts';
import { linkTo, ownerOf } from './lists.ts';

interface ChangeRow {
  event_key: string;
  event: string;
  at: Date;
  job_key: string;
  principal_key: string;
  change: bigint;
  balance: bigint;
}

/** The books know a change once; the balance after it spans all that the caller sees. */
export const credit: Verb<typeof contract.credit> = async ({ ctx, caller, input, db }) => {
  const { column, key } = ownerOf(caller);
  const principals = principalsOf(column, '$1');
  const { after = null, limit } = input;
  const rows = await db.many<ChangeRow>(
    statement(
      `with changes as (${changesOfCredit(principals)})
      select event_key, event, at, job_key, principal_key, change, balance from changes
      where $2::text is null or (at, event_key) < (select at, event_key from changes where event_key = $2)
      order by at desc, event_key desc limit $3`,
      [key, after, limit + 1],
    ),
  );
  if (after !== null && rows.length === 0) {
    throw new Problem('not_found', 'after does not name an existing page of this caller.');
  }
  const total = await db.one<{ credit: bigint }>(statement(creditOfAll(principals), [key]));
  const shown = rows.slice(0, limit);
  const buyers = await principalsNamed(db, [...new Set(shown.map(({ principal_key }) => principal_key))]);
  const next_after = rows.length > limit ? (shown.at(-1)?.event_key ?? null) : null;
  const changes = shown.map(({ event_key, event, at, job_key, principal_key, change, balance }) => ({
    change_key: event_key,
    at: at.toISOString(),
    event,
    amount_microcents: toWire(change),
    balance_microcents: toWire(balance),
    job_key,
    bought_by: { agent_key: principal_key, kind: 'agent' as const, name: null, ...buyers.get(principal_key) },
  }));
  return {
    body: { balance_microcents: toWire(total.credit), changes, next_after },
    headers: next_after ? linkTo(ctx.baseUrl + contract.credit.path, next_after, limit) : {},
  };
};
