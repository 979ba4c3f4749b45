import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../server/operations.ts';
import type { InputOf, OperationName, OutputOf } from './contract.ts';
import type { Kept } from './kept.ts';

/** A refusal of the service: `code` is for programs, `message` for people. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(String(body.detail ?? body.title ?? body.error ?? `HTTP ${status}`));
    this.status = status;
    this.code = String(body.code ?? '');
    this.body = body;
  }
}

export interface Options {
  baseUrl: string;
  kept: Kept;
  fetch?: typeof fetch;
  pause?: (ms: number) => Promise<unknown>;
}

interface Sending {
  /** The same for each try, so that the service can tell a repeat. */
  key?: string | undefined;
  headers?: Record<string, string>;
}

/** A challenge works once: whoever loses the answer asks for another. */
const once: ReadonlySet<OperationName> = new Set(['wallet_verify']);
const triesMax = 12;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** What passes by itself. */
const passing = new Set(['idempotency_in_progress', 'payment_unknown', 'rate_limited', 'service_unavailable']);

/** Sends operations: fills paths, repeats what was lost under the key of the first try, and waits as it is told. */
export class Transport {
  readonly kept: Kept;
  token: string | null = null;
  readonly #baseUrl: string;
  readonly #fetch: typeof fetch;
  readonly pause: (ms: number) => Promise<unknown>;

  constructor({ baseUrl, kept, fetch = globalThis.fetch, pause = (ms) => sleep(ms) }: Options) {
    this.#baseUrl = baseUrl;
    this.kept = kept;
    this.#fetch = fetch;
    this.pause = pause;
  }

  /**
   * Calls an operation that changes something. The key of the first try is kept under `as` before anything is sent: the
   * same name later is the same request, whatever became of the process or the answer.
   */
  async keep<Name extends OperationName>(name: Name, input: InputOf<Name>, as: string): Promise<OutputOf<Name>> {
    const saved = this.kept.read(as) as { key: string; input: InputOf<Name> } | undefined;
    const request = saved ?? { key: randomUUID(), input };
    if (!saved) this.kept.write(as, request);
    return this.call(name, request.input, { key: request.key });
  }

  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    sending: Sending = {},
  ): Promise<OutputOf<Name>> {
    const response = await this.send(name, input, sending);
    const body = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Refused(response.status, body);
    return body as OutputOf<Name>;
  }

  /** The last answer, after as many tries as it takes. Its body has not been read. */
  async send<Name extends OperationName>(name: Name, input: InputOf<Name>, sending: Sending): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.#once(name, input, sending).catch((error: unknown) => {
        if (once.has(name) || tries >= triesMax) throw error;
        return null;
      });
      if (response && (tries >= triesMax || !(await mayPass(response)))) return response;
      await this.pause(waitMs(response, tries));
    }
  }

  async #once(name: OperationName, input: object, { key, headers }: Sending): Promise<Response> {
    const { method, path } = operations[name];
    const members: Record<string, unknown> = { ...input };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, member: string) => {
      const value = String(members[member]);
      delete members[member];
      return encodeURIComponent(value);
    });
    const url = new URL(filled, this.#baseUrl);
    const isRead = method === 'GET';
    if (isRead) for (const [member, value] of Object.entries(members)) url.searchParams.set(member, String(value));
    const response = await this.#fetch(url, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(isRead ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(isRead ? {} : { body: JSON.stringify(members) }),
    });
    // Read it while it can still be asked for again.
    const text = await response.text();
    return new Response(text, { status: response.status, headers: response.headers });
  }
}

async function mayPass(response: Response): Promise<boolean> {
  if (response.status >= 500 || response.status === 429) return true;
  if (response.ok || response.status === 402) return false;
  const { code } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string };
  return code !== undefined && passing.has(code);
}

/** As long as the service says; else twice as long each time. */
function waitMs(response: Response | null, tries: number): number {
  const told = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  return Number.isFinite(told) ? told : Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
}
