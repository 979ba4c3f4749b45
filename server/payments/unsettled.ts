import type { Queries } from '../kernel/database.ts';
import { readCardsWaiting } from './card/unsettled.ts';
import type { Told, Waiting } from './told.ts';
import { readTransfersWaiting } from './x402/unsettled.ts';

/** Each rail's waiting money. Needs no providers, so it works unconfigured. */
const readers: readonly ((db: Queries, now: Date) => Promise<Waiting>)[] = [readTransfersWaiting, readCardsWaiting];

/** Lists all money that waits, over all rails. */
export async function readWaiting(db: Queries, now: Date): Promise<Waiting> {
  const all = await Promise.all(readers.map((read) => read(db, now)));
  return {
    chains: all.flatMap(({ chains }) => chains),
    arrivals: joined(all.map(({ arrivals }) => arrivals)),
    departures: joined(all.map(({ departures }) => departures)),
    unknown: joined(all.map(({ unknown }) => unknown)),
    payments: joined(all.map(({ payments }) => payments)),
    refunds: joined(all.map(({ refunds }) => refunds)),
  };
}

function joined<Row>(lists: Told<Row>[]): Told<Row> {
  return {
    rows: lists.flatMap(({ rows }) => rows),
    total: lists.reduce((sum, { total }) => sum + total, 0),
  };
}
