import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { Acknowledged } from '../support/acknowledged.ts';
import { Agent, type Answer } from '../support/agent.ts';

/** What a wallet's grant allows in a day is more. */
const purchasesOfOne = 5;
const pauseMs = 250;
const patienceMs = 90_000;

interface Bought {
  /** In milliseconds of `performance.now()`; done when the report was read. */
  readonly begun: number;
  readonly done: number;
  readonly jobKey: string;
}

/**
 * Buyers that send each request to the next of the doors, and again, with the same key, as long as the answer is 503
 * with `Retry-After`, or a conflict that may be repeated. Any other failure ends them.
 */
export class Buyers {
  readonly #doors: readonly string[];
  readonly #controlUrl: string;
  readonly #journal: Acknowledged;
  readonly #bought: Bought[] = [];
  readonly #working: Promise<unknown>;
  #failure: unknown;
  #later = 0;
  #turn = 0;
  #isOver = false;

  constructor(doors: readonly string[], controlUrl: string, journal: Acknowledged, count: number) {
    this.#doors = doors;
    this.#controlUrl = controlUrl;
    this.#journal = journal;
    this.#working = Promise.all(Array.from({ length: count }, () => this.#keepBuying()));
    this.#working.catch((error) => {
      this.#failure = error;
    });
  }

  /** Each purchase so far. Throws what ended a buyer. */
  get bought(): readonly Bought[] {
    if (this.#failure) throw this.#failure;
    return this.#bought;
  }

  /** How often the answer was 503 with `Retry-After`. */
  get later(): number {
    return this.#later;
  }

  /** Ends them after their current purchases. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #keepBuying(): Promise<void> {
    let agent: Agent | undefined;
    for (let times = 0; !this.#isOver; times += 1) {
      if (!agent || times % purchasesOfOne === 0) agent = await this.#arrive();
      const begun = performance.now();
      const jobKey = await this.#buy(agent);
      this.#bought.push({ begun, done: performance.now(), jobKey });
    }
  }

  async #arrive(): Promise<Agent> {
    for (;;) {
      const service = { baseUrl: this.#door(), sandbox: { controlUrl: this.#controlUrl } };
      const agent = await Agent.arrive(service).catch(() => null);
      if (agent?.token) return agent;
      await sleep(pauseMs);
    }
  }

  async #buy(agent: Agent): Promise<string> {
    const idempotency_key = randomUUID();
    const quote = await this.#insist((at) => agent.at(at).quote({ idempotency_key }), 201);
    // 200 when the answer to the first was lost.
    const job = await this.#insist((at) => agent.at(at).authorize(quote.body.quote_key), 201, 200);
    const jobKey = job.body.job_key;
    const unpaid = await this.#insist((at) => agent.at(at).pay(jobKey), 402);
    const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    const signature = encodePaymentSignatureHeader(await agent.createPayment(required));
    const key = randomUUID();
    await this.#insist((at) => agent.at(at).pay(jobKey, { key, signature }), 200);
    for (let state = ''; state !== 'delivered'; ) {
      const read = await this.#insist((at) => agent.at(at).job(jobKey, { prefer: 'wait=2' }), 200);
      state = read.body.state;
      if (!['queued', 'running', 'delivered'].includes(state)) throw new Error(`the job is ${state}: ${read.text}`);
    }
    await this.#insist((at) => agent.at(at).get(`/api/agent/v1/jobs/${jobKey}/report`), 200);
    return jobKey;
  }

  async #insist(send: (door: string) => Promise<Answer>, ...wanted: number[]): Promise<Answer> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const answer = await send(this.#door());
      this.#journal.note(answer.status, answer.text);
      if (wanted.includes(answer.status)) return answer;
      const isLater = answer.status === 503 && answer.headers.has('retry-after');
      if (isLater) this.#later += 1;
      const mayRepeat = isLater || (answer.status === 409 && answer.body.retryable === true);
      if (!mayRepeat || performance.now() > deadline) {
        throw new Error(`not ${wanted.join(' or ')}: ${answer.status} ${answer.text.slice(0, 500)}`);
      }
      await sleep(pauseMs);
    }
  }

  #door(): string {
    return this.#doors[this.#turn++ % this.#doors.length] ?? '';
  }
}
