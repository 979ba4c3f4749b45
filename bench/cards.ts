import { type Arena, buyerOf, type Copy, clients } from './arena.ts';
import { Latencies, perSecond, ratio, spread, table, warmUpSeconds } from './measure.ts';
import { count, difference, type Effort, tables, underLoad } from './purchases.ts';
import { startService } from './service.ts';
import { buyOverSql } from './sql-buyer.ts';

const rails = ['x402', 'card'] as const;

/**
 * Whole purchases per second that are paid with a kept card, beside those over x402, each against the same by SQL alone.
 * Stripe is a stand-in that answers at once; what the worker does is called over SQL by the load, on every side.
 */
export async function benchCards(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const sql = { x402: [] as number[], card: [] as number[] };
  const http = { x402: [] as number[], card: [] as number[] };
  const cpu = { x402: [] as number[], card: [] as number[] };
  const rows: Record<string, string[]> = {};
  const latencies = new Latencies();
  const onCopy = (side: string, run: (copy: Copy) => Promise<void>) =>
    arena.onCopy(async (copy) => {
      await copy.pool.query('select bench_keep_cards()');
      const before = await count(copy.pool);
      await run(copy);
      rows[side] = difference(before, await count(copy.pool));
    });
  for (let round = 0; round < rounds; round += 1) {
    for (const by of rails) {
      await onCopy(`SQL, ${by}`, async ({ pool }) => {
        const buy = (turn: number) => buyOverSql(pool, buyerOf(arena.principals, turn), { by });
        await perSecond(clients, warmUpSeconds, buy);
        sql[by].push(await perSecond(clients, seconds, buy));
      });
      await onCopy(`service, ${by}`, async (copy) => {
        const server = await startService(copy.env, { worker: false });
        const times = by === 'card' ? latencies : new Latencies();
        const load = await underLoad(server, copy, arena.principals, { seconds, latencies: times, by });
        http[by].push(load.rate);
        cpu[by].push(load.cpuMs);
      });
    }
  }
  const sides = Object.keys(rows);
  return [
    `## Purchases by card, ${clients} clients, Stripe, facilitator and chain stubbed`,
    table(
      ['paid by', 'SQL by hand /s', 'service /s', 'of SQL', 'API CPU ms a purchase'],
      rails.map((by) => [
        by,
        spread(sql[by]).text,
        spread(http[by]).text,
        ratio(http[by], sql[by]),
        spread(cpu[by]).text,
      ]),
    ),
    '',
    `A purchase by card a second, of one over x402: ${ratio(http.card, http.x402)}`,
    '',
    '## Rows a purchase',
    table(
      ['table', ...sides],
      tables.map((name, index) => [name, ...sides.map((side) => rows[side]?.[index] ?? '')]),
    ),
    '',
    '## Requests to the service in the load by card',
    table(['operation', 'requests', 'p50 ms', 'p99 ms'], latencies.rows()),
  ].join('\n');
}
