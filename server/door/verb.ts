import type { z } from 'zod';
import type { CallerFor } from '../identity/caller.ts';
import type { Queries } from '../kernel/database.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Context } from '../runtime.ts';
import type { Operation, ReadName } from './operation.ts';
import type { About } from './rate-limit.ts';

/** What a verb answers, and the status where the operation has more than one. */
export type Reply<Output> = {
  status?: 200 | 201 | 202;
  headers?: Record<string, string>;
} & (
  | { body: Output }
  /** The exact JSON of the body, where it was made by the contract and is kept as it went out. */
  | { text: string }
);

/** The steps of a verb that calls a payment provider: transactions before and after, and the answer to keep. */
export interface Steps {
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Keeps the final answer under the request's key, in the transaction that records the fact. */
  remember(tx: Tx, reply: Reply<unknown>): void;
}

/** An operation that says what it wants read with its buyer. */
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

/**
 * The code behind an operation. What it is given follows from the operation's effect; `loaded` is there only where the
 * operation says what it `reads`.
 */
export type Verb<Op extends Operation, Loaded = never> = (
  call: Call<Op, Loaded> & Given<Op>,
) => Promise<Reply<z.input<Op['output']>>>;

/** Reads what an operation wants, in the statement that finds its buyer: one round trip for both. */
export interface Loader<Name extends ReadName, Loaded> {
  readonly name: Name;
  /** What to select; `path` holds the keys of the request's address. */
  about(ctx: Context, path: readonly string[]): About;
  /** What was found, as the verb is given it. */
  unpack(found: unknown): Loaded;
  /** What the verb is given where nothing was read with the caller: for a member, and when it is done again. */
  absent(): Loaded;
}

/** A verb with the loader it takes. */
export interface Loading<Name extends ReadName, V> {
  readonly loader: Loader<Name, unknown>;
  readonly verb: V;
}

/** Puts a verb beside its loader; the two must agree on what is loaded. */
export function loading<Name extends ReadName, Request extends { loaded: unknown }, Answer>(
  loader: Loader<Name, Request['loaded']>,
  verb: (call: Request) => Answer,
): Loading<Name, (call: Request) => Answer> {
  return { loader, verb };
}

/** What stands behind an operation: its verb, with a loader exactly where the operation reads something. */
export type Behind<Op extends Operation> = Op extends Reading ? Loading<Op['reads'], Verb<Op>> : Verb<Op>;
