// Longer than 300 lines: the order of work behind the one door, from request to answer.
import type { z } from 'zod';
import type { LimitName } from '../configuration/rate-limits.ts';
import { type Admission, authenticate, type Besides, stillThere } from '../identity/authenticate.ts';
import { requireFreshSignIn } from '../identity/fresh.ts';
import { checkViolation, isDatabaseTrouble, lockNotAvailable, sqlState } from '../kernel/database.ts';
import { skewMaxSeconds } from '../kernel/database-clock.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { noteFullDisk } from '../kernel/disk.ts';
import { answerOf, type Claim, isTaken, releaseKey, remember, takeKey } from '../kernel/idempotency.ts';
import { errorFields, log } from '../kernel/log.ts';
import { metrics } from '../kernel/metrics.ts';
import { databaseOutage } from '../kernel/outage.ts';
import { noteOnSpan, traced } from '../kernel/trace.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { audienceOf, type Caller, customerOf, type Member, type Operator, scopeOf } from '../operation/caller.ts';
import { memberMay } from '../operation/member-roles.ts';
import { type Operation, pathKeys, problemsOf } from '../operation/operation.ts';
import { type ConsoleOperation, may, needsFreshSignIn } from '../operation/operator-roles.ts';
import { countRequest, originOf, paced } from '../operation/rate-limit.ts';
import type { Reply, Steps } from '../operation/verb.ts';
import { allOperations } from '../operations.ts';
import { PaymentRequired, Problem } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { advise, verbs } from '../verbs.ts';
import { chargeAnswer } from './charge-answer.ts';
import { readFrom } from './read-from.ts';
import { asKept, claimOf, inProgress, type Outcome, once, releasedAnswer } from './replay.ts';
import { parseInput, refuseTooLarge, refuseUnreadable } from './validation.ts';
import { untilChanged } from './wait.ts';

type OperationName = keyof typeof allOperations;
type OutputOf<Name extends OperationName> = z.output<(typeof allOperations)[Name]['output']>;

/**
 * The one door to the domain: authenticate, replay, parse, then run the verb. Throws `Problem` (only declared codes)
 * and, from paid operations, `PaymentRequired`. Logs anything else and throws `internal`.
 */
export function perform<Name extends OperationName>(
  name: Name,
  ctx: Context,
  rawInput: unknown,
): Promise<Outcome<OutputOf<Name>>> {
  const attributes = { request_id: ctx.requestId };
  return traced(name, { kind: 'server', attributes }, () => performed(name, ctx, rawInput));
}

async function performed<Name extends OperationName>(
  name: Name,
  ctx: Context,
  rawInput: unknown,
): Promise<Outcome<OutputOf<Name>>> {
  const operation: Operation = allOperations[name];
  const measured = measure(operation, ctx);
  try {
    requireClock(operation, ctx);
    const { caller, pace, claimed } = await admit(operation, ctx, rawInput);
    if (operation.totalInput && !isUnread(operation, ctx))
      refuseTooLarge(rawInput as Record<string, unknown>, operation.totalInput);
    refuseUnreadable(rawInput);
    const request: Request = { operation, ctx, caller, rawInput, claimed, verb: verbs[name] as AnyVerb };
    const outcome = await (operation.effect === 'read' ? read : change)(request).catch(async (error) => {
      const customer = customerOf(caller);
      throw customer ? await advise(error, customer, rawInput, ctx) : error;
    });
    if (caller.kind !== 'anonymous') databaseOutage.works();
    await chargeAnswer(operation, ctx, { caller, text: outcome.text });
    measured(outcome.status);
    return Object.assign(outcome, { headers: { ...outcome.headers, ...pace } }) as Outcome<OutputOf<Name>>;
  } catch (error) {
    const refusal = declared(operation, ctx, error);
    measured(refusal instanceof Problem ? refusal.status : 402);
    throw refusal;
  }
}

/** What a process with a wrong clock would decide or sign is worth nothing. Documents, which need no time, go on. */
function requireClock(operation: Operation, { runtime }: Context): void {
  if (Math.abs(runtime.skewSeconds()) <= skewMaxSeconds) return;
  if (problemsOf(operation).includes('service_unavailable')) throw unavailable('clock_differs');
}

/** Starts measuring an operation; call the result with its status. Long polls are not measured. */
function measure(operation: Operation, ctx: Context): (status: number) => void {
  const began = performance.now();
  return (status) => {
    noteOnSpan({ 'http.response.status_code': status });
    metrics.operations.inc({ operation: operation.name, status });
    if (operation.waits && ctx.wait) return;
    metrics.operationSeconds.observe({ operation: operation.name }, (performance.now() - began) / 1_000);
  };
}

/**
 * Authenticates and counts a request whose input cannot be read, so that strangers learn only that they are not known.
 * Throws `invalid_token` or `rate_limited`.
 */
export async function requireCaller(name: OperationName, ctx: Context): Promise<void> {
  const operation: Operation = allOperations[name];
  await admit(operation, ctx, null).catch((error) => {
    throw declared(operation, ctx, error);
  });
}

