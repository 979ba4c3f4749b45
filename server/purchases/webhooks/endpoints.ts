import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { lockAccount } from '../../identity/account.ts';
import { isFresh } from '../../identity/fresh.ts';
import { newKey } from '../../kernel/id.ts';
import { isPublicAddress } from '../../kernel/public-fetch.ts';
import { seal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { lasting } from '../../service/terms.ts';
import { placeOf } from '../lists/events.ts';
import * as contract from '../webhook-contract.ts';

/** An endpoint as listed. */
interface EndpointRow {
  endpoint_key: string;
  url: string;
  added_at: Date;
  told_at: Date | null;
  tries: number;
  failing_since: Date | null;
  failure: string | null;
  next_try_at: Date;
}

const secretBytes = 32;

/** Where the secret of an endpoint is sealed. */
export const secretOf = (endpointKey: string) => ({ column: 'webhook_endpoints.secret', row: endpointKey });

export const webhookEndpoints: Verb<typeof contract.webhookEndpoints> = async ({ caller, db }) => {
  const rows = await db.many<EndpointRow>(sql`
    select endpoint_key, url, added_at, told_at, tries, failing_since, failure, next_try_at
    from webhook_endpoints where account_key = ${caller.accountKey} and removed_at is null
    order by added_at limit ${contract.endpointsMax}`);
  return { body: { endpoints: rows.map(endpointView) } };
};

/** Adds an endpoint that is told of what happens from now on. Where it resolves to is judged each time it is told. */
export const addWebhookEndpoint: Verb<typeof contract.addWebhookEndpoint> = async ({ ctx, caller, input, tx }) => {
  if (!isFresh(caller, ctx.now)) {
    throw new Problem(
      'fresh_sign_in_required',
      `Sending events elsewhere needs a sign-in within the last ${lasting('freshSignIn')}.`,
    );
  }
  const { href, hostname } = new URL(input.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isPublicAddress(host)) {
    const errors = [{ pointer: '/url', code: 'not_public', detail: 'It must be an address of the public internet.' }];
    throw new Problem('validation_failed', 'The address is not on the public internet.', { errors });
  }
  await lockAccount(tx, caller.accountKey);
  const { there, same } = await tx.one<{ there: number; same: number }>(sql`
    select count(*)::int as there, count(*) filter (where url = ${href})::int as same
    from webhook_endpoints where account_key = ${caller.accountKey} and removed_at is null`);
  if (same > 0) throw new Problem('action_not_allowed', 'This address is told already.');
  if (there >= contract.endpointsMax) {
    throw new Problem('action_not_allowed', `An account has at most ${contract.endpointsMax} addresses. Remove one.`);
  }
  const endpointKey = newKey('endpoint');
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
  const row = await tx.one<EndpointRow>(sql`
    insert into webhook_endpoints (endpoint_key, account_key, url, secret, added_by, added_at, told_transaction,
      told_purchase, told_sequence, next_try_at)
    values (${endpointKey}, ${caller.accountKey}, ${href},
      ${seal(secret, ctx.runtime.configuration.keyring, secretOf(endpointKey))}, ${caller.memberKey}, ${ctx.now},
      oldest_open_transaction(), '', 0, ${ctx.now})
    returning endpoint_key, url, added_at, told_at, tries, failing_since, failure, next_try_at`);
  return { status: 201, body: { ...endpointView(row), secret } };
};

export const removeWebhookEndpoint: Verb<typeof contract.removeWebhookEndpoint> = async ({
  ctx,
  caller,
  input,
  tx,
}) => {
  const row = await tx.maybe<EndpointRow & { removed_at: Date }>(sql`
    update webhook_endpoints set removed_at = coalesce(removed_at, ${ctx.now}), secret = null
    where endpoint_key = ${input.endpoint_key} and account_key = ${caller.accountKey}
    returning endpoint_key, url, added_at, told_at, tries, failing_since, failure, next_try_at, removed_at`);
  if (!row) throw noEndpoint();
  return { body: { ...endpointView(row), removed_at: row.removed_at.toISOString() } };
};

/** Has an endpoint of the caller told again of all that came after an event. Throws `not_found`. */
export const resendWebhooks: Verb<typeof contract.resendWebhooks> = async ({ ctx, caller, input, tx }) => ({
  body: endpointView(await tellAgain(tx, caller.accountKey, input, ctx.now)),
});

/** Moves an endpoint of an account back to after an event: it is told again of all that came then. Throws `not_found`. */
export async function tellAgain(
  tx: Tx,
  accountKey: string,
  { endpoint_key, after }: { endpoint_key: string; after?: string | undefined },
  now: Date,
): Promise<EndpointRow> {
  const owner = { column: 'account_key', key: accountKey } as const;
  const place = after === undefined ? undefined : await placeOf(tx, owner, after);
  const row = await tx.maybe<EndpointRow>(sql`
    update webhook_endpoints set told_transaction = ${place?.transaction ?? 0n},
      told_purchase = ${place?.purchase_key ?? ''}, told_sequence = ${place?.sequence ?? 0},
      tries = 0, failing_since = null, failure = null, next_try_at = ${now}
    where endpoint_key = ${endpoint_key} and account_key = ${accountKey} and removed_at is null
    returning endpoint_key, url, added_at, told_at, tries, failing_since, failure, next_try_at`);
  if (!row) throw noEndpoint();
  return row;
}

function noEndpoint(): Problem {
  return new Problem('not_found', 'There is no such endpoint for this caller.');
}

function endpointView(row: EndpointRow): contract.WebhookEndpoint {
  return {
    endpoint_key: row.endpoint_key,
    url: row.url,
    added_at: row.added_at.toISOString(),
    told_at: row.told_at?.toISOString() ?? null,
    failing:
      row.failing_since === null
        ? null
        : {
            since: row.failing_since.toISOString(),
            tries: row.tries,
            failure: row.failure ?? '',
            next_try_at: row.next_try_at.toISOString(),
          },
  };
}
