import type { FaultQueue, Times } from '../fault-queue.ts';
import type { Clock } from './clock.ts';
import type { Store } from './store.ts';

/** What the next payment or refund comes to, instead of what its card says. */
export interface Outcome {
  readonly of: 'payment' | 'refund';
  /** A payment is `processing`, a refund `pending`, until it is settled over the control port. */
  readonly times: Times;
}

/** What every endpoint works with. */
export interface Provider {
  readonly store: Store;
  readonly clock: Clock;
  /** The address of the hosted pages. */
  readonly origin: string;
  readonly outcomes: FaultQueue<Outcome>;
  /** The request that is being served; events name it. */
  cause: Cause;
  /** Sends an event that has just been stored on its way. */
  deliver(eventId: string): void;
}

export interface Cause {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

export const NOBODY: Cause = { id: null, idempotency_key: null };
