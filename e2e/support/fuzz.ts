import { randomUUID } from 'node:crypto';
import { Agent as ConnectionPool, request } from 'node:http';
import fc from 'fast-check';
import { z } from 'zod';
import { type Operation, pathKeys } from '../../server/kernel/operation.ts';
import type { ProblemCode } from '../../server/kernel/problem.ts';
import { type OperationName, operations } from '../../server/operations.ts';
import { Agent, type Client } from './agent.ts';
import { AnswerCheck, type WireAnswer } from './answer-check.ts';
import { type Change, changed, changes, headers, hostileJson, oddBody, valuesOf } from './hostile.ts';
import { Member } from './member.ts';
import { operationNames, type Subject, wellFormed } from './requests.ts';
import type { Service } from './service.ts';

const SEED = 20261121;
/** Keys of a kind that a run remembers from answers, besides those that it starts with. */
const learnedMax = 40;
/** Problems that an operation answers before it looks at what it is asked for. */
const doorkeepers: readonly ProblemCode[] = [
  'invalid_token',
  'rate_limited',
  'idempotency_key_required',
  'idempotency_key_conflict',
];
/** A longer part of an address does not reach the service: the HTTP parser answers 431. */
const addressPartMax = 500;

/** Characters of one fault that help its reader. */
const faultTextMax = 3_000;

export interface FuzzResult {
  /** How often each operation was reached behind the door: it did its work, or refused for a reason of its own. */
  readonly reached: Readonly<Record<OperationName, number>>;
  /** Bytes that the server held more at the end than when half was done. */
  readonly growth: { readonly rss: number; readonly heapUsed: number };
}

/** Caches and compiled code may grow by so many bytes; a little kept of every request is more. */
export const growthMax: FuzzResult['growth'] = { rss: 32 * 1024 * 1024, heapUsed: 4 * 1024 * 1024 };

/** One request, before the keys of a real purchase are put into it. */
interface Idea {
  /** Null for what an honest client sends. */
  fields: Record<string, unknown> | null;
  changes: Change[];
  about: number;
  caller: keyof Callers;
  headers: Record<string, string>;
  key: string | null;
  odd: { body: Uint8Array | null; method: string | null; address: string; query: string };
}

interface Callers {
  /** Whom the operation is for: the owner of the purchases, or a member of its account. */
  entitled: (operation: Operation, about: number) => Client;
  stranger: () => Client;
  nobody: () => Client;
  garbage: () => Client;
}

/**
 * Sends `runs` fuzzed requests of every operation to a server process of its own, all operations at once. Throws at the
 * first answer that is a fault of the server or that the OpenAPI document does not foresee, with the request.
 */
export async function fuzz(service: Service, runs: number): Promise<FuzzResult> {
  const server = await service.startDoor();
  const owner = await Agent.arrive(service);
  const keys = await purchaseKeys(service, owner);
  const run = new FuzzRun(server.baseUrl, await callersOf(service, owner), keys, new AnswerCheck(service.baseUrl));
  try {
    await run.lanes(runs / 2, SEED);
    const middle = await server.memory();
    await run.lanes(runs / 2, SEED + 1);
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
  readonly #baseUrl: string;
  readonly #callers: Callers;
  readonly #keys: Keys;
  readonly #learned: Keys = { quote_key: [], job_key: [], source_key: [] };
  readonly #check: AnswerCheck;
  readonly #connections = new ConnectionPool({ keepAlive: true });

  constructor(baseUrl: string, callers: Callers, keys: Keys, check: AnswerCheck) {
    this.#baseUrl = baseUrl;
    this.#callers = callers;
    this.#keys = keys;
    this.#check = check;
  }

  /** Fuzzes every operation at once. Throws with the faults of all. */
  async lanes(runs: number, seed: number): Promise<void> {
    const lanes = await Promise.allSettled(operationNames.map((name) => this.#lane(name, runs, seed)));
    const faults = lanes.flatMap((lane) => (lane.status === 'rejected' ? [faultText(lane.reason)] : []));
    if (faults.length > 0) throw new Error(faults.map((text) => text.slice(0, faultTextMax)).join('\n\n'));
  }

  /** Fuzzes one operation, one request after the other. */
  async #lane(name: OperationName, runs: number, seed: number): Promise<void> {
    const property = fc.asyncProperty(ideasFor(operations[name]), async (idea) => {
      const wire = this.#requestOf(name, idea);
      const { method, target } = wire;
      const answer = await this.#send(wire);
      const fault = this.#check.fault(method, target, answer);
      if (fault) throw new Error(`${method} ${target}: ${fault}\n${answer.text.slice(0, 1_000)}`);
      this.#note(name, answer);
    });
    await fc.assert(property, { numRuns: runs, seed });
  }

  end(): void {
    this.#connections.destroy();
  }

  #requestOf(name: OperationName, idea: Idea): WireRequest {
    const operation: Operation = operations[name];
    const keys = pathKeys(operation);
    const honest = wellFormed[name](this.#subjectOf(operation, idea.about));
    const real = Object.fromEntries(keys.map((key) => [key, honest[key]]));
    const input = changed(idea.fields ? { ...idea.fields, ...real } : honest, idea.changes);
    let target = operation.path;
    for (const key of keys) {
      target = target.replace(`{${key}}`, () => addressPart(input[key]));
      delete input[key];
    }
    const query = operation.method === 'POST' ? '' : queryOf(input);
    const caller = this.#callers[idea.caller](operation, idea.about);
    const key = idea.key === 'fresh' ? randomUUID() : idea.key;
    const isPost = operation.method === 'POST';
    return {
      method: idea.odd.method ?? operation.method,
      target: target + idea.odd.address + (idea.odd.query || query),
      headers: {
        ...caller.identity(),
        ...(isPost ? { 'content-type': 'application/json' } : {}),
        ...(isPost && key !== null ? { 'idempotency-key': key } : {}),
        ...idea.headers,
      },
      body: idea.odd.body ? Buffer.from(idea.odd.body) : isPost ? Buffer.from(hostileJson(input)) : null,
    };
  }

  /** Something real to ask about. */
  #subjectOf({ destroys }: Operation, about: number): Subject {
    const pick = (kind: keyof Subject) => {
      const known = [...this.#keys[kind], ...this.#learned[kind]];
      const usable = destroys ? known.filter(isExpendable) : known;
      return usable[about % usable.length] ?? `${kind.replace('_key', '')}_none`;
    };
    return { quote_key: pick('quote_key'), job_key: pick('job_key'), source_key: pick('source_key') };
  }

  #send(wire: WireRequest): Promise<WireAnswer> {
    const { method, target, headers: sent, body } = wire;
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#baseUrl);
      const length = body ? { 'content-length': String(body.length) } : {};
      const options = { hostname, port, method, path: target, headers: { ...sent, ...length } };
      const outgoing = request({ ...options, agent: this.#connections }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            contentType: incoming.headers['content-type'],
            requestId: incoming.headers['x-request-id'] as string | undefined,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // The server ends connections that nobody uses; this one may have been ended on its way out of the pool.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(this.#send(wire));
        else reject(new Error(`${method} ${target}: ${error.message}`));
      });
      outgoing.end(body);
    });
  }

  /** Counts an answer from behind the door, and learns the keys that it tells of. */
  #note(name: OperationName, { status, text }: WireAnswer): void {
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    const own = (operations[name].problems as readonly ProblemCode[]).filter((code) => !doorkeepers.includes(code));
    if (status < 400 || status === 402 || own.includes(body.code)) this.reached[name] += 1;
    if (status > 201) return;
    for (const kind of Object.keys(this.#learned) as (keyof Subject)[]) {
      const learned = this.#learned[kind];
      if (typeof body[kind] !== 'string' || learned.includes(body[kind])) continue;
      learned.unshift(body[kind]);
      learned.splice(learnedMax);
    }
  }
}

