// What the stand-in keeps besides the objects in its answers.

/** Something that happens by itself when due. */
export type Task =
  | 'expire_session'
  | 'open_dispute'
  | 'warn_of_fraud'
  | 'settle_refund'
  | 'fail_refund'
  | 'lose_dispute';

/** The answer kept for a key; `id` is the key. */
export interface SavedAnswer {
  readonly id: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  readonly request: string;
}

/** A scheduled task; `at` is in seconds since 1970. */
export interface Due {
  readonly id: string;
  readonly at: number;
  readonly task: Task;
  /** The id of its object. */
  readonly target: string;
}

/** The delivery of an event; `id` is the event's. Times are seconds since 1970. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly state: 'waiting' | 'withheld' | 'delivered' | 'lost' | 'given_up';
  readonly first_at: number;
  readonly next_at: number;
  readonly attempts: readonly { readonly at: number; readonly status: number | null }[];
}
