import { after } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { seconds } from '../service/terms.ts';
import type * as contract from './contract.ts';
import { releaseCredential } from './credential.ts';

/**
 * Gives an agent its next credential. The lock on the principal orders parallel rotations: each replaces the unused one
 * before.
 */
export const rotateCredential: Verb<typeof contract.rotateCredential> = async ({ ctx, caller, input, tx }) => {
  const { now } = ctx;
  const { credentialKey } = caller.credential;
  if (caller.kind === 'wallet') {
    throw new Problem('action_not_allowed', 'A wallet session cannot be rotated. Sign out and sign in again.');
  }
  await tx.one(sql`select 1 from principals where principal_key = ${caller.principalKey} for no key update`);
  // Another rotation may have ended it before the lock.
  const live = await tx.maybe<{ expires_at: Date | null }>(sql`
    select expires_at from credentials
    where credential_key = ${credentialKey} and revoked_at is null and (expires_at is null or expires_at > ${now})`);
  if (!live) throw new Problem('invalid_token', 'The credential has ended.');
  const compromised = input.reason?.trim().toLowerCase() === 'compromised';
  const latest = compromised ? now : after(now, seconds.rotationGraceMax);
  const validUntil = live.expires_at && live.expires_at < latest ? live.expires_at : latest;
  if (compromised) {
    tx.write(sql`
      update credentials set revoked_at = ${now} where principal_key = ${caller.principalKey} and revoked_at is null`);
  } else {
    tx.write(sql`update credentials set expires_at = ${validUntil} where credential_key = ${credentialKey}`);
  }
  const released = await releaseCredential(tx, ctx, caller.principalKey, {
    credentialKey,
    graceSeconds: input.grace_period_seconds ?? seconds.rotationGrace,
  });
  return {
    body: {
      credential: released.credential,
      credential_key: released.credential_key,
      previous: { credential_key: credentialKey, valid_until: validUntil.toISOString() },
    },
  };
};
