import { getAddress } from 'viem';
import { heldByUnpaid } from '../held.ts';
import { utcDay } from '../kernel/clock.ts';
import { toWire } from '../kernel/money.ts';
import { statement } from '../kernel/sql.ts';
import { creditOf } from '../ledger/ledger.ts';
import type { Verb } from '../operation/verb.ts';
import { service } from '../service/terms.ts';
import type * as contract from './contract.ts';
import { grantView } from './grant.ts';

/** What is spent and held under a grant, in microcents. */
interface Spending {
  today: bigint;
  total: bigint;
  reserved: bigint;
  credit: bigint;
}

const spendingOf = `
  select coalesce(sum(used_microcents) filter (where day = $3::date), 0)::bigint as today,
    coalesce(sum(used_microcents), 0)::bigint as total,
    (select in_total from (${heldByUnpaid('$1', '$3')}) held)::bigint as reserved,
    ${creditOf('$1')}::bigint as credit
  from grant_usage where grant_key = $2`;

export const me: Verb<typeof contract.me> = async ({ ctx, caller, db }) => {
  const day = utcDay(ctx.now);
  const spend = await db.one<Spending>(statement(spendingOf, [caller.principalKey, caller.grant.grant_key, day]));
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
      wallet_credit_microcents: toWire(spend.credit),
      holds: caller.blocks,
      terms_version: service.termsVersion,
      environment: ctx.runtime.configuration.environment,
    },
  };
};
