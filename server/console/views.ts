import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Operator } from '../operation/caller.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import type * as contract from './contract/purchases.ts';

/** An operator's saved views of the list; others don't see them. */

const viewsMax = 20;

export const consoleViews: Verb<typeof contract.consoleViews> = async ({ caller, db }) => ({
  body: await viewsOf(db, caller),
});

/** Throws `action_not_allowed` for one too many. */
export const saveView: Verb<typeof contract.saveView> = async ({ ctx, caller, input, tx }) => {
  const { name, query } = input;
  tx.write(sql`
    insert into operator_views (view_key, operator, name, query, created_at)
    values (${newKey('view')}, ${caller.name}, ${name}, ${query.replace(/^\?/, '')}, ${ctx.now})
    on conflict (operator, name) do update set query = excluded.query`);
  const saved = await viewsOf(tx, caller);
  if (saved.views.length > viewsMax) {
    throw new Problem('action_not_allowed', `You have ${viewsMax} views already. Delete one first.`);
  }
  return { body: saved };
};

export const removeView: Verb<typeof contract.removeView> = async ({ caller, input, tx }) => {
  const gone = await tx.maybe(sql`
    delete from operator_views where view_key = ${input.view_key} and operator = ${caller.name} returning 1`);
  if (!gone) throw new Problem('not_found', 'There is no such saved view.');
  return { body: await viewsOf(tx, caller) };
};

async function viewsOf(db: Queries, { name }: Operator): Promise<{ views: contract.SavedView[] }> {
  return {
    views: await db.many<contract.SavedView>(sql`
      select view_key, name, query from operator_views where operator = ${name} order by created_at, view_key`),
  };
}
