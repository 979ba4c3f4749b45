import { getAddress } from 'viem';
import type { Verb } from '../door/verb.ts';
import { utcDay } from '../kernel/clock.ts';
import { toWire } from '../kernel/money.ts';
import { statement } from '../kernel/sql.ts';
import { walletCredit } from '../ledger/ledger.ts';
import { heldByUnpaid } from '../purchases/room.ts';
import { service } from '../service/terms.ts';
import type * as contract from './contract.ts';
import { grantView } from './grant.ts';

const spending = `
  select coalesce(sum(used_microcents) filter (where day = $2::date), 0)::bigint as today,
    coalesce(sum(used_microcents), 0)::bigint as total,
    (select in_total from (${heldByUnpaid('$3', '$2')}) held) as reserved
  from grant_usage where grant_key = $1`;

export const me: Verb<typeof contract.me> = async ({ ctx, caller, db }) => {
  const [spend, credit] = await Promise.all([
    db.one<{ today: bigint; total: bigint; reserved: bigint }>(
      statement(spending, [caller.grant.grant_key, utcDay(ctx.now), caller.principalKey]),
    ),
    walletCredit(db, caller.principalKey),
  ]);
  const { credential } = caller;
  return {
    body: {
      principal:
        caller.kind === 'wallet'
          ? { kind: 'wallet', address: getAddress(caller.principalKey) }
          : { kind: 'agent', agent_key: caller.principalKey, name: caller.name },
      account_key: caller.accountKey,
      credential: {
        credential_key: credential.credentialKey,
        created_at: credential.createdAt.toISOString(),
        expires_at: credential.expiresAt?.toISOString() ?? null,
        last_used_at: credential.lastUsedAt?.toISOString() ?? null,
      },
      grant: grantView(caller.grant),
      spend: {
        today_microcents: toWire(spend.today),
        total_microcents: toWire(spend.total),
        reserved_microcents: toWire(spend.reserved),
      },
      wallet_credit_microcents: toWire(credit),
      holds: caller.blocks,
      terms_version: service.termsVersion,
      environment: ctx.runtime.configuration.environment,
    },
  };
};