/** Authenticates and counts. Refuses the wrong audience and too many requests. */
async function admit(operation: Operation, ctx: Context, rawInput: unknown): Promise<Admission> {
  // Public operations need no credential: an agent whose session ended must be able to sign in again.
  if (operation.audience.includes('public')) {
    const pace = operation.limit ? await paceOfOrigin(operation.limit, ctx) : {};
    return { caller: await memberIfAny(operation, ctx), pace, claimed: undefined };
  }
  const admission = await authenticate(ctx, besides(operation, ctx, rawInput));
  const { caller } = admission;
  const audience = audienceOf[caller.kind];
  if (caller.kind === 'operator' ? mayAsk(caller, operation) : audience && operation.audience.includes(audience)) {
    if (caller.kind === 'operator' && needsFreshSignIn(operation.name as ConsoleOperation)) {
      requireFreshSignIn(caller, ctx.now);
    }
    if (caller.kind === 'member') requireRole(caller, operation);
    return admission;
  }
  // Answer `not_found`: operators' operations are published nowhere.
  if (operation.audience.includes('operator')) throw new Problem('not_found', 'There is nothing here for this caller.');
  throw needsCredential(ctx);
}

/** Whether the operation is for operators, and for this one's role. */
function mayAsk({ role }: Operator, { name, audience }: Operation): boolean {
  return audience.includes('operator') && may(role, name as ConsoleOperation);
}

/** Throws `role_missing`. */
function requireRole({ role }: Member, { name }: Operation): void {
  if (!memberMay(role, name)) throw new Problem('role_missing', `Your role on this account is ${role}.`);
}

/** The signed-in member, for public operations that show members more. An ended session is nobody's. */
async function memberIfAny({ audience }: Operation, ctx: Context): Promise<Caller> {
  const nobody: Caller = { kind: 'anonymous' };
  if (!audience.includes('member') || ctx.presented.memberSession === null) return nobody;
  try {
    return (await authenticate({ ...ctx, presented: { ...ctx.presented, bearer: null } })).caller;
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_token') return nobody;
    throw error;
  }
}

/** The refusal of a request without a credential. */
export function needsCredential({ baseUrl }: Pick<Context, 'baseUrl'>): Problem {
  return new Problem(
    'invalid_token',
    `No valid credential came with the request. ${baseUrl}/.well-known/svc says where to sign in or register.`,
  );
}

/** A verb by its effect alone; the contract types its input and output. */
type AnyVerb = (call: unknown) => Promise<Reply<unknown>>;

/** An authenticated request. */
interface Request extends Omit<Admission, 'pace'> {
  operation: Operation;
  verb: AnyVerb;
  ctx: Context;
  rawInput: unknown;
}

/** What to do with the caller's statement. Nothing in the request is trusted yet, so skip what cannot be a key. */
function besides(operation: Operation, ctx: Context, rawInput: unknown): Besides {
  const path = plainPath(operation, rawInput);
  const asOperator = operation.audience.includes('operator');
  if (!path) return { asOperator, limit: operation.limit, key: null };
  return {
    asOperator,
    limit: operation.limit,
    key:
      ctx.idempotencyKey === null || operation.idempotency === 'none'
        ? null
        : { operation: operation.name, pathKeys: path.join('/'), key: ctx.idempotencyKey },
  };
}

const plainKey = /^\w{1,64}$/;

/** The path keys; null when one cannot be a key. */
function plainPath(operation: Operation, rawInput: unknown): string[] | null {
  const path = pathKeys(operation).map((name) => (rawInput as Record<string, unknown> | null)?.[name]);
  return path.every((key) => typeof key === 'string' && plainKey.test(key)) ? (path as string[]) : null;
}

/** Counts a request of an unknown caller. */
async function paceOfOrigin(limit: LimitName, ctx: Context): Promise<Record<string, string>> {
  const { runtime, now } = ctx;
  const { rateLimits } = runtime.configuration;
  return paced(
    await countRequest(runtime.db.shared, { subject: originOf(ctx), name: limit }, rateLimits, now),
    rateLimits,
    now,
  );
}

function parse(operation: Operation, rawInput: unknown): Record<string, unknown> {
  return parseInput(operation.input, rawInput) as Record<string, unknown>;
}

async function read(request: Request): Promise<Outcome> {
  const { operation, ctx, caller, verb, rawInput } = request;
  const input = parse(operation, rawInput);
  const look = (who: Caller, now: Date) =>
    readFrom(operation, ctx.runtime, async (runtime, db) =>
      finish(operation, await verb({ ctx: { ...ctx, now, runtime }, caller: who, input, db })),
    );
  const first = await look(caller, ctx.now);
  if (!operation.waits) return first;
  const who = scopeOf(caller) ?? '';
  const waited = await untilChanged(ctx, first, {
    caller: who,
    what: `${operation.name} ${who} ${canonicalJson(input)}`,
    look: () => look(caller, ctx.runtime.clock()),
  });
  // Re-read the caller: a member may have paused or revoked the agent meanwhile.
  return waited ? look(await stillThere(ctx, caller), ctx.runtime.clock()) : first;
}

