import type { LimitName } from '../configuration/rate-limits.ts';
import { hasAcceptedNone } from '../held.ts';
import { statement } from '../kernel/sql.ts';
import { chargeMore, countedBy, counting, paced } from '../operation/rate-limit.ts';
import type { Context } from '../runtime.ts';

/** Accounts that were found to have an accepted purchase: asked once a process. */
const customers = new Set<string>();
const customersMax = 100_000;

const newcomer = `select $1::text as subject where ${hasAcceptedNone('$2::text')}`;

/**
 * Counts a request for the network of an account without an accepted purchase, so that many wallets of one network get
 * no more than a few do. Customers behind the same address have their own limits alone. What is left is told to nobody:
 * it is others'. A page has no origin, or is counted by the server in front. Throws `rate_limited`.
 */
export async function countNewcomer(
  { runtime, origin, now }: Pick<Context, 'runtime' | 'origin' | 'now'>,
  account: string,
  limit: LimitName | undefined,
): Promise<void> {
  if (origin === null || customers.has(account)) return;
  const { rateLimits } = runtime.configuration;
  const names: LimitName[] = limit === 'quotes' ? ['network_requests', 'network_quotes'] : ['network_requests'];
  const who = statement(newcomer, [origin, account]);
  const counted = await countedBy(runtime.db.shared, counting({ who, column: 'subject' }, names, rateLimits, now));
  if (counted) {
    paced(counted.counts, rateLimits, now);
    return;
  }
  if (customers.size >= customersMax) customers.clear();
  customers.add(account);
}

/** Counts a counted request so many times more for the network of such an account. */
export async function chargeNewcomer(
  { runtime, origin }: Pick<Context, 'runtime' | 'origin'>,
  account: string,
  more: number,
): Promise<void> {
  if (origin === null || customers.has(account)) return;
  await chargeMore(runtime.db.shared, { subject: origin, name: 'network_requests' }, more, runtime.clock());
}
