import { setTimeout as sleep } from 'node:timers/promises';
import { service as terms } from '../../server/service/terms.ts';
import { Agent } from '../support/agent.ts';
import type { Service } from '../support/service.ts';

const lookEveryMs = 50;
const patienceMs = 60_000;

/** A sandbox wallet holds enough for 200. */
const purchasesOfOne = 150;

/** An agent that may buy as much as its wallet holds. */
export async function wealthyAgent(service: Service): Promise<Agent> {
  const agent = await Agent.arrive(service);
  await service.database.pool.query(
    'update grants set daily_limit_microcents = 1000000000000 where principal_key = $1',
    [agent.wallet.address.toLowerCase()],
  );
  return agent;
}

/** Buyers that buy check after check until stopped. */
export interface Buyers {
  /** Duration of each purchase, from quote to report, in milliseconds. */
  readonly purchases: readonly number[];
  /** Resolves after this many more purchases. Rejects when one fails, or none succeeds for a minute. */
  more(count: number): Promise<void>;
  /** Stops them after their current purchases. Rejects when one failed. */
  stop(): Promise<void>;
}

/** Starts this many buyers at an address of the service. A new agent replaces each that has spent its money. */
export function buyers(service: Service, count: number, baseUrl: string): Buyers {
  const purchases: number[] = [];
  let isOver = false;
  const working = Promise.all(
    Array.from({ length: count }, async () => {
      let agent: Agent | undefined;
      for (let bought = 0; !isOver; bought += 1) {
        if (!agent || bought % purchasesOfOne === 0) agent = (await wealthyAgent(service)).at(baseUrl);
        const began = performance.now();
        await buy(agent);
        purchases.push(performance.now() - began);
      }
    }),
  );
  let failure: unknown;
  working.catch((error) => {
    failure = error;
  });
  return {
    purchases,
    async more(count) {
      const wanted = purchases.length + count;
      let seen = purchases.length;
      for (let tries = 0; purchases.length < wanted; tries += 1) {
        if (failure) throw failure;
        if (purchases.length > seen) tries = 0;
        seen = purchases.length;
        if (tries * lookEveryMs > patienceMs) throw new Error(`there were ${purchases.length} purchases, and no more`);
        await sleep(lookEveryMs);
      }
    },
    async stop() {
      isOver = true;
      await working;
    },
  };
}

/** One purchase, sending every request once. Throws at the first unexpected answer. */
async function buy(agent: Agent): Promise<void> {
  const quote = await agent.quote();
  expectStatus('quote', quote, 201);
  const job = await agent.post(`/api/agent/v1/purchases/${quote.body.quote_key}/authorize`, {
    terms_version: terms.termsVersion,
  });
  expectStatus('authorize', job, 201);
  const { job_key } = job.body;
  expectStatus('pay', await agent.pay(job_key, { signature: await agent.signPayment(job_key) }), 200);
  let state = '';
  while (state !== 'delivered') {
    const read = await agent.job(job_key, { prefer: 'wait=5' });
    expectStatus('job', read, 200);
    state = read.body.state;
    if (state === 'failed') throw new Error(`the job failed: ${read.body.failure}`);
  }
  expectStatus('report', await agent.get(`/api/agent/v1/jobs/${job_key}/report`), 200);
}

function expectStatus(step: string, { status, text }: { status: number; text: string }, wanted: number): void {
  if (status !== wanted) throw new Error(`${step}: ${status} ${text.slice(0, 300)}`);
}

/** The value that this many of a hundred are below. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
