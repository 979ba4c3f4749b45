import { recordEvent } from '../../identity/account-event.ts';
import { roomRefusal } from '../../identity/limits.ts';
import { newKey } from '../../kernel/id.ts';
import { toText, toWire } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import type * as contract from '../contract.ts';
import type { ApprovalState } from '../states.ts';

/** Purchases that an agent may not make alone: it asks, and a person answers (specification 4.10). */

/** What was asked about a quote, as read with it. */
export interface AskedApproval {
  approval_key: string;
  state: ApprovalState;
  above_limits: boolean;
  expires_at: string;
}

/** What was asked about a quote, as SQL: one JSON object, or null. */
export const askedAbout = (quoteKey: string): string => `
  select json_build_object('approval_key', approval_key, 'state', a.state, 'above_limits', above_limits,
    'expires_at', a.expires_at)
  from approvals a where a.quote_key = ${quoteKey}`;

/** Its state at this instant: nothing stands past the end of its quote. */
export function stateOfApproval(
  { state, expires_at }: { state: ApprovalState; expires_at: string | Date },
  now: Date,
): ApprovalState {
  return (state === 'open' || state === 'approved') && new Date(expires_at) <= now ? 'lapsed' : state;
}

/** What a person's yes lets this caller do with the quote now; null without one. */
export function passes(
  approval: AskedApproval | null,
  caller: Buyer | Member,
  now: Date,
): { above_limits: boolean } | null {
  if (!approval || stateOfApproval(approval, now) !== 'approved') return null;
  return { above_limits: approval.above_limits && caller.kind !== 'member' && caller.grant.may_ask_above_limits };
}

type Asking = Pick<Context, 'baseUrl' | 'now'>;

/** It on the wire. */
export function approvalView(approval: AskedApproval, { baseUrl, now }: Asking): contract.Quote['approval'] {
  return {
    approval_key: approval.approval_key,
    state: stateOfApproval(approval, now),
    expires_at: new Date(approval.expires_at).toISOString(),
    page: pageOf(baseUrl, approval.approval_key),
  };
}

const pageOf = (baseUrl: string, approvalKey: string): string => `${baseUrl}/approvals/${approvalKey}`;

/** What the customer can do about a quote: none unless it waits for them. */
export function approvalAction(
  { quote_key, approval }: { quote_key: string; approval: AskedApproval | null },
  { baseUrl, now }: Asking,
): contract.NextAction[] {
  if (!approval || stateOfApproval(approval, now) !== 'open') return [];
  return [
    {
      action: 'approve',
      actor: 'customer',
      method: 'GET',
      href: pageOf(baseUrl, approval.approval_key),
      mcp_tool: 'svc.purchase_status',
      description: 'Your customer decides on this page. Read the purchase until they have.',
      mcp_arguments: { quote_key },
      expires_at: new Date(approval.expires_at).toISOString(),
    },
  ];
}

/** The parts of an open quote that the question is about. */
interface Wanted {
  quote_key: string;
  price_microcents: bigint;
  expires_at: Date;
  within_limits: boolean;
  approval: AskedApproval | null;
}

/**
 * Asks the account's people about an open quote, once, and returns the refusal that says so. The refusal keeps what was
 * written. A limit in the way is asked about only if the customer allowed that.
 */
export async function askForApproval(tx: Tx, ctx: Context, caller: Buyer, quote: Wanted): Promise<Problem> {
  const known = quote.approval;
  const aboveLimits = !quote.within_limits;
  if (aboveLimits && !caller.grant.may_ask_above_limits) {
    const noRoom = await roomRefusal(tx, caller.grant.grant_key, quote.price_microcents, ctx.now);
    if (noRoom) return noRoom;
  }
  if (known) return refusalOf(known, quote);
  tx.write(sql`
    update approvals set state = 'lapsed'
    where principal_key = ${caller.principalKey} and state = 'open' and expires_at <= ${ctx.now}`);
  const key = newKey('approval');
  const asked = await tx.maybe(sql`
    insert into approvals (approval_key, quote_key, principal_key, account_key, state, above_limits, asked_at, expires_at)
    values (${key}, ${quote.quote_key}, ${caller.principalKey}, ${caller.accountKey}, 'open', ${aboveLimits}, ${ctx.now},
      ${quote.expires_at})
    on conflict do nothing returning 1`);
  if (!asked) return otherOpen(tx, caller, quote);
  recordEvent(tx, {
    accountKey: caller.accountKey,
    principalKey: caller.principalKey,
    actor: caller.principalKey,
    action: 'approval_asked',
    detail: {
      approval_key: key,
      quote_key: quote.quote_key,
      price_microcents: toWire(quote.price_microcents),
      above_limits: aboveLimits,
      expires_at: quote.expires_at.toISOString(),
    },
    at: ctx.now,
  });
  return required(
    key,
    quote.quote_key,
    quote.expires_at,
    `${toText(quote.price_microcents)} needs a person's approval.`,
  );
}

/** The refusal of a quote about which somebody was asked before. */
function refusalOf(known: AskedApproval, { quote_key, expires_at }: Wanted): Problem {
  if (known.state === 'declined') return new Problem('approval_declined', 'Your customer declined this quote.');
  return required(known.approval_key, quote_key, expires_at, 'Your customer was asked and has not decided yet.');
}

/** The refusal while the agent's question about another quote, or a twin's about this one, is open. */
async function otherOpen(tx: Tx, { principalKey }: Buyer, { quote_key }: Wanted): Promise<Problem> {
  const open = await tx.maybe<{ approval_key: string; quote_key: string; expires_at: Date }>(sql`
    select approval_key, quote_key, expires_at from approvals where principal_key = ${principalKey} and state = 'open'`);
  const detail =
    open?.quote_key === quote_key
      ? 'Your customer was asked and has not decided yet.'
      : 'Your customer has not decided about another quote of yours yet. Only one question is open at a time.';
  return required(open?.approval_key ?? null, open?.quote_key ?? quote_key, open?.expires_at ?? null, detail);
}

function required(approvalKey: string | null, quoteKey: string, expiresAt: Date | null, detail: string): Problem {
  return new Problem('approval_required', detail, {
    members: { approval_key: approvalKey, quote_key: quoteKey, expires_at: expiresAt?.toISOString() ?? null },
    headers: { 'Retry-After': '5' },
    keepsWrites: true,
  });
}
