import type { Queries } from '../kernel/database.ts';
import { readCardBooks, readCardsWaiting } from './card/unsettled.ts';
import { readDifferences } from './differences.ts';
import type { Told, Waiting } from './told.ts';
import { readTransfersWaiting } from './x402/unsettled.ts';

/** Lists all money that waits, over all rails. Needs no providers, so it works unconfigured. */
export async function readWaiting(db: Queries, now: Date): Promise<Waiting> {
  const [transfers, cards] = [await readTransfersWaiting(db, now), await readCardsWaiting(db, now)];
  return {
    ...transfers,
    card: (await readCardBooks(db)) ?? null,
    differences: await readDifferences(db),
    unknown: joined(transfers.unknown, cards.unknown),
    payments: joined(transfers.payments, cards.payments),
    refunds: joined(transfers.refunds, cards.refunds),
  };
}

function joined<Row>(one: Told<Row>, other: Told<Row>): Told<Row> {
  return { rows: [...one.rows, ...other.rows], total: one.total + other.total };
}
