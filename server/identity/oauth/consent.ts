import { railsSetUp } from '../../availability/availability.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { newKey, randomText } from '../../kernel/id.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { GrantRow, Member } from '../../operation/caller.ts';
import { originOf } from '../../operation/rate-limit.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { enqueueLetter } from '../../queue/queue.ts';
import type { Context } from '../../runtime.ts';
import { seconds, service } from '../../service/terms.ts';
import { recordEvent } from '../account-event.ts';
import { withChange } from '../agents.ts';
import { connectAgent } from '../confirmation.ts';
import type { GrantTerms } from '../contract.ts';
import { requireFreshSignIn } from '../fresh.ts';
import { grantView } from '../grant.ts';
import { change } from '../grant-decision.ts';
import type { IdentityLetter } from '../letters.ts';
import type * as contract from '../oauth-contract.ts';
import { requestedGrant } from '../registration.ts';
import { shownText } from '../registration-contract.ts';
import type { RegistrationRow } from '../registration-row.ts';
import { userCodeHash, userCodeOf } from '../registration-secrets.ts';
import { newToken, tokenHash } from '../token.ts';
import { recordId } from './records.ts';

/** A request of an OAuth client that waits for a person, as the authorization server keeps it. */
interface Waiting {
  payload: {
    returnTo: string;
    params: { client_id: string; redirect_uri: string };
    result?: { login?: { accountId: string } };
  };
  expires_at: Date;
  client_name: string | null;
}

export const authorization: Verb<typeof contract.authorization> = async ({ ctx, caller, input, db }) => {
  const { payload, expires_at, client_name } = await waiting(db, input.authorization_key, ctx.now);
  if (payload.result) throw noRequest();
  const { client_id, redirect_uri } = payload.params;
  const connected = await agentOf(db, client_id, caller);
  return {
    body: {
      authorization_key: input.authorization_key,
      client: { name: client_name, client_id, host: hostOf(client_id) },
      redirect_host: hostOf(redirect_uri) ?? redirect_uri,
      agent_key: connected?.principal_key ?? null,
      requested_grant: connected ? termsOf(connected) : requestedGrant({}),
      rails: railsSetUp(ctx.runtime),
      terms_version: service.termsVersion,
      expires_at: expires_at.toISOString(),
    },
  };
};

/**
 * The consent is the grant: it makes the client an agent of the account with these limits, or changes those of the
 * agent that it already is, and says so to the authorization server in the same transaction.
 */
export const decideAuthorization: Verb<typeof contract.decideAuthorization> = async ({ ctx, caller, input, tx }) => {
  const { payload, client_name } = await waiting(tx, input.authorization_key, ctx.now, 'locked');
  const { client_id } = payload.params;
  if (payload.result) {
    const before = payload.result.login?.accountId ?? null;
    if ((before !== null) !== (input.decision === 'approve')) {
      throw new Problem('action_not_allowed', 'The request was already decided.');
    }
    // A repeat: nothing to do.
    return { body: decided(before, payload.returnTo) };
  }
  let agentKey: string | null = null;
  if (input.decision === 'approve') {
    requireFreshSignIn(caller, ctx.now);
    const connected = await agentOf(tx, client_id, caller);
    agentKey = connected
      ? changed(tx, ctx, caller, { row: connected, after: withChange(termsOf(connected), input.grant ?? {}) })
      : await connect(tx, ctx, caller, {
          clientId: client_id,
          name: client_name ?? hostOf(client_id) ?? 'An OAuth client',
          grant: withChange(requestedGrant({}), input.grant ?? {}),
        });
  }
  const result =
    agentKey === null
      ? { error: 'access_denied', error_description: 'The person denied the request.' }
      : { login: { accountId: agentKey, remember: false }, consent: {} };
  tx.write(sql`
    update oauth_records set payload = payload || ${JSON.stringify({ result })}::jsonb
    where model = 'Interaction' and id_hash = ${recordId(input.authorization_key)}`);
  // A registered client that is used stays; others are forgotten after a day.
  tx.write(sql`
    update oauth_records set expires_at = null
    where model = 'Client' and id_hash = ${recordId(client_id)} and ${agentKey}::text is not null`);
  return { body: decided(agentKey, payload.returnTo) };
};

function decided(agentKey: string | null, returnTo: string) {
  return {
    state: agentKey === null ? ('denied' as const) : ('approved' as const),
    agent_key: agentKey,
    continue_url: returnTo,
  };
}

