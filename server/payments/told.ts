import type { Network } from '../configuration/networks.ts';
import type { Queries } from '../kernel/database.ts';
import type { Sql } from '../kernel/sql.ts';

/** Rows listed at most; beyond that, a count. */
export const toldMax = 100;

/** Open longer than this: an operator looks. */
export const operatorAfterSeconds = 3_600;

/** Rows of one kind, the oldest first, and how many there are in all. */
export interface Told<Row> {
  rows: Row[];
  total: number;
}

/** A chain: our balance at the last searched block, and what the books say of that block. */
export interface ChainBooks {
  network: string;
  searched_to: bigint;
  /** The newest block a search has seen. */
  head: bigint;
  searched_at: Date;
  /** Null when the node could not say. */
  balance_microcents: bigint | null;
  ledger_microcents: bigint;
}

/** The card provider's balance at the last comparison, and the books at that time. */
export interface CardBooks {
  searched_at: Date;
  balance_microcents: bigint;
  ledger_microcents: bigint;
}

/** A transfer that matches no payment or refund. Only an operator settles it. */
export interface OpenTransfer {
  seen_at: Date;
  amount_microcents: bigint;
  network: string;
  /** The other side of the transfer. */
  other: string;
  transaction: string;
  position: number;
  /** The arrival that its nonce gives back, although the database has no such refund: `transaction position`. */
  gives_back: string | null;
}

/** A payment with an unknown outcome. */
export interface OpenPayment {
  payment_key: string;
  job_key: string;
  created_at: Date;
  amount_microcents: bigint;
  /** `card` for one that is on no chain. */
  network: string;
  /** The address that pays, or the account whose card is charged. */
  payer: string;
}

/** What an unfinished refund waits for. */
export type RefundWait =
  /** An operator: there is no automatic retry. */
  | 'person'
  /** The bank that contests the payment. */
  | 'dispute'
  /** The arrival, which its chain no longer shows. */
  | 'arrival'
  /** The arrival, which is not final yet. */
  | 'finality'
  /** A sent transfer back that may still be carried out. */
  | 'transfer'
  /** The next try. */
  | 'try';

/** Money owed back. `refund_failed` is not retried. */
export interface OpenRefund {
  refund_key: string;
  /** Null when it was no payment. */
  job_key: string | null;
  state: 'refund_pending' | 'refund_failed';
  created_at: Date;
  tries: number;
  amount_microcents: bigint;
  /** `card` for one that is on no chain. */
  network: string;
  /** The address that paid, or the account whose card was charged. */
  payer: string;
  waits_for: RefundWait;
  failure: string | null;
}

/** `card`, or the network of a chain. */
export type Book = 'card' | Network;

/** An object that both books should agree on. */
export interface Difference {
  readonly kind: 'charge' | 'refund' | 'dispute' | 'balance';
  /** Its id at the provider; the currency of a balance. */
  readonly object_id: string;
  /** What each side says of it; null where it knows of no such thing. */
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** A difference as operators see it. */
export interface KeptDifference extends Difference {
  readonly book: Book;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
}

/** Money that waits for somebody. */
export interface Waiting {
  chains: ChainBooks[];
  /** Null before the first comparison with the card provider. */
  card: CardBooks | null;
  /** Differences between the books and a provider or a chain. */
  differences: Told<KeptDifference>;
  arrivals: Told<OpenTransfer>;
  departures: Told<OpenTransfer>;
  /** Open for over an hour: an operator must look. */
  unknown: Told<OpenPayment>;
  payments: Told<OpenPayment>;
  refunds: Told<OpenRefund>;
}

/** Reads a list with its length: each row has `total`. */
export async function told<Row>(db: Queries, statement: Sql): Promise<Told<Row>> {
  const rows = await db.many<Row & { total: bigint }>(statement);
  return { rows: rows.map(({ total: _, ...row }) => row as Row), total: Number(rows[0]?.total ?? 0n) };
}
