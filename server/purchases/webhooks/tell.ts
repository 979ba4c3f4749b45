import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordEvent } from '../../identity/account-event.ts';
import { after } from '../../kernel/clock.ts';
import { fetchPublic } from '../../kernel/public-fetch.ts';
import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { daySeconds, seconds } from '../../service/terms.ts';
import { type EventRow, eventsAfter, eventView, type Place } from '../lists/events.ts';
import { secretOf } from './endpoints.ts';

/** Endpoints told at once, those of one account among them, and events told to one before others have their turn. */
const atOnce = 50;
const atOnceOfOne = 2;
const eventsAtOnce = 20;
/** A round waits no longer for its endpoints: the slow ones go on beside the next rounds. */
const roundMs = 1_000;
/** When to look again for events of an endpoint that has taken all. */
const lookAgainSeconds = 2;
/** Longer than all of a turn takes: another worker takes over from one that died. */
const turnSeconds = 300;
const answerMs = 10_000;
/** A slow endpoint gives way to others after so long. */
const turnMs = 15_000;
/** An endpoint whose turn took longer rests as long again. */
const slowMs = 2_000;
const firstPauseSeconds = 5;
const longestPauseSeconds = 6 * 3_600;
/** An event that was not taken for so long is passed over. */
export const triesSeconds = 3 * daySeconds;
/** After so long, the members hear of it. */
const warnSeconds = daySeconds;

interface Endpoint {
  endpoint_key: string;
  account_key: string;
  url: string;
  secret: string;
  told_transaction: bigint;
  told_purchase: string;
  told_sequence: number;
  tries: number;
  failing_since: Date | null;
}

