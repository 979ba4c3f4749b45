// One call of the API, from its headers to its answer: key, fault, idempotency, parameters, effect, record.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import type { FaultQueue, Gate } from '../fault-queue.ts';
import { authenticate } from './authentication.ts';
import { findEndpoint } from './endpoints/all.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { errorJson, refused, StripeFault } from './errors.ts';
import { expandPaths } from './expand.ts';
import type { ApiFault } from './faults.ts';
import { type FormValue, readForm } from './form.ts';
import { inUse, type Keys } from './idempotency.ts';
import { newId } from './ids.ts';
import { readParameters } from './parameters.ts';
import { NOBODY, type Provider } from './provider.ts';

/** The API with its switches. */
export interface Api {
  readonly provider: Provider;
  readonly keys: Keys;
  readonly faults: FaultQueue<ApiFault>;
  readonly holds: Gate;
  /** Requests, newest first. */
  readonly calls: CallRecord[];
  /** Does what is due by the clock. */
  runDue(): void;
}

export interface CallRecord {
  readonly endpoint: string;
  readonly path: string;
  readonly key: string | null;
  readonly fault: ApiFault['mode'] | null;
  readonly replayed: boolean;
  /** Null when the caller got none. */
  readonly status: number | null;
}

export interface ApiCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** `cut` sends half of the body: as if it were whole, or before breaking the connection. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly cut?: 'truncate' | 'sever';
}

type Outcome = { status: number; body: string; begun: boolean };

const CALLS_KEPT = 1_000;
const JSON_INDENT = 2;
const NOT_SERVED: readonly ApiFault['mode'][] = ['drop_before', 'conflict_409', 'limit_429'];

/** Answers a call; null breaks the connection. */
export async function answerCall(api: Api, call: ApiCall): Promise<ApiAnswer | null> {
  const request = newId('req');
  const key = call.method === 'POST' ? headerOf(call, 'idempotency-key') : undefined;
  const found = findEndpoint(call.method, call.url.pathname);
  const fault = found ? takeFault(api.faults, found.endpoint.name) : undefined;
  let replayed = false;
  let answer: ApiAnswer | null;
  try {
    authenticate(headerOf(call, 'authorization'), found?.endpoint.name ?? '');
    if (!found) throw unknownAddress(call);
    requireVersion(headerOf(call, 'stripe-version'));
    const served = await serve(api, { call, request, key, fault, ...found });
    replayed = served !== null && 'idempotent-replayed' in served.headers;
    answer = served;
  } catch (error) {
    const outcome = outcomeOf(error);
    answer = { ...outcome, headers: headersOf(request, key) };
  }
  const { pathname } = call.url;
  const endpoint = found?.endpoint.name ?? 'unknown';
  const record = { endpoint, path: pathname, key: key ?? null, fault: fault?.mode ?? null, replayed };
  api.calls.unshift({ ...record, status: answer?.status ?? null });
  api.calls.splice(CALLS_KEPT);
  return answer;
}

type Served = {
  readonly call: ApiCall;
  readonly request: string;
  readonly key: string | undefined;
  readonly fault: ApiFault | undefined;
  readonly endpoint: Endpoint;
  readonly path: Record<string, string>;
};

async function serve(api: Api, served: Served): Promise<ApiAnswer | null> {
  const { call, request, key, fault } = served;
  if (fault?.mode === 'drop_before') return null;
  if (fault && NOT_SERVED.includes(fault.mode)) throw notServed(fault.mode, key ?? '');
  const given = readCall(call);
  const saved = key ? api.keys.claim(key, call.url.pathname, fingerprintOf(given)) : undefined;
  try {
    if (fault?.mode === 'hold_before') await api.holds.hold();
    if (saved) {
      const replay = { 'idempotent-replayed': 'true', 'original-request': saved.request };
      const { status, body } = fault?.mode === 'error_500' ? internalError() : saved;
      return await send(api, fault, { status, body, headers: { ...headersOf(request, key), ...replay } });
    }
    const outcome = carryOut(api, served, given);
    return await send(api, fault, { status: outcome.status, body: outcome.body, headers: headersOf(request, key) });
  } finally {
    if (key && !saved) api.keys.release(key);
  }
}