async function waiting(db: Queries, key: string, now: Date, lock?: 'locked'): Promise<Waiting> {
  const id = recordId(key);
  const row = await (lock
    ? db.maybe<Omit<Waiting, 'client_name'>>(sql`
        select payload, expires_at from oauth_records
        where model = 'Interaction' and id_hash = ${id} and expires_at > ${now} for update`)
    : db.maybe<Omit<Waiting, 'client_name'>>(sql`
        select payload, expires_at from oauth_records
        where model = 'Interaction' and id_hash = ${id} and expires_at > ${now}`));
  if (!row) throw noRequest();
  const client = await db.maybe<{ client_name: string | null }>(sql`
    select payload->>'client_name' as client_name from oauth_records
    where model = 'Client' and id_hash = ${recordId(row.payload.params.client_id)}`);
  // Anybody may register any name: only what can be shown as one line counts.
  const { data: name = null } = shownText(maxNameLength).safeParse(client?.client_name);
  return { ...row, client_name: name };
}

const maxNameLength = 64;

function noRequest(): Problem {
  return new Problem('not_found', 'No client waits for this decision. Start again from the client.');
}

type Connected = GrantRow & { principal_key: string };

/** The agent that the client is for this member; null when it is none, or was revoked. */
async function agentOf(db: Queries, clientId: string, { memberKey }: Member): Promise<Connected | null> {
  const row = await db.maybe<Connected>(sql`
    select p.principal_key, g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents,
      g.daily_limit_microcents, g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest
    from oauth_connections c join principals p on p.principal_key = c.agent_key join grants g using (principal_key)
    where c.client_id_hash = ${recordId(clientId)} and c.member_key = ${memberKey} and p.revoked_at is null`);
  return row ?? null;
}

function termsOf(row: GrantRow): GrantTerms {
  const { paused: _, ...terms } = grantView(row);
  return terms;
}

/** Gives the agent that the client already is the limits of this consent. */
function changed(
  tx: Tx,
  { now }: Context,
  { accountKey, memberKey }: Member,
  { row, after }: { row: Connected; after: GrantTerms },
): string {
  const before = termsOf(row);
  change(tx, { grantKey: row.grant_key, principalKey: row.principal_key, terms: after, now });
  recordEvent(tx, {
    accountKey,
    principalKey: row.principal_key,
    actor: memberKey,
    action: 'grant_changed',
    detail: { before, after, by: 'oauth' },
    at: now,
  });
  return row.principal_key;
}

/** Makes the client an agent, as a connection does: same letter, same history, same page. */
async function connect(
  tx: Tx,
  ctx: Context,
  { accountKey, memberKey }: Member,
  { clientId, name, grant }: { clientId: string; name: string; grant: GrantTerms },
): Promise<string> {
  const { runtime, now } = ctx;
  const { first } = runtime.configuration.keyring;
  const registrationKey = newKey('reg');
  // Nobody gets these: the client has its tokens.
  const unused = newToken('claim');
  const row = await tx.one<RegistrationRow>(sql`
    insert into registrations (registration_key, mode, state, email, agent_key, agent_name, agent_software,
      requested_grant, terms_version, origin, claim_token_hash, user_code_hash, key_id, created_at, expires_at)
    select ${registrationKey}, 'link_existing', 'pending_confirmation', email, ${newKey('agent')}, ${name.slice(0, maxNameLength)},
      ${clientId.slice(0, maxNameLength)}, ${JSON.stringify(grant)}::jsonb, ${service.termsVersion}, ${originOf(ctx)},
      ${tokenHash(unused, first)}, ${userCodeHash(userCodeOf(registrationKey + randomText(8), first), first)}, ${first.id},
      ${now}::timestamptz, ${after(now, seconds.registration)}::timestamptz
    from members where member_key = ${memberKey}
    returning registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at, claim_until, account_key`);
  await connectAgent(tx, row, {
    accountKey,
    actor: memberKey,
    grant,
    detail: { by: 'oauth', client_id: clientId },
    now,
  });
  tx.write(sql`update registrations set state = 'released' where registration_key = ${registrationKey}`);
  tx.write(sql`
    insert into oauth_connections (client_id_hash, member_key, agent_key)
    values (${recordId(clientId)}, ${memberKey}, ${row.agent_key})
    on conflict (client_id_hash, member_key) do update set agent_key = excluded.agent_key`);
  enqueueLetter<IdentityLetter>(tx, runtime.queue, {
    kind: 'notice',
    registration_key: registrationKey,
    account_key: accountKey,
    decided_by: memberKey,
  });
  return row.agent_key;
}

/** The host of an address; null for what is none. */
function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host || null : null;
}
