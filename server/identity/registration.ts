import { requireRegistrations } from '../availability/availability.ts';
import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import { originOf } from '../operation/rate-limit.ts';
import type { Reply, Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { enqueueLetter } from '../queue/queue.ts';
import { codeTries, defaultGrant, seconds, service } from '../service/terms.ts';
import { confirmRegistration } from './confirmation.ts';
import type { GrantTerms } from './contract.ts';
import { credentialInUse, releaseCredential } from './credential.ts';
import type { IdentityLetter } from './letters.ts';
import type * as contract from './registration-contract.ts';
import type { RegistrationRow } from './registration-row.ts';
import { codeMatches, userCodeHash, userCodeOf } from './registration-secrets.ts';
import { newToken, tokenHash, tokenHashes } from './token.ts';

/** Pause between two claims. */
const claimIntervalSeconds = 5;
/** Wrong codes that are compared. The sixth is refused unread. */

/** Registers an agent. Does the same for known and unknown addresses: the worker decides about the letter. */
export const register: Verb<typeof contract.register> = async ({ ctx, input, tx }) => {
  const { configuration, queue } = ctx.runtime;
  await requireRegistrations(tx, ctx.runtime, ctx.now);
  if (input.terms_version !== service.termsVersion) {
    throw new Problem('terms_version_mismatch', `The current terms are ${service.termsVersion}.`);
  }
  const registrationKey = newKey('reg');
  const agentKey = newKey('agent');
  const claimToken = newToken('claim');
  const { first } = configuration.keyring;
  const userCode = userCodeOf(registrationKey, first);
  const requested = requestedGrant(input.requested_grant ?? {});
  tx.write(sql`
    insert into registrations (registration_key, mode, state, email, agent_key, agent_name, agent_software,
      requested_grant, terms_version, origin, claim_token_hash, user_code_hash, key_id, created_at, expires_at)
    values (${registrationKey}, ${input.mode}, 'pending_confirmation', ${input.email}, ${agentKey}, ${input.agent.name},
      ${input.agent.software ?? null}, ${JSON.stringify(requested)}, ${input.terms_version}, ${originOf(ctx)},
      ${tokenHash(claimToken, first)}, ${userCodeHash(userCode, first)}, ${first.id}, ${ctx.now},
      ${after(ctx.now, seconds.registration)})`);
  enqueueLetter<IdentityLetter>(tx, queue, { kind: 'registration', registration_key: registrationKey });
  return {
    body: {
      registration_key: registrationKey,
      agent_key: agentKey,
      mode: input.mode,
      state: 'pending_confirmation',
      claim_token: claimToken,
      claim_url: `${ctx.baseUrl}/api/agent/v1/registrations/${registrationKey}/claim`,
      verification_url: `${ctx.baseUrl}/${input.mode === 'new_customer' ? 'confirm' : 'connect'}`,
      ...(input.mode === 'link_existing'
        ? { device_code: claimToken, verification_uri: `${ctx.baseUrl}/connect` }
        : {}),
      user_code: userCode,
      expires_in: seconds.registration,
      code_expires_in: seconds.registrationCode,
      interval: claimIntervalSeconds,
      requested_grant: requested,
      terms_version: input.terms_version,
    },
  };
};

/** The request, on top of the default that it may only narrow. */
export function requestedGrant(asked: contract.RequestedGrant): GrantTerms {
  return {
    service_keys: [...defaultGrant.service_keys],
    payment_methods: asked.payment_methods ?? [...defaultGrant.payment_methods],
    per_job_limit_microcents: asked.per_job_limit_microcents ?? toWire(defaultGrant.per_job_limit_microcents),
    daily_limit_microcents: asked.daily_limit_microcents ?? toWire(defaultGrant.daily_limit_microcents),
    total_limit_microcents: asked.total_limit_microcents ?? defaultGrant.total_limit_microcents,
    governed_refs: defaultGrant.governed_refs,
    review_authority: asked.review_authority ?? defaultGrant.review_authority,
    expires_at: asked.expires_at ?? null,
    approval_above_microcents: asked.approval_above_microcents ?? null,
    may_ask_above_limits: false,
  };
}

/**
 * Releases the credential, once. The row lock orders parallel claims: one gets the credential, and at most five codes
 * are compared.
 */
export const claim: Verb<typeof contract.claim> = async ({ ctx, input, tx }) => {
  const { keyring } = ctx.runtime.configuration;
  const registration = await tx.maybe<RegistrationRow>(sql`
    select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key
    from registrations
    where registration_key = ${input.registration_key} and claim_token_hash = any(${tokenHashes(input.claim_token, keyring)}::text[])
    for no key update`);
  if (!registration) throw new Problem('not_found', 'There is no registration with this key and claim token.');
  if (registration.state === 'declined') {
    throw new Problem('registration_declined', 'The customer declined. The agent gets nothing.');
  }
  if (registration.state === 'released') {
    throw new Problem('credential_already_released', 'The credential of this registration was already sent.');
  }
  if ((registration.claim_until ?? registration.expires_at) <= ctx.now) {
    throw new Problem('registration_expired', 'The registration ended before the credential was fetched.');
  }
  if (registration.state === 'confirmed') return release(registration);
  if (input.code === undefined) {
    return {
      status: 202,
      body: { state: 'pending_confirmation' },
      headers: { 'Retry-After': String(claimIntervalSeconds) },
    };
  }
  if (registration.code_tries >= codeTries) throw codeInvalid(0);
  const tries = registration.code_tries + 1;
  tx.write(sql`
    update registrations set code_tries = ${tries} where registration_key = ${registration.registration_key}`);
  const isOpen =
    registration.mode === 'new_customer' &&
    registration.code_mailed_at !== null &&
    after(registration.created_at, seconds.registrationCode) > ctx.now;
  const isRight = codeMatches(input.code, registration.registration_key, keyring.byId(registration.key_id)) && isOpen;
  const confirmed = isRight ? await confirmRegistration(tx, registration, 'code', ctx.now) : null;
  if (!confirmed) throw codeInvalid(codeTries - tries);
  return release(confirmed);

  async function release(from: RegistrationRow): Promise<Reply<ReleasedClaim>> {
    // A second release, allowed by the customer: the credential in use ends with the first use of the new one.
    const inUse = await credentialInUse(tx, from.agent_key, ctx.now);
    const replacing = inUse === null ? null : { credentialKey: inUse, graceSeconds: 0 };
    const released = await releaseCredential(tx, ctx, from.agent_key, replacing);
    // Move to the first key: link and codes, which need the one it began with, are void.
    tx.write(sql`
      update registrations set state = 'released', claim_token_hash = ${tokenHash(input.claim_token, keyring.first)},
        key_id = ${keyring.first.id}
      where registration_key = ${from.registration_key}`);
    return { status: 200, body: { state: 'released', ...released } };
  }
};

type ReleasedClaim = { state: 'released' } & Awaited<ReturnType<typeof releaseCredential>>;

/** Keep the try even though we refuse: else parallel requests get more. */
function codeInvalid(remaining: number): Problem {
  const left = remaining === 0 ? 'No tries are left; the link in the letter still works.' : `${remaining} tries left.`;
  return new Problem('code_invalid', `Not this code. ${left}`, {
    members: { attempts_remaining: remaining },
    keepsWrites: true,
  });
}
