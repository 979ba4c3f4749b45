import { account } from './account.ts';
import { balance } from './balance.ts';
import { charges } from './charges.ts';
import { checkoutSessions } from './checkout-sessions.ts';
import { customers } from './customers.ts';
import { disputes } from './disputes.ts';
import type { Endpoint } from './endpoint.ts';
import { events } from './events.ts';
import { fraudWarnings } from './fraud-warnings.ts';
import { paymentIntents } from './payment-intents.ts';
import { paymentMethods } from './payment-methods.ts';
import { refunds } from './refunds.ts';

/** The part of Stripe's API that the sandbox has. */
const ENDPOINTS: readonly Endpoint[] = [
  ...customers,
  ...checkoutSessions,
  ...paymentIntents,
  ...paymentMethods,
  ...refunds,
  ...charges,
  ...disputes,
  ...fraudWarnings,
  ...events,
  ...balance,
  ...account,
];

const TABLE = ENDPOINTS.map((endpoint) => ({ endpoint, pattern: new URLPattern({ pathname: endpoint.path }) }));

export const ENDPOINT_NAMES: readonly string[] = ENDPOINTS.map(({ name }) => name);

/** The endpoint of a call, with its path parameters; undefined for others. */
export function findEndpoint(
  method: string,
  pathname: string,
): { endpoint: Endpoint; path: Record<string, string> } | undefined {
  for (const { endpoint, pattern } of TABLE) {
    const found = endpoint.method === method && pattern.exec({ pathname });
    if (!found) continue;
    const groups = Object.entries(found.pathname.groups);
    return { endpoint, path: Object.fromEntries(groups.map(([name, value]) => [name, value ?? ''])) };
  }
  return undefined;
}
