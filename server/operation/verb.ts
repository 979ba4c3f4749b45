import type { z } from 'zod';
import type { Queries } from '../kernel/database.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Context } from '../runtime.ts';
import type { CallerFor } from './caller.ts';
import type { Operation, ReadName } from './operation.ts';
import type { About } from './rate-limit.ts';

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

/** An operation that loads something with its buyer. */
type Reading = { readonly reads: ReadName };

type Call<Op extends Operation, Loaded> = {
  ctx: Context;
  caller: CallerFor<Op['audience'][number]>;
  input: z.output<Op['input']>;
} & (Op extends Reading ? { loaded: Loaded } : unknown);

type Given<Op extends Operation> = Op['effect'] extends 'read'
  ? { db: Queries }
  : Op['effect'] extends 'write'
    ? { tx: Tx }
    : { db: Queries; steps: Steps };

/** The code of an operation. The effect decides what it gets; `loaded` is there only if the operation `reads`. */
export type Verb<Op extends Operation, Loaded = never> = (
  call: Call<Op, Loaded> & Given<Op>,
) => Promise<Reply<z.input<Op['output']>>>;

/** Loads what an operation reads in the statement that finds its buyer. */
export interface Loader<Name extends ReadName, Loaded> {
  readonly name: Name;
  /** What to select; `path` holds the path keys. */
  about(ctx: Context, path: readonly string[]): About;
  /** Converts what was found for the verb. */
  unpack(found: unknown): Loaded;
  /** For the verb when nothing was loaded: for a member, and on a second run. */
  absent(): Loaded;
}

/** A verb with its loader. */
export interface Loading<Name extends ReadName, V> {
  readonly loader: Loader<Name, unknown>;
  readonly verb: V;
}

/** Pairs a verb with its loader; both must agree on what is loaded. */
export function loading<Name extends ReadName, Request extends { loaded: unknown }, Answer>(
  loader: Loader<Name, Request['loaded']>,
  verb: (call: Request) => Answer,
): Loading<Name, (call: Request) => Answer> {
  return { loader, verb };
}

/** An operation's verb, with a loader exactly where the operation `reads`. */
export type Behind<Op extends Operation> = Op extends Reading ? Loading<Op['reads'], Verb<Op>> : Verb<Op>;
