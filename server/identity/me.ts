import { getAddress } from 'viem';
import { heldByUnpaid } from '../held.ts';
import { utcDay } from '../kernel/clock.ts';
import { type JsonRow, jsonRowReader } from '../kernel/json-row.ts';
import { toWire } from '../kernel/money.ts';
import { creditOf } from '../ledger/ledger.ts';
import type { Loader, Verb } from '../operation/verb.ts';
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

/** The key is the day. */
const spendingOfWho = `
  select coalesce(sum(used_microcents) filter (where day = $key::date), 0) as today,
    coalesce(sum(used_microcents), 0) as total,
    (select in_total from (${heldByUnpaid('who.principal_key', '$key')}) held) as reserved,
    ${creditOf('who.principal_key')} as credit
  from grant_usage where grant_key = who.grant_key`;

const readSpending = jsonRowReader<Spending>({
  instants: {},
  amounts: { today: true, total: true, reserved: true, credit: true },
});

/** Loads with the buyer what it has spent. */
export const spendingWithBuyer: Loader<'spending', Spending> = {
  name: 'spending',
  about: ({ now }) => ({ select: spendingOfWho, key: utcDay(now) }),
  unpack: (found) => readSpending(found as JsonRow<Spending>),
  absent() {
    throw new Error('what is spent is read with every buyer');
  },
};

export const me: Verb<typeof contract.me, Spending> = async ({ ctx, caller, loaded: spend }) => {
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