/** Sends a request to an address that a stranger named. */
type Send = (
  url: string,
  request: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<{ status: number; body?: { cancel(): Promise<void> } | null }>;

/** The turns under way in this process, with the account of each. */
const underWay = new Map<Promise<void>, string>();

/**
 * Tells each endpoint that is due of its account's next events, in order, at least once. One that does not take an
 * event is tried again after growing pauses; an event that it has not taken for `triesSeconds` is passed over, and
 * stays in the list of events. Two endpoints of an account are told at once, so that slow ones keep no other account
 * waiting, and those that fail have their turn last.
 */
export async function tellEndpoints(runtime: Runtime, send: Send = fetchPublic): Promise<void> {
  const now = runtime.clock();
  const owners = [...underWay.values()];
  const due = await runtime.db.many<Endpoint>(sql`
    with due as (
      select endpoint_key, tries > 0 as is_failing, next_try_at as since,
        row_number() over (partition by account_key order by next_try_at)
          + (select count(*) from unnest(${owners}::text[]) owner where owner = account_key) as place
      from webhook_endpoints where next_try_at <= ${now} and removed_at is null)
    update webhook_endpoints set next_try_at = ${after(now, turnSeconds)}
    where endpoint_key in (
      select endpoint_key from webhook_endpoints join due using (endpoint_key)
      where place <= ${atOnceOfOne} and next_try_at <= ${now} and removed_at is null
      order by is_failing, since limit ${Math.max(0, atOnce - owners.length)}
      for update of webhook_endpoints skip locked)
    returning endpoint_key, account_key, url, secret, told_transaction, told_purchase, told_sequence, tries,
      failing_since`);
  const turns = due.map((endpoint) => {
    const turn = guarded('webhooks_not_told', { endpoint_key: endpoint.endpoint_key }, () =>
      tell(runtime, endpoint, send),
    ).finally(() => underWay.delete(turn));
    underWay.set(turn, endpoint.account_key);
    return turn;
  });
  const roundOver = new AbortController();
  await Promise.race([
    Promise.all(turns),
    sleep(roundMs, undefined, { signal: AbortSignal.any([roundOver.signal, runtime.stopping]) }).catch(() => {}),
  ]);
  roundOver.abort();
}

/** Resolves once no endpoint is being told; soon after the runtime began to stop. */
export async function turnsEnded(): Promise<void> {
  await Promise.all(underWay.keys());
}

async function tell(runtime: Runtime, endpoint: Endpoint, send: Send): Promise<void> {
  const { db, clock, configuration, stopping } = runtime;
  const owner = { column: 'account_key', key: endpoint.account_key } as const;
  const since = after(clock(), -seconds.events);
  const rows = await eventsAfter(db, owner, placeIn(endpoint), { since, limit: eventsAtOnce });
  const secret = unseal(endpoint.secret, configuration.keyring, secretOf(endpoint.endpoint_key));
  let from = placeIn(endpoint);
  const began = performance.now();
  let told = 0;
  for (const row of rows) {
    if (stopping.aborted || performance.now() - began > turnMs) break;
    const failure = await failureOf(send, endpoint.url, { ...signed(row, secret, clock()), signal: stopping });
    // Perhaps it heard: another worker tells it again.
    if (failure !== null && stopping.aborted) break;
    const isFirst = row === rows[0];
    const since = isFirst ? endpoint.failing_since : null;
    if (failure !== null && !isOver(since, clock())) {
      const tries = (isFirst ? endpoint.tries : 0) + 1;
      await noteFailure(runtime, endpoint, from, { failure, tries, since: since ?? clock() });
      return;
    }
    if (!(await noteTold(runtime, endpoint, { from, to: row }, failure))) return;
    from = row;
    told += 1;
  }
  const hasAll = told === rows.length && told < eventsAtOnce;
  const pause = stopping.aborted ? 0 : Math.max(restAfter(performance.now() - began), hasAll ? lookAgainSeconds : 0);
  await db.many(sql`
    update webhook_endpoints set next_try_at = ${after(clock(), pause)}
    where endpoint_key = ${endpoint.endpoint_key} and tries = ${told > 0 ? 0 : endpoint.tries}
      and told_transaction = ${from.transaction} and told_purchase = ${from.purchase_key}
      and told_sequence = ${from.sequence}`);
}

/** The pause of an endpoint in seconds, by how long its turn took. */
const restAfter = (tookMs: number): number => (tookMs > slowMs ? tookMs / 1_000 : 0);

const placeIn = (endpoint: Endpoint): Place => ({
  transaction: endpoint.told_transaction,
  purchase_key: endpoint.told_purchase,
  sequence: endpoint.told_sequence,
});

const isOver = (since: Date | null, now: Date): boolean => since !== null && after(since, triesSeconds) <= now;

/** An event as Standard Webhooks signs it: its key is the message's id, the same each time. */
function signed(row: EventRow, secret: string, now: Date): { headers: Record<string, string>; body: string } {
  const { type, at, ...data } = eventView(row);
  const body = JSON.stringify({ type, timestamp: at, data });
  const timestamp = Math.floor(now.getTime() / 1_000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${data.event_key}.${timestamp}.${body}`).digest('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': data.event_key,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
  };
}

/** Why the endpoint did not take it; null if it did. Says nothing of what an answer holds. */
async function failureOf(
  send: Send,
  url: string,
  { signal, ...message }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<string | null> {
  try {
    const given = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    const { status, body } = await send(url, { ...message, method: 'POST', signal: given });
    // Whatever it holds, and however long it is.
    await body?.cancel();
    return status >= 200 && status < 300 ? null : `It answered ${status}.`;
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'It did not answer in time.' : 'It could not be reached.';
  }
}

/** Moves the endpoint to behind an event, unless it was moved meanwhile. */
async function noteTold(
  { db, clock }: Runtime,
  { endpoint_key }: Endpoint,
  { from, to }: { from: Place; to: Place },
  failure: string | null,
): Promise<boolean> {
  const moved = await db.many(sql`
    update webhook_endpoints set told_transaction = ${to.transaction}, told_purchase = ${to.purchase_key},
      told_sequence = ${to.sequence}, tries = 0, failing_since = null, failure = null,
      told_at = case when ${failure}::text is null then ${clock()}::timestamptz else told_at end,
      warned_at = case when ${failure}::text is null then null else warned_at end
    where endpoint_key = ${endpoint_key} and removed_at is null and told_transaction = ${from.transaction}
      and told_purchase = ${from.purchase_key} and told_sequence = ${from.sequence}
    returning 1`);
  return moved.length > 0;
}

/** Once it has failed for `warnSeconds`, the members are told, once until it takes an event. */
async function noteFailure(
  { db, clock }: Runtime,
  endpoint: Endpoint,
  from: Place,
  { failure, tries, since }: { failure: string; tries: number; since: Date },
): Promise<void> {
  const pause = Math.min(firstPauseSeconds * 2 ** (tries - 1), longestPauseSeconds);
  const now = clock();
  const isLong = after(since, warnSeconds) <= now;
  await transact(db, async (tx) => {
    const noted = await tx.maybe<{ warns: boolean }>(sql`
      update webhook_endpoints set tries = ${tries}, failing_since = ${since}, failure = ${failure},
        next_try_at = ${after(now, pause)},
        warned_at = case when ${isLong}::boolean then coalesce(warned_at, ${now}) else warned_at end
      where endpoint_key = ${endpoint.endpoint_key} and removed_at is null and told_transaction = ${from.transaction}
        and told_purchase = ${from.purchase_key} and told_sequence = ${from.sequence}
      returning warned_at = ${now} as warns`);
    if (!noted?.warns) return;
    recordEvent(tx, {
      accountKey: endpoint.account_key,
      principalKey: null,
      actor: 'system',
      action: 'endpoint_failing',
      detail: { endpoint_key: endpoint.endpoint_key, host: new URL(endpoint.url).host, failure, since },
      at: now,
    });
  });
}
