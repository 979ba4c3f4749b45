import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { newToken } from '../../server/identity/token.ts';
import { price } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import type { Agent } from '../support/agent.ts';
import type { Service } from '../support/service.ts';
import type { Door } from '../support/start-door.ts';
import { buyers, percentile, wealthyAgent } from './buyers.ts';

/** Sends bytes, and again whenever something comes back or the connection ends, until stopped. */
type Flood = (target: { baseUrl: string; stranger: Agent }, isOver: () => boolean) => Promise<void>;

const senders = 8;

/** Sends the same bytes over new connections. Starts again when answered or cut off. */
const wire =
  (bytes: () => string): Flood =>
  async ({ baseUrl }, isOver) => {
    const { hostname, port } = new URL(baseUrl);
    // Allocate once: the buyer beside the flood shares this process.
    const packet = Buffer.from(bytes(), 'latin1');
    const once = () =>
      new Promise<void>((resolve) => {
        const socket: Socket = connect(Number(port), hostname, () => socket.write(packet));
        const patience = setTimeout(() => socket.destroy(), 1_000);
        socket.once('data', () => socket.destroy());
        socket.on('error', () => {});
        socket.once('close', () => {
          clearTimeout(patience);
          resolve();
        });
      });
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (!isOver()) await once();
      }),
    );
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
    while (!isOver()) {
      await stranger.post('/api/agent/v1/checks', {
        ...exampleRequest,
        evidence: Array.from({ length: 6 }, () => randomBytes(16_000).toString('base64')),
        max_price_microcents: Number(price),
        idempotency_key: randomUUID(),
      });
    }
  },
  'paid checks of one account, as large as they may be': async ({ stranger }, isOver) => {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        while (!isOver()) {
          const jobKey = await stranger.paidJob(largestCheck);
          let state = 'queued';
          while (!isOver() && state !== 'delivered') {
            const job = await stranger.job(jobKey, { prefer: 'wait=1' });
            state = job.body.state;
            if (!['queued', 'running', 'delivered'].includes(state))
              throw new Error(`a check is not made: ${job.text}`);
          }
        }
      }),
    );
  },
  'readers that wait': async ({ stranger }, isOver) => {
    const jobKey = await stranger.authorizedJob();
    const { headers } = await stranger.job(jobKey);
    const etag = headers.get('etag') ?? '';
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        while (!isOver()) await stranger.job(jobKey, { prefer: 'wait=1', 'if-none-match': etag });
      }),
    );
  },
};

export interface Weathered {
  /** How long the slowest of a hundred purchases took, with the flood and without it, as a ratio. */
  slower: number;
  /** Growth of the process's memory and file descriptors. */
  descriptors: number;
  heapBytes: number;
}

/** Makes `purchases` purchases alone, and as many during the flood. Rejects when one fails. */
export async function weather(service: Service, flood: Flood, purchases: number): Promise<Weathered> {
  const door: Door = await service.startDoor();
  const worker = service.startWorker();
  await worker.ready;
  const stranger = await wealthyAgent(service);
  const load = buyers(service, 1, door.baseUrl);
  await load.more(purchases);
  const before = { ...(await door.memory()), taken: load.purchases.length };
  let isOver = false;
  const flooding = flood({ baseUrl: door.baseUrl, stranger: stranger.at(door.baseUrl) }, () => isOver);
  try {
    await load.more(purchases);
  } finally {
    isOver = true;
    await flooding;
  }
  const during = load.purchases.slice(before.taken);
  await load.stop();
  const after = await door.memory();
  await door.stop();
  await worker.stop();
  return {
    slower: percentile(during, 99) / percentile(load.purchases.slice(0, before.taken), 99),
    descriptors: after.descriptors - before.descriptors,
    heapBytes: after.heapUsed - before.heapUsed,
  };
}
