import { type Address, getAddress, isAddressEqual, recoverMessageAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { after } from '../kernel/clock.ts';
import { newKey, randomText } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import type * as contract from './contract.ts';
import { decisionOf } from './grant-decision.ts';
import { requestedGrant } from './registration.ts';
import { newToken, tokenHash } from './token.ts';

/** The chain named in the sign-in message. It proves who signs and moves nothing (specification 4.5). */
export const signInChainId = 84_532;
const nonceLength = 24;
/** r, s and v of an EIP-191 signature by a plain key: longer ones come from contract wallets (ERC-1271, ERC-6492). */
export const plainSignatureLength = 2 + 65 * 2;

/** Creates a message to sign (EIP-4361). The server keeps it and compares only these bytes. */
export const walletChallenge: Verb<typeof contract.walletChallenge> = async ({ ctx, input, tx }) => {
  const address = getAddress(input.address.toLowerCase());
  const expiresAt = after(ctx.now, seconds.challengeLifetime);
  const { host } = new URL(ctx.baseUrl);
  const nonce = randomText(nonceLength);
  const terms = { address, domain: host, uri: ctx.baseUrl, nonce, issuedAt: ctx.now, expirationTime: expiresAt };
  const message =
    input.format === 'legacy'
      ? legacyMessage(terms)
      : createSiweMessage({ ...terms, chainId: signInChainId, version: '1', statement: signInStatement });
  const challengeKey = newKey('challenge');
  tx.write(sql`
    insert into wallet_challenges (challenge_key, address, nonce, message, created_at, expires_at)
    values (${challengeKey}, ${address.toLowerCase()}, ${nonce}, ${message}, ${ctx.now}, ${expiresAt})`);
  return {
    body: {
      challenge_key: challengeKey,
      message,
      nonce,
      domain: host,
      uri: ctx.baseUrl,
      chain_id: signInChainId,
      issued_at: ctx.now.toISOString(),
      expires_at: expiresAt.toISOString(),
    },
  };
};

export const signInStatement = 'Sign in to Work Check. This authorizes no payment.';

/** The same as plain lines, for software without EIP-4361. */
function legacyMessage(terms: {
  address: Address;
  domain: string;
  uri: string;
  nonce: string;
  issuedAt: Date;
  expirationTime: Date;
}): string {
  return [
    signInStatement,
    '',
    `Address: ${terms.address}`,
    `Domain: ${terms.domain}`,
    `URI: ${terms.uri}`,
    `Chain: ${signInChainId}`,
    `Nonce: ${terms.nonce}`,
    `Issued: ${terms.issuedAt.toISOString()}`,
    `Expires: ${terms.expirationTime.toISOString()}`,
  ].join('\n');
}

/** Uses the challenge and opens a session in one transaction: one of many parallel tries succeeds. */
export const walletVerify: Verb<typeof contract.walletVerify> = async ({ ctx, input, tx }) => {
  const challenge = await tx.maybe<{ address: Address; message: string }>(sql`
    update wallet_challenges set used_at = ${ctx.now}
    where challenge_key = ${input.challenge_key} and used_at is null and expires_at > ${ctx.now}
    returning address, message`);
  if (!challenge) throw new Problem('challenge_expired', 'The challenge is unknown, has expired or was used.');
  if (input.signature.length > plainSignatureLength) {
    throw new Problem('contract_wallet_unsupported', 'The signature is not from an externally owned account.');
  }
  const signer = isCanonical(input.signature)
    ? await recoverMessageAddress({
        message: challenge.message,
        signature: input.signature as `0x${string}`,
      }).catch(() => null)
    : null;
  if (!signer || !isAddressEqual(signer, challenge.address)) {
    throw new Problem('signature_invalid', 'The signature does not match this message and address.');
  }
  await ensureWallet(tx, challenge.address, ctx.now);
  const principal = { kind: 'wallet' as const, address: getAddress(challenge.address) };
  return { body: { ...openWalletSession(tx, challenge.address, ctx), principal } };
};

/** Opens a session of a wallet's owner. Put the token into one answer and keep it nowhere. */
export function openWalletSession(
  tx: Tx,
  address: string,
  { runtime, now }: Pick<Context, 'runtime' | 'now'>,
): { access_token: string; token_type: 'Bearer'; expires_in: number } {
  const { first } = runtime.configuration.keyring;
  const token = newToken('wallet');
  tx.write(sql`
    insert into credentials (credential_key, principal_key, kind, token_hash, key_id, created_at, expires_at)
    values (${newKey('cred')}, ${address}, 'wallet', ${tokenHash(token, first)}, ${first.id}, ${now}, ${after(now, seconds.walletSession)})`);
  return { access_token: token, token_type: 'Bearer', expires_in: seconds.walletSession };
}

/** Half the order of secp256k1. Anyone with a signature can compute its twin above it (EIP-2). */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Whether it is the low of the two signatures, as wallets make. */
export function isCanonical(signature: string): boolean {
  const s = signature.slice(66, 130);
  return s.length === 64 && BigInt(`0x${s}`) <= highestS;
}

/** Ends the session for good: copies of its token are worthless. */
export const walletSignOut: Verb<typeof contract.walletSignOut> = async ({ ctx, caller, tx }) => {
  const { credentialKey } = caller.credential;
  if (caller.kind !== 'wallet') {
    throw new Problem('action_not_allowed', 'Only a wallet session can sign out. An agent rotates its credential.');
  }
  tx.write(sql`update credentials set revoked_at = ${ctx.now} where credential_key = ${credentialKey}`);
  return { body: { state: 'signed_out', credential_key: credentialKey } };
};

/** Whether a wallet has an account here. */
export async function isKnownWallet(tx: Tx, address: string): Promise<boolean> {
  return (await tx.maybe(sql`select 1 as known from principals where principal_key = ${address}`)) !== undefined;
}

/**
 * First sign-in, or first payment: creates the wallet's account and grant. The lock keeps a known one from being forgotten
 * until the transaction ends; one that is being forgotten is waited for, and made anew.
 */
export async function ensureWallet(tx: Tx, address: Address, now: Date): Promise<void> {
  const accountKey = newKey('acct');
  const grantKey = newKey('grant');
  const terms = { ...requestedGrant({}), payment_methods: ['x402'] };
  const { digest, body } = decisionOf({ grantKey, principalKey: address, terms, now });
  tx.write(sql`
    with known as (select 1 from principals where principal_key = ${address} for key share),
    account as (
      insert into accounts (account_key, created_at)
      select ${accountKey}, ${now}::timestamptz where not exists (select from known) returning account_key
    ),
    principal as (
      insert into principals (principal_key, kind, account_key, created_at)
      select ${address}, 'wallet', account_key, ${now}::timestamptz from account
      on conflict do nothing returning principal_key
    ),
    decision as (
      insert into grant_decisions (grant_digest, body, decided_at)
      select ${digest}, ${JSON.stringify(body)}::jsonb, ${now}::timestamptz from principal
    )
    insert into grants (grant_key, principal_key, service_keys, payment_methods, per_job_limit_microcents,
      daily_limit_microcents, total_limit_microcents, governed_refs, review_authority, created_at,
      grant_digest)
    select ${grantKey}, principal_key, ${terms.service_keys}::text[], ${terms.payment_methods}::text[],
      ${terms.per_job_limit_microcents}::bigint, ${terms.daily_limit_microcents}::bigint, null,
      ${terms.governed_refs}::boolean, ${terms.review_authority}::boolean, ${now}::timestamptz, ${digest}
    from principal`);
}
