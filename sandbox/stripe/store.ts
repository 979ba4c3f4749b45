// The provider's objects by kind and id, in order of creation; kept in a file of changes.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type Stripe from 'stripe';
import type { Delivery, Due, SavedAnswer } from './records.ts';

/** The private part of a payment method: its number and history. */
export interface CardFacts {
  readonly id: string;
  readonly number: string;
  /** Whether its holder authenticated it for off-session payments. */
  readonly setUp: boolean;
  /** Whether it has paid without a customer: such a card pays once. */
  readonly used: boolean;
}

/** The parameters of the payment intent that a checkout session will create. */
export interface SessionFacts {
  readonly id: string;
  readonly items: readonly { name: string; description: string | null; unitAmount: number; quantity: number }[];
  readonly intent: {
    readonly metadata?: Record<string, string>;
    readonly description?: string;
    readonly setup_future_usage?: 'off_session' | 'on_session';
    readonly statement_descriptor_suffix?: string;
    readonly receipt_email?: string;
  };
  readonly asksHolder: boolean;
}

/** The kinds, as `object` names them, then the private ones. */
export interface Kinds {
  customer: Stripe.Customer;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  'radar.early_fraud_warning': Stripe.Radar.EarlyFraudWarning;
  balance_transaction: Stripe.BalanceTransaction;
  event: Stripe.Event;
  'checkout.session': Stripe.Checkout.Session;
  card: CardFacts;
  session_facts: SessionFacts;
  answer: SavedAnswer;
  due: Due;
  delivery: Delivery;
  clock: { readonly id: 'clock'; readonly ahead: number };
}

export type Kind = keyof Kinds;

export interface Store {
  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined;
  /** Newest first. */
  list<K extends Kind>(kind: K): Kinds[K][];
  /** Adds or replaces an object. Earlier reads keep their copy. */
  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K];
  remove(kind: Kind, id: string): void;
  /** An object of any kind with this id. */
  find(id: string): object | undefined;
  /** Writes the changes since the last time to disk. */
  save(): void;
}

/** Opens the store of a JSON-lines file, or one in memory. */
export function openStore(file?: string): Store {
  const tables = new Map<string, Map<string, { id: string }>>();
  let unsaved: string[] = [];

  const table = (kind: string) => {
    const found = tables.get(kind) ?? new Map<string, { id: string }>();
    tables.set(kind, found);
    return found;
  };
  const change = (kind: string, id: string, object: { id: string } | null) => {
    if (object) table(kind).set(id, object);
    else table(kind).delete(id);
  };
  const line = (kind: string, id: string, object: unknown) => `${JSON.stringify([kind, id, object])}\n`;

  if (file) {
    mkdirSync(dirname(file), { recursive: true });
    for (const [kind, id, object] of readChanges(file)) change(kind, id, object);
    const whole = [...tables].flatMap(([kind, rows]) => [...rows].map(([id, object]) => line(kind, id, object)));
    writeFileSync(`${file}.new`, whole.join(''));
    renameSync(`${file}.new`, file);
  }

  return {
    get: <K extends Kind>(kind: K, id: string) => table(kind).get(id) as Kinds[K] | undefined,
    list: <K extends Kind>(kind: K) => [...table(kind).values()].reverse() as Kinds[K][],
    put: (kind, object) => {
      change(kind, object.id, object);
      unsaved.push(line(kind, object.id, object));
      return object;
    },
    remove: (kind, id) => {
      change(kind, id, null);
      unsaved.push(line(kind, id, null));
    },
    find: (id) => [...tables.values()].map((rows) => rows.get(id)).find((row) => row && 'object' in row),
    save: () => {
      if (file && unsaved.length > 0) appendFileSync(file, unsaved.join(''));
      unsaved = [];
    },
  };
}

/** Drops a line that a crash cut short. */
function readChanges(file: string): [kind: string, id: string, object: { id: string } | null][] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return [JSON.parse(text)];
      } catch {
        return [];
      }
    });
}
