import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, buyerOf } from './arena.ts';
import { buyOverHttp } from './http-buyer.ts';
import { Connection } from './http-client.ts';
import { Latencies, percentiles, table, unlessHungUp } from './measure.ts';
import { pickUpTimes } from './purchases.ts';
import { startService } from './service.ts';

/** Between two purchases, so that each finds the worker at rest. */
const pauseMs = 50;

/** How long a job that was paid waits for the worker, when nothing else is to be done. */
export async function benchPickUp(arena: Arena, purchases: number): Promise<string> {
  const times = await arena.onCopy(async (copy) => {
    const service = await startService(copy.env);
    const connection = await Connection.open(service.baseUrl);
    try {
      const buy = (turn: number) =>
        unlessHungUp(buyOverHttp(connection, buyerOf(arena.principals, turn), new Latencies()));
      for (let turn = 0; turn < 10; turn += 1) await buy(turn);
      const startedAt = new Date();
      for (let turn = 0; turn < purchases; turn += 1) {
        await buy(turn);
        await sleep(pauseMs);
      }
      return await pickUpTimes(copy.pool, startedAt);
    } finally {
      connection.close();
      await service.stop();
    }
  });
  return [
    '## From the collection of a payment to the start of its job',
    table(['jobs', 'p50 ms', 'p99 ms'], [percentiles(times)]),
  ].join('\n');
}
