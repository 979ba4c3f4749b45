import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newToken } from '../../server/identity/token.ts';
import { price } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import type { Agent } from '../support/agent.ts';
import type { Service } from '../support/service.ts';
import type { Door } from '../support/start-door.ts';
import { buyers, percentile, wealthyAgent } from './buyers.ts';

/** Asks again and again until it is told to stop. Resolves to how often it was answered, or cut off. */
type Flood = (target: Target, isOver: () => boolean) => Promise<number>;

/** What is flooded, by whom, and by how many at once where each keeps a core busy. */
interface Target {
  readonly baseUrl: string;
  readonly stranger: Agent;
  readonly atOnce: number;
}

const lookEveryMs = 50;

/** Has senders of a process of their own send the same bytes over new connections. */
const wire =
  (bytes: () => string): Flood =>
  async ({ baseUrl }, isOver) => {
    const senders = fork(path.join(import.meta.dirname, 'senders.ts'));
    const ended = once(senders, 'exit');
    senders.send({ port: Number(new URL(baseUrl).port), packet: bytes() });
    while (!isOver()) await sleep(lookEveryMs);
    senders.send('end');
    const [served] = await once(senders, 'message');
    await ended;
    return served;
  };

const head = (...lines: string[]) => [...lines, '', ''].join('\r\n');
const sentences = (count: number, seed: number) =>
  Array.from(
    { length: count },
    (_, at) => `Depot ${at} shipped ${(seed + at) * 31} crates to harbour ${at % 53}.`,
  ).join(' ');
/** About the largest check allowed, which keeps a core busy for seconds. */
export const largestCheck = {
  work_product: sentences(1_100, 1),
  evidence: Array.from({ length: 20 }, (_, at) => ({ source: `Log ${at}`, text: sentences(180, at) })),
  criteria: Array.from({ length: 20 }, (_, at) => `States what harbour ${at} received`),
};
const manyKeys = `{${Array.from({ length: 180_000 }, (_, index) => `"k${index}":0`).join(',')}}`;

/** What a single stranger could stop the service with. */
export const floods: Readonly<Record<string, Flood>> = {
  'requests to speak another protocol': wire(() =>
    head('GET /docs HTTP/1.1', 'host: localhost', 'connection: upgrade', 'upgrade: h2c'),
  ),
  'hundreds of requests in one packet': wire(() => head('GET /docs HTTP/1.1', 'host: localhost').repeat(500)),
  'addresses that lead around the door': wire(() =>
    head('POST /./api/x402/v1/wallets/challenge HTTP/1.1', 'host: localhost', 'content-length: 0'),
  ),
  'bodies of 180,000 keys without a credential that stands': wire(
    () =>
      head(
        'POST /api/agent/v1/checks HTTP/1.1',
        'host: localhost',
        'content-type: application/json',
        `authorization: Bearer ${newToken('agent')}`,
        `content-length: ${manyKeys.length}`,
      ) + manyKeys,
  ),
  'quotes that nobody pays for': async ({ stranger }, isOver) => {
    let asked = 0;
    for (; !isOver(); asked += 1) {
      await stranger.post('/api/agent/v1/checks', {
        ...exampleRequest,
        evidence: Array.from({ length: 6 }, () => randomBytes(16_000).toString('base64')),
        max_price_microcents: Number(price),
        idempotency_key: randomUUID(),
      });
    }
    return asked;
  },
  'paid checks of one account, as large as they may be': async ({ stranger, atOnce }, isOver) => {
    let asked = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!isOver()) {
          const jobKey = await stranger.paidJob(largestCheck);
          asked += 1;
          let state = 'queued';
          // Wait for the end: purchases without the flood follow.
          while (state !== 'delivered') {
            const job = await stranger.job(jobKey, { prefer: 'wait=1' });
            state = job.body.state;
            if (!['queued', 'running', 'delivered'].includes(state))
              throw new Error(`a check is not made: ${job.text}`);
          }
        }
      }),
    );
    return asked;
  },
  'readers that wait': async ({ stranger }, isOver) => {
    const jobKey = await stranger.authorizedJob();
    const { headers } = await stranger.job(jobKey);
    const etag = headers.get('etag') ?? '';
    let asked = 0;
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        for (; !isOver(); asked += 1) await stranger.job(jobKey, { prefer: 'wait=1', 'if-none-match': etag });
      }),
    );
    return asked;
  },
};

/** What trouble may leave behind: connections that are kept for a minute, two for each of 40 readers, and code. */
export const leftBehind = { descriptors: 100, heapBytes: 24 * 2 ** 20 };

export interface Weathered {
  /** How long the slowest of a hundred purchases took without the flood, in milliseconds. */
  usualMs: number;
  /** The same beside the flood, and the middle one, as ratios. */
  slower: number;
  middleSlower: number;
  /** How often the flood was answered, or cut off, in a second, and in all. */
  aSecond: number;
  asked: number;
  /** What the process holds more than before the first flood. */
  descriptors: number;
  heapBytes: number;
}

/** A web process and a worker that floods meet one after the other, and what the process held at first. */
export interface Shore {
  readonly service: Service;
  readonly door: Door;
  readonly atFirst: Awaited<ReturnType<Door['memory']>>;
  leave(): Promise<void>;
}

/** Starts them, and makes a purchase: what that loads is no flood's. */
export async function openShore(service: Service): Promise<Shore> {
  const door: Door = await service.startDoor();
  const worker = service.startWorker();
  await worker.ready;
  const load = buyers(service, 1, door.baseUrl);
  await load.more(1);
  await load.stop();
  const leave = async () => {
    await door.stop();
    await worker.stop();
  };
  return { service, door, atFirst: await door.memory(), leave };
}

/**
 * Makes `purchases` purchases alone, and as many during the flood, `rounds` times, because the load of a shared machine
 * changes. Rejects when one fails.
 */
export async function weather(
  { service, door, atFirst }: Shore,
  flood: Flood,
  { purchases, rounds, atOnce }: { purchases: number; rounds: number; atOnce: number },
): Promise<Weathered> {
  const stranger = (await wealthyAgent(service)).at(door.baseUrl);
  const load = buyers(service, 1, door.baseUrl);
  const bought = async () => {
    const from = load.purchases.length;
    await load.more(purchases);
    return load.purchases.slice(from);
  };
  const alone = await bought();
  const beside: number[] = [];
  let asked = 0;
  let seconds = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) alone.push(...(await bought()));
    const began = performance.now();
    let isOver = false;
    const flooding = flood({ baseUrl: door.baseUrl, stranger, atOnce }, () => isOver);
    try {
      beside.push(...(await bought()));
    } finally {
      isOver = true;
      seconds += (performance.now() - began) / 1_000;
      asked += await flooding;
    }
  }
  await load.stop();
  const after = await door.memory();
  const usualMs = percentile(alone, 99);
  return {
    usualMs,
    slower: percentile(beside, 99) / usualMs,
    middleSlower: percentile(beside, 50) / percentile(alone, 50),
    aSecond: asked / seconds,
    asked,
    descriptors: after.descriptors - atFirst.descriptors,
    heapBytes: after.heapUsed - atFirst.heapUsed,
  };
}