/** Runs without awaiting, so nothing else happens at the provider meanwhile, and saves everything at once. */
function carryOut(api: Api, { call, request, key, fault, endpoint, path }: Served, given: FormValue): Outcome {
  const { provider, keys } = api;
  api.runDue();
  provider.cause = { id: request, idempotency_key: key ?? null };
  let outcome: Outcome;
  if (fault?.mode === 'error_500') outcome = internalError();
  else if (fault?.mode === 'error_400') outcome = outcomeOf(refused(`${endpoint.name} is not possible here.`));
  else outcome = perform(provider, endpoint, path, given);
  if (fault?.mode === 'error_500_after') outcome = internalError();
  provider.cause = NOBODY;
  const { status, body, begun } = outcome;
  if (key && begun) {
    keys.keep({ id: key, path: call.url.pathname, fingerprint: fingerprintOf(given), status, body, request });
  }
  provider.store.save();
  return outcome;
}

function perform(provider: Provider, endpoint: Endpoint, path: Record<string, string>, given: FormValue): Outcome {
  try {
    const parameters = readParameters(endpoint.parameters, given) as { expand?: string[] };
    const answer = endpoint.run(provider, parameters as never, path);
    const expanded = expandPaths(provider.store, answer, parameters.expand ?? []);
    return { status: 200, body: JSON.stringify(expanded, null, JSON_INDENT), begun: true };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** The answer as the fault leaves it. */
async function send({ holds }: Api, fault: ApiFault | undefined, answer: ApiAnswer): Promise<ApiAnswer | null> {
  if (fault?.mode === 'hold_after') await holds.hold();
  if (fault?.mode === 'slow') await sleep(fault.ms);
  if (fault?.mode === 'drop_after') return null;
  if (fault?.mode === 'truncate' || fault?.mode === 'sever') return { ...answer, cut: fault.mode };
  return answer;
}

/** Counts `skip` down on the fault itself, so that the list of faults shows what is left. */
function takeFault(faults: FaultQueue<ApiFault>, name: string): ApiFault | undefined {
  return faults.take((fault) => {
    if (fault.on !== 'any' && fault.on !== name) return false;
    if (fault.skip === 0) return true;
    fault.skip -= 1;
    return false;
  });
}

function readCall({ method, url, body }: ApiCall): FormValue {
  try {
    return readForm(method === 'POST' ? body : url.search.slice(1));
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function fingerprintOf(given: FormValue): string {
  return createHash('sha256').update(JSON.stringify(given)).digest('hex');
}

function headersOf(request: string, key: string | undefined): Record<string, string> {
  return {
    'request-id': request,
    'stripe-version': Stripe.API_VERSION,
    ...(key ? { 'idempotency-key': key, 'original-request': request } : {}),
  };
}

function headerOf({ headers }: ApiCall, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function requireVersion(version: string | undefined): void {
  if (version === undefined || version === Stripe.API_VERSION) return;
  throw new StripeFault(400, { type: 'invalid_request_error', message: `Invalid Stripe API version: ${version}` });
}

function unknownAddress({ method, url }: ApiCall): StripeFault {
  const message = `Unrecognized request URL (${method}: ${url.pathname}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  return new StripeFault(404, { type: 'invalid_request_error', message });
}

function notServed(mode: ApiFault['mode'], key: string): StripeFault {
  if (mode === 'conflict_409') return inUse(key);
  const message =
    'Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.';
  return new StripeFault(429, { type: 'invalid_request_error', code: 'rate_limit', message });
}

function internalError(): Outcome {
  const message = 'An unknown error occurred';
  return { status: 500, body: JSON.stringify(errorJson({ type: 'api_error', message })), begun: true };
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof StripeFault)) {
    console.error(error);
    return internalError();
  }
  return { status: error.status, body: JSON.stringify(errorJson(error.body), null, JSON_INDENT), begun: error.begun };
}
