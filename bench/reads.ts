import { randomUUID } from 'node:crypto';
import { type Arena, buyerOf, type Copy, clients } from './arena.ts';
import { checkRequest } from './http-buyer.ts';
import { Connection } from './http-client.ts';
import { perSecond, ratio, spread, table, warmUpSeconds } from './measure.ts';
import type { Effort } from './purchases.ts';
import { type Server, startPlainServer, startService } from './service.ts';

/** How many requests have an answer to be given again. */
const answered = 100;

type Send = (connection: Connection, turn: number) => Promise<unknown>;

/** What is read: a job, and the answer to a request that was sent before. */
const readings = { job: 'GET job', replay: 'replay of a check request' } as const;
type Reading = keyof typeof readings;

/** Reads per second, against plain node:http with one read of the database for each. */
export async function benchReads(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const figures: Record<'plain' | 'service', Record<Reading, number[]>> = {
    plain: { job: [], replay: [] },
    service: { job: [], replay: [] },
  };
  await arena.onCopy(async (copy) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [side, start] of [
        ['plain', startPlainServer],
        ['service', startService],
      ] as const) {
        const server = await start(copy.env);
        try {
          const rates = await readFrom(server, arena, copy, seconds / 2);
          figures[side].job.push(rates.job);
          figures[side].replay.push(rates.replay);
        } finally {
          await server.stop();
        }
      }
    }
  });
  const row = (reading: Reading) => {
    const { plain, service } = { plain: figures.plain[reading], service: figures.service[reading] };
    return [readings[reading], spread(plain).text, spread(service).text, ratio(service, plain)];
  };
  return [
    `## Reads, ${clients} clients`,
    table(['', 'plain node:http a second', 'the service a second', 'ratio'], [row('job'), row('replay')]),
  ].join('\n');
}

/** Reads per second from one server, after a warm-up. */
export async function readFrom(
  server: Server,
  arena: Arena,
  { pool }: Copy,
  seconds: number,
): Promise<Record<Reading, number>> {
  const { rows } = await pool.query(
    `select job_key, token_hash from jobs join credentials using (principal_key) where state = 'accepted' limit 1000`,
  );
  const byHash = new Map(arena.principals.map((who) => [who.tokenHash, who]));
  const jobs = rows.map(({ job_key, token_hash }) => ({ job_key, token: byHash.get(token_hash)?.token }));
  const readJob: Send = (connection, turn) => {
    const job = jobs[turn % jobs.length];
    return must(
      connection.send('GET', `/api/agent/v1/jobs/${job?.job_key}`, { authorization: `Bearer ${job?.token}` }),
    );
  };
  const sent = JSON.stringify({ ...checkRequest, idempotency_key: randomUUID() });
  const replay: Send = (connection, turn) => {
    const headers = { authorization: `Bearer ${buyerOf(arena.principals, turn % answered).token}` };
    return must(connection.send('POST', '/api/agent/v1/checks', headers, sent));
  };
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(server.baseUrl)));
  const [first] = connections;
  for (let turn = 0; first && turn < answered; turn += 1) await replay(first, turn);
  const rate = async (send: Send) => {
    const work = (turn: number, client: number) => send(connections[client] as Connection, turn);
    await perSecond(clients, warmUpSeconds, work);
    return perSecond(clients, seconds, work);
  };
  try {
    return { job: await rate(readJob), replay: await rate(replay) };
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function must(answer: ReturnType<Connection['send']>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 400) throw new Error(text);
}
