import { requireFreshSignIn } from '../identity/fresh.ts';
import { toWire } from '../kernel/money.ts';
import { type ActingRole, may, needsFreshSignIn } from '../operation/operator-roles.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { obstacleTo } from './actions.ts';
import type * as contract from './contract/acts.ts';
import { findPurchase } from './found.ts';
import { rowsOf } from './list.ts';
import { actIn, askProvider } from './purchase-acts.ts';

/** Each purchase with what prevents the action now. Throws `not_found` if the role may not do it. */
export const previewActs: Verb<typeof contract.previewActs> = async ({ ctx, caller, input, db }) => {
  requireRole(caller.role, input.action);
  const rows = await rowsOf(ctx.runtime.prisma, [...new Set(input.keys)], ctx.now);
  const purchases = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      obstacle: obstacleTo(input.action, await findPurchase(db, row.job_key), ctx.now),
    })),
  );
  const touched = purchases.filter(({ obstacle }) => obstacle === null);
  const amount = touched.reduce((sum, { amount_microcents }) => sum + BigInt(amount_microcents), 0n);
  return { body: { touched: touched.length, amount_microcents: toWire(amount), purchases } };
};

/**
 * Does the action to each purchase in a transaction of its own: one that fails does not stop the others. Throws
 * `not_found`, `fresh_sign_in_required`, and `action_not_allowed` when it is possible on none.
 */
export const actOnPurchases: Verb<typeof contract.actOnPurchases> = async ({ ctx, caller, input, steps }) => {
  const { action, keys, reason } = input;
  requireRole(caller.role, action);
  if (needsFreshSignIn(action)) requireFreshSignIn(caller, ctx.now);
  const refused: { key: string; because: string }[] = [];
  for (const key of new Set(keys)) {
    const asked = { caller, input: { key, reason }, now: ctx.now };
    try {
      if (action === 'ask_again') await askProvider(ctx.runtime, steps, asked);
      else await steps.transact((tx) => actIn(tx, ctx.runtime, action, asked));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refused.push({ key, because: error.message });
    }
  }
  const done = new Set(keys).size - refused.length;
  if (done === 0) throw new Problem('action_not_allowed', 'This is not possible for any of these purchases now.');
  return { body: { done, refused } };
};

/** Throws `not_found` if the role may not do it. */
function requireRole(role: ActingRole, action: contract.BulkName): void {
  if (!may(role, action)) throw new Problem('not_found', 'There is nothing here for this caller.');
}
