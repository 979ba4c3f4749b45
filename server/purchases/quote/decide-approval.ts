import { recordEvent } from '../../identity/account-event.ts';
import { connectedAgents } from '../../identity/agents.ts';
import { requireFreshSignIn } from '../../identity/fresh.ts';
import { nameOf } from '../../identity/name.ts';
import type { Queries } from '../../kernel/database.ts';
import { toWire } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import * as contract from '../approval-contract.ts';
import type { ApprovalState } from '../states.ts';
import { stateOfApproval } from './approval.ts';
import { quoteTitle } from './quote-title.ts';

export const approvals: Verb<typeof contract.approvals> = async ({ ctx, caller, db }) => ({
  body: { approvals: await approvalsOf(db, ctx, caller, null) },
});

export const approval: Verb<typeof contract.approval> = async ({ ctx, caller, input, db }) => ({
  body: await approvalOf(db, ctx, caller, input.approval_key),
});

/** Decides once: of a yes and a no that race, the first stands; a no may also take back a yes that is not used. */
export const decideApproval: Verb<typeof contract.decideApproval> = async ({ ctx, caller, input, tx }) => {
  const { approval_key, decision } = input;
  const row = await tx.maybe<{ principal_key: string; quote_key: string; state: ApprovalState; expires_at: Date }>(sql`
    select principal_key, quote_key, state, expires_at from approvals
    where approval_key = ${approval_key} and account_key = ${caller.accountKey} for no key update`);
  if (!row) throw noApproval();
  const state = stateOfApproval(row, ctx.now);
  const wanted = decision === 'approve' ? 'approved' : 'declined';
  // A repeat: nothing to do.
  if (state === wanted) return { body: await approvalOf(tx, ctx, caller, approval_key) };
  if (state === 'lapsed') throw new Problem('quote_expired', 'The quote has ended, and with it what the agent asked.');
  if (state !== 'open' && !(state === 'approved' && wanted === 'declined')) {
    throw new Problem('action_not_allowed', state === 'used' ? 'It was bought already.' : 'It was declined before.');
  }
  if (wanted === 'approved') requireFreshSignIn(caller, ctx.now);
  tx.write(sql`
    update approvals set state = ${wanted}, decided_at = ${ctx.now}, decided_by = ${caller.memberKey}
    where approval_key = ${approval_key}`);
  recordEvent(tx, {
    accountKey: caller.accountKey,
    principalKey: row.principal_key,
    actor: caller.memberKey,
    action: wanted === 'approved' ? 'approval_given' : 'approval_refused',
    detail: { approval_key, quote_key: row.quote_key },
    at: ctx.now,
  });
  return { body: await approvalOf(tx, ctx, caller, approval_key) };
};

interface ApprovalRow {
  approval_key: string;
  state: ApprovalState;
  quote_key: string;
  principal_key: string;
  input: string | null;
  price_microcents: bigint;
  above_limits: boolean;
  asked_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  decided_by: string | null;
  job_key: string | null;
}

/** Those that are open, or the one with a key. */
const ofAccount = `
  select a.approval_key, a.state, a.quote_key, a.principal_key, q.input, q.price_microcents, a.above_limits, a.asked_at,
    a.expires_at, a.decided_at, ${nameOf('a.decided_by')} as decided_by, jobs.job_key
  from approvals a join quotes q using (quote_key) left join jobs using (quote_key)
  where a.account_key = $1
    and case when $2::text is null then a.state = 'open' and a.expires_at > $3 else a.approval_key = $2 end
  order by a.expires_at limit ${contract.approvalsMax}`;

async function approvalsOf(
  db: Queries,
  { now, runtime }: Context,
  { accountKey }: Member,
  approvalKey: string | null,
): Promise<contract.Approval[]> {
  const rows = await db.many<ApprovalRow>(statement(ofAccount, [accountKey, approvalKey, now]));
  if (rows.length === 0) return [];
  const agents = await connectedAgents(db, accountKey, now, [
    ...new Set(rows.map(({ principal_key }) => principal_key)),
  ]);
  return rows.flatMap(({ principal_key, input, ...row }) => {
    const agent = agents.find(({ agent_key }) => agent_key === principal_key);
    if (!agent) return [];
    return [
      {
        ...row,
        state: stateOfApproval(row, now),
        title: quoteTitle(input, row.quote_key, runtime.configuration.keyring),
        price_microcents: toWire(row.price_microcents),
        asked_at: row.asked_at.toISOString(),
        expires_at: row.expires_at.toISOString(),
        decided_at: row.decided_at?.toISOString() ?? null,
        agent,
      },
    ];
  });
}

/** Throws `not_found`, also for another account's. */
async function approvalOf(db: Queries, ctx: Context, member: Member, key: string): Promise<contract.Approval> {
  const [found] = await approvalsOf(db, ctx, member, key);
  if (!found) throw noApproval();
  return found;
}

function noApproval(): Problem {
  return new Problem('not_found', 'There is no such question of an agent.');
}
