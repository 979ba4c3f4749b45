import type pg from 'pg';
import type { RailName } from '../server/payments/contract.ts';
import { type Arena, buyerOf, type Copy, clients, type Principal } from './arena.ts';
import { buyOverHttp } from './http-buyer.ts';
import { Connection } from './http-client.ts';
import { Latencies, percentiles, perSecond, ratio, round, spread, table, warmUpSeconds } from './measure.ts';
import { type Server, startPlainServer, startService } from './service.ts';
import { buyOverSql, execute } from './sql-buyer.ts';

export const tables = [
  ...'quotes jobs payments x402_transfers chain_transfers card_payments card_charges job_texts reports receipts reviews'.split(
    ' ',
  ),
  ...'ledger_transfers audit_rows idempotency_claims idempotency_answers pgboss.job'.split(' '),
];

export interface Effort {
  rounds: number;
  seconds: number;
}

/**
 * Whole purchases per second: by SQL alone, behind plain node:http, and over the service. What the worker does is called
 * over SQL by the load, on every side; once more the service runs with its own worker, which really checks.
 */
export async function benchPurchases(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const sql: number[] = [];
  const plain: Load[] = [];
  const http: Load[] = [];
  const whole: Load[] = [];
  const latencies = new Latencies();
  const pickUps: number[] = [];
  const rows: Record<string, string[]> = {};
  const counted = (side: string, run: (copy: Copy) => Promise<void>) =>
    arena.onCopy(async (copy) => {
      const before = await count(copy.pool);
      await run(copy);
      rows[side] = difference(before, await count(copy.pool));
    });
  for (let round = 0; round < rounds; round += 1) {
    await counted('sql', async ({ pool }) => {
      const buy = (turn: number) => buyOverSql(pool, buyerOf(arena.principals, turn));
      await perSecond(clients, warmUpSeconds, buy);
      sql.push(await perSecond(clients, seconds, buy));
    });
    await counted('plain', async (copy) => {
      plain.push(await underLoad(await startPlainServer(copy.env), copy, arena.principals, { seconds }));
    });
    await counted('http', async (copy) => {
      const server = await startService(copy.env, { worker: false });
      http.push(await underLoad(server, copy, arena.principals, { seconds, latencies }));
    });
    await counted('whole', async (copy) => {
      const startedAt = new Date();
      whole.push(await underLoad(await startService(copy.env), copy, arena.principals, { seconds }));
      pickUps.push(...(await pickUpTimes(copy.pool, startedAt)));
    });
  }
  const row = (name: string, loads: readonly Load[]) => [name, ...comparison(loads, sql, plain)];
  return [
    `## Purchases, ${clients} clients, pay stubbed at the facilitator and the chain`,
    table(
      ['', 'purchases/s', 'of SQL', 'API CPU ms a purchase', 'of plain node:http'],
      [
        ['SQL by hand, same rows and reads', spread(sql).text, '1', '', ''],
        row('plain node:http, jobs done over SQL', plain),
        row('the service over HTTP, jobs done over SQL', http),
        row('the service with its worker, which checks the work', whole),
      ],
    ),
    '',
    '## Rows a purchase',
    table(
      ['table', 'SQL by hand', 'plain node:http', 'the service', 'with its worker'],
      tables.map((name, index) => [
        name,
        ...['sql', 'plain', 'http', 'whole'].map((side) => rows[side]?.[index] ?? ''),
      ]),
    ),
    '',
    '## Requests to the service in that load, and the pick-up by its worker',
    table(['operation', 'requests', 'p50 ms', 'p99 ms'], [...latencies.rows(), ['pick-up', ...percentiles(pickUps)]]),
  ].join('\n');
}

/** How fast loads were, beside SQL alone, and how much CPU they took, beside a plain server. */
function comparison(loads: readonly Load[], sql: readonly number[], plain: readonly Load[]): string[] {
  const rates = loads.map(({ rate }) => rate);
  const cpu = loads.map(({ cpuMs }) => cpuMs);
  const plainCpu = plain.map(({ cpuMs }) => cpuMs);
  return [spread(rates).text, ratio(rates, sql), spread(cpu).text, ratio(cpu, plainCpu)];
}

interface Load {
  rate: number;
  /** Of the API process, in milliseconds for each purchase. */
  cpuMs: number;
}

/** Buys from a server with all clients, warmed up first, and stops it. */
export async function underLoad(
  server: Server,
  { pool }: Copy,
  principals: readonly Principal[],
  { seconds, latencies = new Latencies(), by }: { seconds: number; latencies?: Latencies; by?: RailName },
): Promise<Load> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(server.baseUrl)));
  const buy = (times: Latencies) => (turn: number, client: number) => {
    const connection = connections[client];
    if (!connection) throw new Error('no connection');
    const work = (quote: string, paid: { job_key: string; message?: string }) =>
      execute(pool, quote, paid.job_key, paid.message);
    return buyOverHttp(connection, buyerOf(principals, turn), times, { work: server.hasWorker ? undefined : work, by });
  };
  try {
    await perSecond(clients, warmUpSeconds, buy(new Latencies()));
    const before = server.cpuSeconds();
    const startedAt = performance.now();
    const rate = await perSecond(clients, seconds, buy(latencies));
    const bought = (rate * (performance.now() - startedAt)) / 1000;
    return { rate, cpuMs: ((server.cpuSeconds() - before) * 1000) / bought };
  } finally {
    for (const connection of connections) connection.close();
    await server.stop();
  }
}

/** From the collection of each job to the moment a worker took it, in milliseconds; from the audit of both. */
export async function pickUpTimes(pool: pg.Pool, since: Date): Promise<number[]> {
  const { rows } = await pool.query(
    `select extract(epoch from taken.at - paid.at)::float8 * 1000 as ms
    from audit_rows paid join audit_rows taken using (purchase_key)
    where paid.action = 'collect' and taken.action = 'start' and paid.at > $1`,
    [since],
  );
  return rows.map(({ ms }) => ms);
}

export async function count(pool: pg.Pool): Promise<number[]> {
  const columns = tables.map((name) => `(select count(*)::int from ${name})`).join(', ');
  const { rows } = await pool.query({ text: `select ${columns}`, rowMode: 'array' });
  return rows[0] ?? [];
}

/** Rows per purchase, which must be the same on every side for the ratios to mean anything. */
export function difference(before: number[], after: number[]): string[] {
  const bought = (after[1] ?? 0) - (before[1] ?? 0);
  return after.map((value, index) => round((value - (before[index] ?? 0)) / bought));
}
