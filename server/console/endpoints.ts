import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { tellAgain } from '../purchases/webhooks/endpoints.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/customers.ts';

/** Has a customer's endpoint told again, in order and signed as ever: a receiver knows an event by its id. */
export const sendEventsAgain: Verb<typeof contract.sendEventsAgain> = async ({ ctx, caller, input, tx }) => {
  const { endpoint_key, after, reason } = input;
  const endpoint = await tx.maybe<{ account_key: string }>(sql`
    select account_key from webhook_endpoints where endpoint_key = ${endpoint_key} for no key update`);
  if (!endpoint) throw new Problem('not_found', 'No endpoint has this key.');
  await tellAgain(tx, endpoint.account_key, { endpoint_key, after: after === '' ? undefined : after }, ctx.now);
  noteAct(tx, caller, { subject: `endpoint:${endpoint_key}`, action: 'send_events_again', reason }, ctx.now);
  return { body: { done: true } };
};
