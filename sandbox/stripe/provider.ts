import type { FaultQueue, Times } from '../fault-queue.ts';
import type { Clock } from './clock.ts';
import type { Store } from './store.ts';

/** The result of the next payment or refund, instead of the card's. */
export interface Outcome {
  readonly of: 'payment' | 'refund';
  /** A payment is `processing`, a refund `pending`, until settled by the control port. */
  readonly times: Times;
}

/** The context of every endpoint. */
export interface Provider {
  readonly store: Store;
  readonly clock: Clock;
  /** The address of the hosted pages. */
  readonly origin: string;
  readonly outcomes: FaultQueue<Outcome>;
  /** The current request; events name it. */
  cause: Cause;
  /** Sends an event that was just stored. */
  deliver(eventId: string): void;
}

export interface Cause {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

export const NOBODY: Cause = { id: null, idempotency_key: null };
