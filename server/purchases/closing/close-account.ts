import { lockAccount, principalsOf } from '../../identity/account.ts';
import { closingOf, endAccount, standingOf } from '../../identity/closed.ts';
import { requireFreshSignIn } from '../../identity/fresh.ts';
import type { Queries } from '../../kernel/database.ts';
import { toWire } from '../../kernel/money.ts';
import { statement } from '../../kernel/sql.ts';
import { creditOfAll } from '../../ledger/ledger.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Rails } from '../../payments/rail.ts';
import { Problem } from '../../problems/problem.ts';
import type * as contract from '../closing-contract.ts';
import { notAllowed } from '../job/row.ts';

export const closing: Verb<typeof contract.closing> = async ({ ctx, caller, db }) => ({
  body: await ahead(db, ctx.runtime.rails, caller.accountKey),
});

/**
 * Ends who may act for the account, in one transaction. What that leaves (unpaid purchases, cards, content) the rounds
 * of `settle-closed.ts` end, so nothing is left where a process stops.
 */
export const closeAccount: Verb<typeof contract.closeAccount> = async ({ ctx, caller, input, tx }) => {
  const { accountKey } = caller;
  if (input.account_key !== accountKey) throw new Problem('not_found', 'There is no such account for this caller.');
  requireFreshSignIn(caller, ctx.now, 'Closing the account');
  await lockAccount(tx, accountKey);
  const before = await closingOf<contract.Closing>(tx, accountKey);
  if (before) return { body: { ...before.said, closed_at: before.at.toISOString() } };
  const { in_the_way, ...said } = await ahead(tx, ctx.runtime.rails, accountKey);
  if (in_the_way === 'block') {
    throw notAllowed('Something keeps the account from buying. That is settled first: the account page says how.');
  }
  if (in_the_way === 'wallet') throw notAllowed('The account belongs to a wallet, which signs in with its own key.');
  await endAccount(tx, caller, said, ctx.now);
  return { body: { ...said, closed_at: ctx.now.toISOString() } };
};

const openPurchases = `
  select count(*) filter (where state = 'awaiting_payment')::int as unpaid,
    count(*) filter (where state in ('queued', 'running', 'rechecking'))::int as in_work,
    count(*) filter (where state in ('delivered', 'redelivered'))::int as to_review,
    count(*) filter (where payment_state in ('refund_pending', 'refund_failed'))::int as going_back
  from jobs where account_key = $1`;

async function ahead(db: Queries, rails: Rails, accountKey: string): Promise<contract.ClosingAhead> {
  const { agents, members, wallets, blocks } = await standingOf(db, accountKey);
  const purchases = await db.one<Pick<contract.Closing, 'unpaid' | 'in_work' | 'to_review' | 'going_back'>>(
    statement(openPurchases, [accountKey]),
  );
  const cards = (await rails.get('card')?.kept?.list(db, accountKey)) ?? [];
  const credit = await db.one<{ credit: bigint }>(
    statement(creditOfAll(principalsOf('account_key', '$1')), [accountKey]),
  );
  return {
    account_key: accountKey,
    agents,
    members,
    cards: cards.length,
    ...purchases,
    credit_microcents: toWire(credit.credit),
    in_the_way: blocks > 0 ? 'block' : wallets > 0 ? 'wallet' : null,
  };
}
