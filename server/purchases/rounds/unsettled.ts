import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import type { BlockCause } from '../../operation/caller.ts';
import { type Told, told, toldMax, type Waiting } from '../../payments/told.ts';
import { readWaiting } from '../../payments/unsettled.ts';

/** A block of an account or a paying address: one cause. */
export interface OpenBlock {
  block_key: string;
  account_key: string | null;
  payer: string | null;
  cause: BlockCause;
  created_at: Date;
  /** Of a reversal: the lost amount and its job. */
  amount_microcents: bigint | null;
  job_key: string | null;
}

/** Unsettled money: keys, amounts and addresses for operators, no content. */
export interface Unsettled extends Waiting {
  blocks: Told<OpenBlock>;
}

/** Lists all money that waits for a person, a provider or the worker. */
export async function readUnsettled(db: Queries, now: Date): Promise<Unsettled> {
  const waiting = await readWaiting(db, now);
  return {
    ...waiting,
    blocks: await told<OpenBlock>(
      db,
      sql`
        select block_key, account_key, b.payer, cause, b.created_at, amount_microcents, job_key,
          count(*) over () as total
        from purchase_blocks b left join payments using (payment_key)
        where lifted_at is null order by b.created_at, block_key limit ${toldMax}`,
    ),
  };
}