async function change(request: Request): Promise<Outcome> {
  const { operation, ctx, caller, claimed, rawInput } = request;
  // Replay before parsing; only a path without keys is refused first.
  const known = plainPath(operation, rawInput) ? (rawInput as Record<string, unknown>) : parse(operation, rawInput);
  const claim = claimOf(operation, ctx, caller, known);
  const run = operation.effect === 'money' ? pay : write;
  if (!claim) return run(request, isUnread(operation, ctx) ? {} : parse(operation, rawInput), null);
  return once(
    { claim, claimed, operation, ctx },
    { parse: () => parse(operation, rawInput), run: (input) => run(request, input, claim) },
  );
}

/** Whether the input is not looked at, because a payment must come first. */
function isUnread({ readsWhenPaid }: Operation, { payment }: Context): boolean {
  return readsWhenPaid === true && payment === null;
}

/** Runs an operation that calls a payment provider, in its own transactions. */
async function pay(request: Request, input: unknown, claim: Claim | null): Promise<Outcome> {
  const { operation, ctx, caller, verb } = request;
  const { db, clock } = ctx.runtime;
  const steps: Steps = {
    transact: (work) => transact(db, work),
    remember(tx, reply) {
      if (claim) remember(tx, claim, answerOf(finish(operation, reply)), clock());
    },
  };
  return finish(operation, await verb({ ctx, caller, input, db: db.shared, steps }));
}

/** Runs an operation in one transaction. */
async function write(request: Request, input: unknown, claim: Claim | null): Promise<Outcome> {
  const { operation, ctx, caller, verb } = request;
  const attempt = () => transact(ctx.runtime.db, written);
  const ended = await attempt().catch((error) => {
    if (isTaken(error) || sqlState(error) !== checkViolation) throw error;
    // A limit was lowered since it was read: read again and answer with what is left.
    return attempt();
  });
  if (ended instanceof Problem) throw ended;
  return ended;

  /** The whole write. Returns, instead of throwing, a refusal whose writes are kept. */
  async function written(tx: Tx): Promise<Outcome | Problem> {
    if (claim) takeKey(tx, claim, ctx.now);
    try {
      const outcome = finish(operation, await verb({ ctx, caller, input, tx }));
      if (claim) remember(tx, claim, operation.secret ? releasedAnswer(ctx) : answerOf(outcome), ctx.now);
      return outcome;
    } catch (error) {
      if (!(error instanceof Problem && error.extras.keepsWrites)) throw error;
      // A repeat must see how it stands then.
      if (claim) await releaseKey(tx, claim);
      return error;
    }
  }
}

function finish(operation: Operation, reply: Reply<unknown>): Outcome {
  const { status = operation.success[0] ?? 200, headers = {} } = reply;
  if ('text' in reply) return asKept({ status, text: reply.text, headers, replayed: false });
  // Parse on the way out: a new column stays off the wire until the contract names it.
  const body = operation.output.parse(reply.body);
  return { status, body, text: JSON.stringify(body), headers, replayed: false };
}

const unavailableBecause = {
  database_busy: 'The database cannot answer right now. Nothing acknowledged is lost.',
  database_unreachable: 'The database cannot answer right now. Nothing acknowledged is lost.',
  database_full: 'The database has no room to write. Nothing acknowledged is lost, and reading still works.',
  clock_differs: 'The clock of this server is wrong, so it decides nothing. Nothing acknowledged is lost.',
};

function unavailable(reason: keyof typeof unavailableBecause): Problem {
  return new Problem('service_unavailable', unavailableBecause[reason], {
    members: { reasons: [reason] },
    headers: { 'Retry-After': '2' },
  });
}

/** Only declared problems and requests for payment leave. Anything else is `internal`. */
function declared(operation: Operation, ctx: Context, error: unknown): Error {
  if (error instanceof PaymentRequired && (operation.paid || operation.signsIn)) return error;
  if (sqlState(error) === lockNotAvailable) {
    return problemsOf(operation).includes('idempotency_in_progress') ? inProgress() : unavailable('database_busy');
  }
  if (noteFullDisk(ctx.runtime.db, error)) {
    log('database_full', { operation: operation.name, ...errorFields(error) });
    return unavailable('database_full');
  }
  if (isDatabaseTrouble(error)) {
    databaseOutage.failed(error);
    return unavailable('database_unreachable');
  }
  if (error instanceof Problem && problemsOf(operation).includes(error.code)) return error;
  const undeclared = error instanceof Problem ? { undeclared: error.code } : {};
  log('operation_failed', {
    operation: operation.name,
    request_id: ctx.requestId,
    ...undeclared,
    ...errorFields(error),
  });
  return new Problem('internal', 'The request could not be completed. Nothing that was acknowledged is lost.', {
    headers: { 'Retry-After': '2' },
  });
}
