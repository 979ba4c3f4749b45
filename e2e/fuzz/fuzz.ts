import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Operation, pathKeys } from '../../server/operation/operation.ts';
import { type OperationName, operations } from '../../server/operations.ts';
import { Agent } from '../support/agent.ts';
import { AnswerCheck } from '../support/answer-check.ts';
import { mcpFault, messageOf } from '../support/mcp-answer-check.ts';
import { operationNames, type Subject, wellFormed } from '../support/requests.ts';
import type { Service } from '../support/service.ts';
import { Wire, type WireRequest } from '../support/wire.ts';
import { type Callers, callersOf, type Keys, purchaseKeys } from './callers.ts';
import { changed, hostileJson } from './hostile.ts';
import { type Idea, ideasFor } from './ideas.ts';

export const firstSeed = 20_261_121;
/** How many smaller requests to try after a wrong answer, to shrink the failure. */
const smallerMax = 300;
/** Keys of one kind that a run remembers from answers, besides the initial ones. */
const learnedMax = 40;
/** Problems that an operation answers before it looks at its input. */
const doorkeepers: readonly unknown[] = [
  'invalid_token',
  'rate_limited',
  'idempotency_key_required',
  'idempotency_key_conflict',
];
/** Longer paths never reach the service: the HTTP parser answers 431. */
const addressPartMax = 500;
const headerMax = 8_000;

/** How much of an answer and of a failing request to print. */
const answerTextMax = 1_000;
const faultTextMax = 3_000;
/** MCP tools are the same operations, so their lanes are this much shorter. */
const mcpShare = 4;

type ToolName = {
  [Name in OperationName]: (typeof operations)[Name] extends { tool: string } ? Name : never;
}[OperationName];

function isTool(name: OperationName): name is ToolName {
  return 'tool' in operations[name];
}

export interface FuzzResult {
  /** How often each operation got past the door: it succeeded, or refused for its own reason. */
  readonly reached: Readonly<Record<OperationName, number>>;
  /** Growth of the server's memory in the second half, in bytes. */
  readonly growth: { readonly rss: number; readonly heapUsed: number };
}

/** Allowed growth in bytes: caches and compiled code. Keeping a little of every request would exceed it. */
export const growthMax: FuzzResult['growth'] = { rss: 32 * 1024 * 1024, heapUsed: 4 * 1024 * 1024 };

/**
 * Sends `runs` fuzzed requests of every operation to a separate server process, all operations at once. Throws, with
 * the request, at the first answer that is a server fault or that the OpenAPI document does not allow.
 */
export async function fuzz(service: Service, runs: number, seed = firstSeed): Promise<FuzzResult> {
  const server = await service.startDoor();
  const owner = await Agent.arrive(service);
  const keys = await purchaseKeys(service, owner);
  const unpaid = await owner.pay(await owner.authorizedJob());
  const run = new FuzzRun(server.baseUrl, {
    callers: await callersOf(service, owner),
    keys,
    payment: { ...(await owner.createPayment(unpaid.body)) },
    check: new AnswerCheck(service.baseUrl),
  });
  try {
    const half = Math.ceil(runs / 2);
    await run.lanes(half, seed);
    const middle = await server.memory();
    await run.lanes(half, seed + 1);
    const end = await server.memory();
    const growth = { rss: end.rss - middle.rss, heapUsed: end.heapUsed - middle.heapUsed };
    return { reached: run.reached, growth };
  } finally {
    run.end();
    server.stop();
  }
}

class FuzzRun {
  readonly reached = Object.fromEntries(operationNames.map((name) => [name, 0])) as Record<OperationName, number>;
  readonly #callers: Callers;
  readonly #keys: Keys;
  readonly #payment: Record<string, unknown>;
  readonly #learned: Keys = { quote_key: [], job_key: [], source_key: [], endpoint_key: [], agent_key: [] };
  readonly #check: AnswerCheck;
  readonly #wire: Wire;

