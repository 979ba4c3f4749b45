import type Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { toText } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import type { Difference } from '../told.ts';
import { isOfFormer } from './account.ts';
import { attemptByKey, type CardAttempt } from './attempt.ts';
import { lookAtDispute, stands } from './disputes.ts';
import { lookAtIntent, lookAtRefund } from './intents.ts';
import { bookPassed } from './movements.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, fromCents, idOf } from './provider.ts';

/** What is compared: the provider's charges, refunds and disputes, and our rows of each. */

/** One comparison with the provider's books. */
export interface Look {
  readonly process: Process;
  readonly provider: CardProvider;
  readonly tell: Tell<CardAttempt, CardProof>;
}

/** Objects of one kind, theirs and ours. */
export interface Compared<T extends { id: string }> {
  readonly kind: 'charge' | 'refund' | 'dispute';
  /** Newest first, page by page. */
  list(params: { limit: number; created: { gte: number; lte: number } }): AsyncIterable<T>;
  retrieve(id: string): PromiseLike<T>;
  /** The ids of our rows in this period, and of those that can still change. */
  ours(since: Date, until: Date): Promise<string[]>;
  /** Handles an object of the provider's like an event. */
  lookInto(theirs: T): Promise<void>;
  /** The difference that remains. Null when both agree, or the object is not ours. */
  judge(id: string, theirs: T | null): Promise<Pick<Difference, 'ours' | 'theirs'> | null>;
}

const idColumns = { charge: 'charge_id', refund: 'provider_refund_id', dispute: 'dispute_id' } as const;
const ofFormer = (column: string): string => `
  select from card_charges c left join refunds using (intent_id) left join card_disputes using (intent_id)
  where ${column} = $1 and ${isOfFormer('c')} limit 1`;

/** Whether an object of ours is of a charge at a former account, of which the one in use shows nothing. */
export async function isElsewhere(db: Queries, kind: keyof typeof idColumns, id: string): Promise<boolean> {
  return (await db.maybe(statement(ofFormer(idColumns[kind]), [id]))) !== undefined;
}

/** Charges that succeeded, with their fees. */
export function chargesOf({ process, provider, tell }: Look): Compared<Stripe.Charge> {
  const { db } = process;
  const { charges } = provider.stripe;
  const read = (id: string) =>
    db.maybe<{ amount_microcents: bigint; fee_microcents: bigint }>(sql`
      select amount_microcents, fee_microcents from card_charges where charge_id = ${id}`);
  return {
    kind: 'charge',
    list: (params) => charges.list({ ...params, expand: ['data.balance_transaction'] }),
    retrieve: (id) => charges.retrieve(id, { expand: ['balance_transaction'] }),
    async ours(since, until) {
      const rows = await db.many<{ charge_id: string }>(sql`
        select charge_id from card_charges where seen_at between ${since} and ${until}`);
      return rows.map(({ charge_id }) => charge_id);
    },
    async lookInto(theirs) {
      const intentId = idOf(theirs.payment_intent);
      if (!isOurs(theirs) || !intentId || (await read(theirs.id))) return;
      await lookAtIntent(process, provider, intentId, tell);
      if (theirs.refunded && !(await read(theirs.id))) await bookPassed(process, theirs);
    },
    async judge(id, theirs) {
      const ours = await read(id);
      if (!ours) {
        if (!theirs || !isOurs(theirs) || theirs.refunded) return null;
        const attempt = await attemptByKey(db, theirs.metadata.payment_key ?? '');
        return {
          ours: null,
          theirs: `${chargeText(theirs)}${attempt ? '' : ', of a purchase that is not known here'}`,
        };
      }
      const fee = theirs && feeOf(theirs) !== null ? `, fee ${toText(ours.fee_microcents)}` : '';
      return differing(`${toText(ours.amount_microcents)}${fee}`, theirs && chargeText(theirs));
    },
  };
}

/** The account may sell other things: only our payments carry our key. */
function isOurs({ status, metadata }: Stripe.Charge): boolean {
  return status === 'succeeded' && metadata.payment_key !== undefined;
}

function feeOf({ balance_transaction: booked }: Stripe.Charge): bigint | null {
  return booked && typeof booked !== 'string' ? fromCents(booked.fee) : null;
}

function chargeText(charge: Stripe.Charge): string {
  const fee = feeOf(charge);
  return `${toText(fromCents(charge.amount))}${fee === null ? '' : `, fee ${toText(fee)}`}`;
}

