import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { GrantRow, Member } from '../operation/caller.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { enqueueLetter } from '../queue/queue.ts';
import { lasting, seconds } from '../service/terms.ts';
import { withChange } from './agents.ts';
import { askingAgent, connectAgent } from './confirmation.ts';
import type { GrantTerms } from './contract.ts';
import { requireFreshSignIn } from './fresh.ts';
import { grantView } from './grant.ts';
import type { IdentityLetter } from './letters.ts';
import type * as contract from './member-contract.ts';
import type { RegistrationRow } from './registration-row.ts';
import { userCodeHashes, userCodeMatches } from './registration-secrets.ts';
import { decline } from './silence.ts';

export const connection: Verb<typeof contract.connection> = async ({ ctx, caller, input, db }) => {
  const { keyring } = ctx.runtime.configuration;
  const row = await db.maybe<RegistrationRow>(sql`
    select r.registration_key, r.mode, r.state, r.email, r.agent_key, r.agent_name, r.agent_software,
      r.requested_grant, r.terms_version, r.origin, r.key_id, r.code_tries, r.code_mailed_at,
      r.created_at, r.expires_at, r.decided_at, r.claim_until, r.account_key
    from registrations r join members m using (email)
    where m.member_key = ${caller.memberKey} and r.mode = 'link_existing' and r.state = 'pending_confirmation'
      and r.expires_at > ${ctx.now} and r.user_code_hash = any(${userCodeHashes(input.user_code, keyring)}::text[])
    order by r.created_at desc limit 1`);
  if (!row) throw noRequest();
  if (after(row.created_at, seconds.registrationCode) <= ctx.now) {
    throw new Problem(
      'registration_expired',
      `A code works for ${lasting('registrationCode')}. Have the agent ask again.`,
    );
  }
  return { body: { registration_key: row.registration_key, ...askingAgent(row, ctx.runtime) } };
};

/** Connects the agent with the member's limits; what the form leaves out stays as requested. */
export const decideConnection: Verb<typeof contract.decideConnection> = async ({ ctx, caller, input, tx }) => {
  const { configuration, queue } = ctx.runtime;
  const row = await lockRequest(tx, caller, input.registration_key);
  if (!userCodeMatches(input.user_code, row.registration_key, configuration.keyring.byId(row.key_id)))
    throw noRequest();
  const wanted = input.decision === 'approve' ? 'confirmed' : 'declined';
  // A repeat: nothing to do.
  if ((row.state === 'released' ? 'confirmed' : row.state) === wanted) {
    return { body: { state: wanted, agent_key: row.agent_key, grant: await grantOf(tx, row.agent_key) } };
  }
  if (row.state !== 'pending_confirmation') throw new Problem('action_not_allowed', 'The request was already decided.');
  if (row.expires_at <= ctx.now)
    throw new Problem('registration_expired', 'The request expired before it was decided.');
  const grant = withChange(row.requested_grant, input.grant ?? {});
  if (wanted === 'confirmed') {
    requireFreshSignIn(caller, ctx.now);
    await connectAgent(tx, row, {
      accountKey: caller.accountKey,
      actor: caller.memberKey,
      grant,
      detail: { by: 'approval' },
      now: ctx.now,
    });
  } else {
    decline(tx, row, ctx.now);
  }
  enqueueLetter<IdentityLetter>(tx, queue, {
    kind: 'notice',
    registration_key: row.registration_key,
    account_key: caller.accountKey,
    decided_by: caller.memberKey,
  });
  return { body: { state: wanted, agent_key: row.agent_key, grant: wanted === 'confirmed' ? grant : null } };
};

/** The agent's current grant; null if it was never connected. */
async function grantOf(db: Queries, agentKey: string): Promise<GrantTerms | null> {
  const row =
    await db.maybe<GrantRow>(sql`select grant_key, service_keys, payment_methods, per_job_limit_microcents, daily_limit_microcents,
      total_limit_microcents, governed_refs, review_authority, paused_at,
      grants.expires_at, approval_above_microcents, may_ask_above_limits, grant_digest
    from grants where principal_key = ${agentKey}`);
  if (!row) return null;
  const { paused: _, ...terms } = grantView(row);
  return terms;
}

/** The request, if it names this member's address. */
async function lockRequest(db: Queries, member: Member, registrationKey: string): Promise<RegistrationRow> {
  const row = await db.maybe<RegistrationRow>(sql`
    select r.registration_key, r.mode, r.state, r.email, r.agent_key, r.agent_name, r.agent_software,
      r.requested_grant, r.terms_version, r.origin, r.key_id, r.code_tries, r.code_mailed_at,
      r.created_at, r.expires_at, r.decided_at, r.claim_until, r.account_key
    from registrations r join members m using (email)
    where r.registration_key = ${registrationKey} and m.member_key = ${member.memberKey} and r.mode = 'link_existing'
    for no key update of r`);
  if (!row) throw noRequest();
  return row;
}

function noRequest(): Problem {
  return new Problem('not_found', 'No agent is waiting with this code.');
}
