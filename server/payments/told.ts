import type { Queries } from '../kernel/database.ts';
import type { Sql } from '../kernel/sql.ts';

/** What of a list is told: more than a person reads at once says only how much more there is. */
export const toldMax = 100;

/** Rows of one kind, the oldest first, and how many there are in all. */
export interface Told<Row> {
  rows: Row[];
  total: number;
}

/** A chain: what we hold there by its own word, at the block that was searched last, and what the books say of that block. */
export interface ChainBooks {
  network: string;
  searched_to: bigint;
  /** The newest block that a search has seen. */
  head: bigint;
  searched_at: Date;
  /** Null when the node could not say. */
  balance_microcents: bigint | null;
  ledger_microcents: bigint;
}

/** A transfer to us that belongs to no payment, or one from us that no refund explains. Nothing settles it by itself. */
export interface OpenTransfer {
  seen_at: Date;
  amount_microcents: bigint;
  network: string;
  /** Who sent it to us, or got it from us. */
  other: string;
  transaction: string;
  position: number;
  /** The arrival that it gives back by its nonce, though the database knows of no such refund: `transaction position`. */
  gives_back: string | null;
}

/** A payment whose outcome nobody knows yet. */
export interface OpenPayment {
  payment_key: string;
  job_key: string;
  created_at: Date;
  amount_microcents: bigint;
  network: string;
  payer: string;
}

/** Money that is owed to who paid it. `refund_failed` is tried no more. */
export interface OpenRefund {
  refund_key: string;
  /** Null for what was no payment. */
  job_key: string | null;
  state: 'refund_pending' | 'refund_failed';
  created_at: Date;
  tries: number;
  amount_microcents: bigint;
  network: string;
  payer: string;
}

/** What about money waits for somebody, over one rail or over all. */
export interface Waiting {
  chains: ChainBooks[];
  arrivals: Told<OpenTransfer>;
  departures: Told<OpenTransfer>;
  /** Open for more than an hour: nobody says how they ended, so somebody has to look. */
  unknown: Told<OpenPayment>;
  payments: Told<OpenPayment>;
  refunds: Told<OpenRefund>;
}

/** Reads a list and how long it is: each row says so as `total`. */
export async function told<Row>(db: Queries, statement: Sql): Promise<Told<Row>> {
  const rows = await db.many<Row & { total: bigint }>(statement);
  return { rows: rows.map(({ total: _, ...row }) => row as Row), total: Number(rows[0]?.total ?? 0n) };
}
