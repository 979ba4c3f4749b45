import type { z } from 'zod';
import type { Queries } from '../kernel/database.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Context } from '../runtime.ts';
import type { CallerFor } from './caller.ts';
import type { Operation } from './operation.ts';

/** A verb's answer, with its status if the operation has several. */
export type Reply<Output> = {
  status?: 200 | 201 | 202;
  headers?: Record<string, string>;
} & (
  | { body: Output }
  /** The exact JSON of the body, when it is kept as sent. */
  | { text: string }
);

/** Steps of a verb that calls a payment provider: transactions around the call, and the answer to keep. */
export interface Steps {
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Keeps the final answer under the idempotency key, in the transaction that records the fact. */
  remember(tx: Tx, reply: Reply<unknown>): void;
}

interface Call<Op extends Operation> {
  ctx: Context;
  caller: CallerFor<Op['audience'][number]>;
  input: z.output<Op['input']>;
}

type Given<Op extends Operation> = Op['effect'] extends 'read'
  ? { db: Queries }
  : Op['effect'] extends 'write'
    ? { tx: Tx }
    : { db: Queries; steps: Steps };

/** The code of an operation. The effect decides what it gets. */
export type Verb<Op extends Operation> = (call: Call<Op> & Given<Op>) => Promise<Reply<z.input<Op['output']>>>;
