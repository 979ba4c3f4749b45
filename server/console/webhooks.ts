import type { Queries } from '../kernel/database.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { hearAgain as hearEventAgain } from '../payments/card/events.ts';
import { railOf } from '../payments/rail.ts';
import { Problem } from '../problems/problem.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/records.ts';
import { openedBy } from './opened.ts';
import { wired } from './wire.ts';

interface EventRow {
  event_key: string;
  type: string;
  object_key: string;
  created_at: Date;
  received_at: Date;
  handled_at: Date | null;
  tries: number;
  next_try_at: Date;
  failure: string | null;
}

/** Those that wait are few, and found by an index of their own. */
const eventsWhere = (condition: string): string => `
  select event_id as event_key, type, object_id as object_key, created_at, received_at, handled_at, tries, next_try_at,
    failure
  from card_events where (received_at, event_id) < ($1::timestamptz, $2) ${condition}
  order by received_at desc, event_id desc limit $3`;
const allEvents = eventsWhere('');
const waitingEvents = eventsWhere('and handled_at is null');

export const consoleWebhooks: Verb<typeof contract.consoleWebhooks> = async ({ input, db }) => {
  const { waiting, after, limit } = input;
  const behind = after === null ? null : await receivedAt(db, after);
  const page = [behind ?? new Date('9999-01-01'), after ?? '', limit + 1];
  const rows = await db.many<EventRow>(statement(waiting ? waitingEvents : allEvents, page));
  const lag = await db.one<{ waiting: number; oldest_at: Date | null }>(sql`
    select count(*)::int as waiting, min(received_at) as oldest_at from card_events where handled_at is null`);
  const shown = rows.slice(0, limit);
  return {
    body: {
      events: shown.map(wired),
      next_after: rows.length > limit ? (shown.at(-1)?.event_key ?? null) : null,
      waiting: lag.waiting,
      oldest_at: lag.oldest_at?.toISOString() ?? null,
    },
  };
};

async function receivedAt(db: Queries, eventKey: string): Promise<Date> {
  const row = await db.maybe<{ received_at: Date }>(sql`
    select received_at from card_events where event_id = ${eventKey}`);
  if (!row) throw unknownEvent();
  return row.received_at;
}

const unknownEvent = () => new Problem('not_found', 'No event has this id.');

export const hearAgain: Verb<typeof contract.hearAgain> = async ({ ctx, caller, input, tx }) => {
  const { event_key, reason } = input;
  if (!(await hearEventAgain(tx, event_key, ctx.now))) throw unknownEvent();
  noteAct(tx, caller, { subject: event_key, action: 'hear_again', reason }, ctx.now);
  return { body: { done: true } };
};

export const openWebhook: Verb<typeof contract.openWebhook> = async ({ ctx, caller, input, tx }) => {
  const { event_key, reason } = input;
  await receivedAt(tx, event_key);
  noteAct(tx, caller, { subject: event_key, action: 'open_webhook', reason }, ctx.now);
  return { body: { done: true } };
};

/** Payloads are not stored: ask the provider, who keeps them for 30 days. */
export const readWebhook: Verb<typeof contract.readWebhook> = async ({ ctx, caller, input, db }) => {
  const { event_key } = input;
  await receivedAt(db, event_key);
  const opened = await openedBy(db, caller, { act: 'open_webhook', subject: event_key }, ctx.now);
  if (!opened) throw new Problem('action_not_allowed', 'Give a reason for reading the payload first.');
  const { announcement } = railOf(ctx.runtime.rails, { rail: 'card' });
  if (!announcement) throw new Problem('service_unavailable', 'The card provider is not configured here.');
  const payload = await announcement(event_key).catch(() => {
    throw new Problem('service_unavailable', 'The card provider does not answer. Try again.');
  });
  return { body: { ...opened, payload } };
};