/** Keys of things that there are. */
type Keys = Record<keyof Subject, string[]>;

interface WireRequest {
  method: string;
  /** As it stands in the first line of the request. */
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

function ideasFor(operation: Operation): fc.Arbitrary<Idea> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const rarely = <T>(arbitrary: fc.Arbitrary<T>, otherwise: T) =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });
  return fc.record({
    fields: fc.oneof(fc.constant(null), valuesOf(schema) as fc.Arbitrary<Record<string, unknown>>),
    changes: fc.oneof(fc.constant<Change[]>([]), changes),
    about: fc.nat(1_000),
    caller: rarely<keyof Callers>(fc.constantFrom('stranger', 'nobody', 'garbage'), 'entitled'),
    headers,
    key: fc.oneof(fc.constant('fresh'), fc.constant(null), fc.constantFrom('one', 'two', '', 'x'.repeat(256))),
    odd: fc.record({
      body: rarely<Uint8Array | null>(oddBody, null),
      method: rarely<string | null>(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'), null),
      address: rarely(fc.constantFrom('/', '%2f', '%00', '%ff', '%', ';a=b', '//', '/..', '/%2e%2e', '\\'), ''),
      query: rarely(fc.constantFrom('?', '?%', '?a=b&a=c', '?limit=-1', '?%00=%ff', `?${'a'.repeat(2_000)}`), ''),
    }),
  });
}

/** The request in its smallest form that is answered wrongly, and what is wrong with the answer. */
function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message}\n${faultText(error.cause)}` : error.message;
}

/** Some things may be ended, so that the others live on for the other operations. */
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

async function callersOf(service: Service, owner: Agent): Promise<Callers> {
  const without = (token: string) => {
    const agent = new Agent(service.baseUrl, `0x${'22'.repeat(32)}`);
    agent.token = token;
    return () => agent;
  };
  const member = await Member.of(service, owner);
  const stranger = await Agent.arrive(service);
  return {
    entitled: ({ audience }, about) => (audience[about % audience.length] === 'member' ? member : owner),
    stranger: () => stranger,
    nobody: without(''),
    garbage: without('not-a-token'),
  };
}

/** Purchases in several states, of a buyer whose limits no run reaches. */
async function purchaseKeys({ database, execute }: Service, owner: Agent): Promise<Keys> {
  await database.pool.query(
    'update grants set daily_limit_microcents = 500000000000, total_limit_microcents = null where principal_key = $1',
    [owner.wallet.address.toLowerCase()],
  );
  const keys: Keys = { quote_key: [], job_key: [], source_key: [] };
  for (let copies = 0; copies < 3; copies += 1) {
    const jobs = [await owner.authorizedJob(), await owner.paidJob(), await owner.paidJob()];
    await execute(jobs[2] ?? '');
    keys.job_key.push(...jobs);
    keys.quote_key.push((await owner.quote()).body.quote_key, (await owner.job(jobs[0] ?? '')).body.quote_key);
  }
  return keys;
}
