import { after } from '../../kernel/clock.ts';
import { log } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import type { CardAttempt } from './attempt.ts';
import { lookAtDispute } from './disputes.ts';
import { lookAtIntent } from './intents.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, fromCents, idOf } from './provider.ts';

/**
 * Holds the provider's books against ours: every charge, refund and dispute since a while before the last look. What only
 * they show is looked into like an event; what still differs at the next look is kept for operators.
 */

const everySeconds = 300;
/** What is young may still be on its way into our books. */
const youngSeconds = 120;
/** So far back each look goes: longer than any charge or refund is on its way. */
const overlapSeconds = 3 * 86_400;
const pageSize = 100;
const pagesMax = 50;

interface Difference {
  objectId: string;
  kind: 'charge' | 'refund' | 'dispute';
  detail: string;
}

export async function compareBooks(
  process: Process,
  provider: CardProvider,
  tell: Tell<CardAttempt, CardProof>,
): Promise<void> {
  const { db, clock } = process;
  const now = clock();
  const turn = await db.maybe(sql`
    insert into card_searches (list, searched_to, searched_at) values ('books', ${now}, ${now})
    on conflict (list) do update set searched_at = excluded.searched_at, searched_to = excluded.searched_to
    where card_searches.searched_at <= ${after(now, -everySeconds)}
    returning list`);
  if (!turn) return;
  const since = Math.floor(after(now, -overlapSeconds).getTime() / 1_000);
  const until = Math.floor(after(now, -youngSeconds).getTime() / 1_000);
  const differences = [
    ...(await compareCharges(process, provider, { since, until }, tell)),
    ...(await compareRefunds(process, provider, { since, until })),
    ...(await compareDisputes(process, provider, { since, until }, tell)),
  ];
  await keepDifferences(process, differences, now);
}

interface Span {
  since: number;
  until: number;
}

/** Every object of a list of the provider, newest first. */
async function* pages<T extends { id: string }>(
  list: (params: { limit: number; starting_after?: string }) => PromiseLike<{ data: T[]; has_more: boolean }>,
): AsyncGenerator<T> {
  let last: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, has_more } = await list({ limit: pageSize, ...(last ? { starting_after: last } : {}) });
    yield* data;
    last = data.at(-1)?.id;
    if (!has_more) return;
  }
}

async function compareCharges(
  process: Process,
  provider: CardProvider,
  { since, until }: Span,
  tell: Tell<CardAttempt, CardProof>,
): Promise<Difference[]> {
  const found: Difference[] = [];
  const charges = pages((page) => provider.stripe.charges.list({ created: { gte: since, lte: until }, ...page }));
  for await (const charge of charges) {
    const intentId = idOf(charge.payment_intent);
    if (charge.status !== 'succeeded' || !intentId || !charge.metadata.payment_key) continue;
    const read = () =>
      process.db.maybe<{ amount_microcents: bigint }>(sql`
        select amount_microcents from card_charges where charge_id = ${charge.id}`);
    let ours = await read();
    if (!ours) {
      await lookAtIntent(process, provider, intentId, tell);
      ours = await read();
    }
    if (ours?.amount_microcents === fromCents(charge.amount)) continue;
    found.push({ objectId: charge.id, kind: 'charge', detail: ours ? 'of another amount' : 'not in our books' });
  }
  return found;
}

async function compareRefunds({ db }: Process, provider: CardProvider, { since, until }: Span): Promise<Difference[]> {
  const found: Difference[] = [];
  const refunds = pages((page) => provider.stripe.refunds.list({ created: { gte: since, lte: until }, ...page }));
  for await (const refund of refunds) {
    const intentId = idOf(refund.payment_intent);
    const charge = await db.maybe(sql`select intent_id from card_charges where intent_id = ${intentId}`);
    if (!charge || refund.status === 'failed' || refund.status === 'canceled') continue;
    const ours = await db.maybe<{ state: string; amount_microcents: bigint }>(sql`
      select state, amount_microcents from refunds where intent_id = ${intentId}`);
    const agrees = ours?.amount_microcents === fromCents(refund.amount) && ours.state !== 'refund_failed';
    if (agrees) continue;
    found.push({
      objectId: refund.id,
      kind: 'refund',
      detail: ours ? `ours is ${ours.state}` : 'we owe no refund of this charge',
    });
  }
  return found;
}

async function compareDisputes(
  process: Process,
  provider: CardProvider,
  { since, until }: Span,
  tell: Tell<CardAttempt, CardProof>,
): Promise<Difference[]> {
  const found: Difference[] = [];
  const disputes = pages((page) => provider.stripe.disputes.list({ created: { gte: since, lte: until }, ...page }));
  for await (const dispute of disputes) {
    await lookAtDispute(process, provider, dispute, tell).catch((error) => {
      found.push({ objectId: dispute.id, kind: 'dispute', detail: (error as Error).message });
    });
  }
  return found;
}

/** Keeps what differs, and notes of what was kept before that it agrees by now. */
async function keepDifferences({ db }: Process, differences: Difference[], now: Date): Promise<void> {
  for (const { objectId, kind, detail } of differences) {
    log('card_books_differ', { object_id: objectId, kind, detail });
    await db.many(sql`
      insert into card_differences (object_id, kind, detail, seen_at) values (${objectId}, ${kind}, ${detail}, ${now})
      on conflict (object_id, kind) do update set detail = excluded.detail, settled_at = null`);
  }
  await db.many(sql`
    update card_differences set settled_at = ${now}
    where settled_at is null and not (object_id = any(${differences.map(({ objectId }) => objectId)}::text[]))`);
}