/** Refunds of our charges: each goes back once, in full. */
export function refundsOf({ process, provider, tell }: Look): Compared<Stripe.Refund> {
  const { db } = process;
  const { refunds } = provider.stripe;
  return {
    kind: 'refund',
    list: (params) => refunds.list(params),
    retrieve: (id) => refunds.retrieve(id),
    async ours(since, until) {
      const rows = await db.many<{ provider_refund_id: string }>(sql`
        select provider_refund_id from refunds
        where state = 'refunded' and provider_refund_id is not null and decided_at between ${since} and ${until}`);
      return rows.map(({ provider_refund_id }) => provider_refund_id);
    },
    lookInto: (theirs) => lookAtRefund(process, provider, theirs, tell),
    async judge(id, theirs) {
      const intentId = theirs && idOf(theirs.payment_intent);
      const ours = await db.maybe<{ state: string; provider_refund_id: string | null; amount_microcents: bigint }>(sql`
        select case when state = 'refund_failed' and ${theirs?.status !== 'succeeded'}::boolean then 'refund_pending' else state
          end as state, provider_refund_id, amount_microcents
        from refunds
        where provider_refund_id = ${id} or intent_id = ${intentId}
        order by provider_refund_id = ${id} desc nulls last limit 1`);
      const isGone = theirs !== null && ['failed', 'canceled'].includes(theirs.status ?? '');
      const isOurs = ours?.provider_refund_id === id;
      if (!ours) {
        const charge = await db.maybe(sql`select intent_id from card_charges where intent_id = ${intentId}`);
        return theirs && charge && !isGone ? { ours: null, theirs: refundText(theirs) } : null;
      }
      const standing = isGone ? null : theirs;
      if (agrees(ours, standing, isOurs) || (standing && (await isPart(standing, refunds, ours)))) return null;
      const by = ours.provider_refund_id && !isOurs ? ` as ${ours.provider_refund_id}` : '';
      return {
        ours: `${toText(ours.amount_microcents)} ${ours.state}${by}`,
        theirs: theirs && refundText(theirs),
      };
    },
  };
}

/** Whether our row says of a refund what the provider does; `standing` is theirs unless it failed or is not there. */
function agrees(
  ours: { state: string; amount_microcents: bigint },
  standing: Stripe.Refund | null,
  isOurs: boolean,
): boolean {
  const isDone = ours.state === 'refunded' && isOurs;
  if (standing === null) return !isDone;
  // One in flight here is proven by the next try.
  return fromCents(standing.amount) === ours.amount_microcents && (isDone || ours.state === 'refund_pending');
}

/** Whether it is one of several parts of a refund that was carried out, which somebody may have begun by hand. */
async function isPart(
  { amount: part, payment_intent }: Stripe.Refund,
  refunds: Stripe['refunds'],
  ours: { state: string; amount_microcents: bigint },
): Promise<boolean> {
  const intentId = idOf(payment_intent);
  if (ours.state !== 'refunded' || intentId === null || fromCents(part) >= ours.amount_microcents) return false;
  const { data } = await refunds.list({ payment_intent: intentId, limit: 100 });
  const back = data.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  return fromCents(back.reduce((sum, { amount }) => sum + amount, 0)) === ours.amount_microcents;
}

const refundText = ({ amount, status }: Stripe.Refund): string => `${toText(fromCents(amount))} ${status}`;

/** Disputes of our charges, with what bank and provider took. Open ones are compared until they end. */
export function disputesOf({ process, provider, tell }: Look): Compared<Stripe.Dispute> {
  const { db } = process;
  const { disputes } = provider.stripe;
  return {
    kind: 'dispute',
    list: (params) => disputes.list(params),
    retrieve: (id) => disputes.retrieve(id),
    async ours(since, until) {
      const rows = await db.many<{ dispute_id: string }>(sql`
        select dispute_id from card_disputes where outcome is null or opened_at between ${since} and ${until}`);
      return rows.map(({ dispute_id }) => dispute_id);
    },
    lookInto: (theirs) => lookAtDispute(process, provider, theirs, tell),
    async judge(id, theirs) {
      const ours = await db.maybe<{ outcome: string | null; withdrawn_microcents: bigint; fee_microcents: bigint }>(sql`
        select outcome, withdrawn_microcents, fee_microcents from card_disputes where dispute_id = ${id}`);
      if (ours) {
        const { outcome, withdrawn_microcents: withdrawn, fee_microcents: fee } = ours;
        return differing(disputeText(outcome, withdrawn, fee), theirs && standingOf(theirs));
      }
      const intentId = theirs && idOf(theirs.payment_intent);
      const payment = await db.maybe(sql`
        select payment_key from card_charges where intent_id = ${intentId}
        union all select payment_key from card_payments where intent_id = ${intentId}`);
      return theirs && payment ? { ours: null, theirs: standingOf(theirs) } : null;
    },
  };
}

function standingOf({ status, balance_transactions: moved }: Stripe.Dispute): string {
  const outcome = stands.includes(status) ? 'won' : status === 'lost' ? 'lost' : null;
  const withdrawn = -moved.reduce((sum, { amount }) => sum + amount, 0);
  const fee = moved.reduce((sum, one) => sum + one.fee, 0);
  return disputeText(outcome, fromCents(Math.max(withdrawn, 0)), fromCents(Math.max(fee, 0)));
}

function disputeText(outcome: string | null, withdrawn: bigint, fee: bigint): string {
  return `${outcome ?? 'open'}, ${toText(withdrawn)} withdrawn, fee ${toText(fee)}`;
}

function differing(ours: string, theirs: string | null) {
  return ours === theirs ? null : { ours, theirs };
}