  constructor(
    baseUrl: string,
    {
      callers,
      keys,
      payment,
      check,
    }: { callers: Callers; keys: Keys; payment: Record<string, unknown>; check: AnswerCheck },
  ) {
    this.#wire = new Wire(baseUrl);
    this.#callers = callers;
    this.#keys = keys;
    this.#payment = payment;
    this.#check = check;
  }

  /** Fuzzes all operations at once over both transports. Throws with all faults. */
  async lanes(runs: number, seed: number): Promise<void> {
    const lanes = await Promise.allSettled([
      ...operationNames.map((name) => this.#lane(name, runs, seed)),
      ...operationNames.filter(isTool).map((name) => this.#mcpLane(name, Math.ceil(runs / mcpShare), seed)),
    ]);
    const faults = lanes.flatMap((lane) => (lane.status === 'rejected' ? [faultText(lane.reason)] : []));
    if (faults.length > 0) throw new Error(faults.map((text) => text.slice(0, faultTextMax)).join('\n\n'));
  }

  /** Fuzzes one operation over REST, request by request. */
  async #lane(name: OperationName, runs: number, seed: number): Promise<void> {
    await this.#everyIdea(name, runs, seed, async (idea) => {
      const wire = this.#requestOf(name, idea);
      const { method, target } = wire;
      const answer = await this.#wire.send(wire);
      const fault = this.#check.fault(method, target, answer);
      if (fault) throw new Error(`${method} ${target}: ${fault}\n${answer.text.slice(0, answerTextMax)}`);
      if (answer.text.startsWith('{')) this.#note(name, JSON.parse(answer.text), answer.status >= 400);
      else if (answer.status === 304) this.reached[name] += 1;
    });
  }

  /** The same as calls of its MCP tool. */
  async #mcpLane(name: ToolName, runs: number, seed: number): Promise<void> {
    const { tool } = operations[name];
    await this.#everyIdea(name, runs, seed, async (idea) => {
      const answer = await this.#wire.send(this.#callOf(name, idea));
      const fault = mcpFault(this.#check, tool, answer);
      if (fault) throw new Error(`${tool}: ${fault}\n${answer.text.slice(0, answerTextMax)}`);
      const result = answer.status === 200 ? messageOf(answer)?.result : undefined;
      if (result?.structuredContent) this.#note(name, result.structuredContent, result.isError ?? false);
    });
  }

  /** Sends the request of each idea, and shrinks the first one that gets a wrong answer. */
  async #everyIdea(
    name: OperationName,
    runs: number,
    seed: number,
    send: (idea: Idea) => Promise<void>,
  ): Promise<void> {
    let smallerLeft = Number.POSITIVE_INFINITY;
    const property = fc.asyncProperty(ideasFor(operations[name]), async (idea) => {
      smallerLeft -= 1;
      if (smallerLeft < 0) return;
      await send(idea).catch((error) => {
        smallerLeft = Math.min(smallerLeft, smallerMax);
        throw error;
      });
    });
    await fc.assert(property, { numRuns: runs, seed });
  }

  end(): void {
    this.#wire.end();
  }

  #requestOf(name: OperationName, idea: Idea): WireRequest {
    const operation: Operation = operations[name];
    const input = this.#inputOf(name, idea);
    let target = operation.path;
    for (const key of pathKeys(operation)) {
      target = target.replace(`{${key}}`, () => addressPart(input[key]));
      delete input[key];
    }
    const query = operation.method === 'POST' ? '' : queryOf(input);
    const caller = this.#callers[idea.caller](operation, idea.about);
    const key = idea.key === 'fresh' ? randomUUID() : idea.key;
    const isPost = operation.method === 'POST';
    const payment = operation.paid && idea.payment ? changed(this.#payment, idea.payment) : null;
    return {
      method: idea.method ?? operation.method,
      target: target + idea.suffix + (idea.query || query),
      headers: {
        ...caller.identity(),
        ...(isPost ? { 'content-type': 'application/json' } : {}),
        ...(isPost && key !== null ? { 'idempotency-key': key } : {}),
        ...(payment ? { 'payment-signature': inBase64(hostileJson(payment)) } : {}),
        ...idea.headers,
      },
      body: idea.body ? Buffer.from(idea.body) : isPost ? Buffer.from(hostileJson(input)) : null,
    };
  }

  #callOf(name: ToolName, idea: Idea): WireRequest {
    const operation: Operation & { tool: string } = operations[name];
    const key = idea.key === 'fresh' ? randomUUID() : idea.key;
    const takesKey = operation.idempotency !== 'none' && key !== null;
    const input = { ...(takesKey ? { idempotency_key: key } : {}), ...this.#inputOf(name, idea) };
    const meta = idea.payment ? { _meta: { 'x402/payment': changed(this.#payment, idea.payment) } } : {};
    const params = { name: operation.tool, arguments: input, ...meta };
    const message = hostileJson({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return {
      method: idea.method ?? 'POST',
      target: `/mcp${idea.query || '?profile=buyer'}`,
      headers: {
        ...this.#callers[idea.caller](operation, idea.about).identity(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...idea.headers,
      },
      body: Buffer.from(idea.body ?? message),
    };
  }

  /** Path keys and body, flat, about an existing record unless the idea changes that. */
  #inputOf(name: OperationName, idea: Idea): Record<string, unknown> {
    const honest = wellFormed[name](this.#subjectOf(operations[name], idea.about));
    const real = Object.fromEntries(pathKeys(operations[name]).map((key) => [key, honest[key]]));
    return changed(idea.fields ? { ...idea.fields, ...real } : honest, idea.changes);
  }

  /** An existing record to ask about. */
  #subjectOf({ destroys }: Operation, about: number): Subject {
    const pick = (kind: keyof Subject) => {
      const known = [...this.#keys[kind], ...this.#learned[kind]];
      const usable = destroys ? known.filter(isExpendable) : known;
      return usable[about % usable.length] ?? `${kind.replace('_key', '')}_none`;
    };
    return {
      quote_key: pick('quote_key'),
      job_key: pick('job_key'),
      source_key: pick('source_key'),
      agent_key: pick('agent_key'),
    };
  }

  /** Counts an answer from behind the door and remembers the keys in it. */
  #note(name: OperationName, body: Record<string, unknown>, isRefusal: boolean): void {
    const own = (operations[name].problems as readonly unknown[]).filter((code) => !doorkeepers.includes(code));
    if (!isRefusal || body.x402Version || own.includes(body.code)) this.reached[name] += 1;
    if (isRefusal) return;
    for (const kind of Object.keys(this.#learned) as (keyof Subject)[]) {
      const learned = this.#learned[kind];
      const key = body[kind];
      if (typeof key !== 'string' || learned.includes(key)) continue;
      learned.unshift(key);
      learned.splice(learnedMax);
    }
  }
}

/** Longer headers do not reach the service either. */
function inBase64(text: string): string {
  return Buffer.from(text).toString('base64').slice(0, headerMax);
}

/** The smallest form of the request that gets a wrong answer, and what is wrong with it. */
function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message}\n${faultText(error.cause)}` : error.message;
}

/** Only some records may be ended: other operations need the rest. */
function isExpendable(key: string): boolean {
  return /[0-9A-H]$/.test(key);
}

function addressPart(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(`${text}`.slice(0, addressPartMax).toWellFormed());
}

function queryOf(input: Record<string, unknown>): string {
  const pairs = Object.entries(input).slice(0, 5);
  return pairs.length === 0
    ? ''
    : `?${pairs.map(([name, value]) => `${addressPart(name)}=${addressPart(value)}`).join('&')}`;
}
