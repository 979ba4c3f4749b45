import type { z } from 'zod';
import { type Besides, type Caller, type CallerFor, callerOf, stillThere } from './identity/caller.ts';
import { after } from './kernel/clock.ts';
import { checkViolation, isDatabaseTrouble, lockNotAvailable, type Queries, sqlState } from './kernel/database.ts';
import { canonicalJson, digestOf } from './kernel/digest.ts';
import {
  answerOf,
  type Claim,
  claimKey,
  isTaken,
  keepAnswer,
  type Recalled,
  recall,
  recalled,
  remember,
  type StoredAnswer,
  takeKey,
} from './kernel/idempotency.ts';
import { errorFields, log } from './kernel/log.ts';
import { type LimitName, type Operation, pathKeys, problemsOf } from './kernel/operation.ts';
import { databaseOutage } from './kernel/outage.ts';
import { PaymentRequired, Problem, problemText } from './kernel/problem.ts';
import { countRequest, originOf, paced } from './kernel/rate-limit.ts';
import { type Tx, transact } from './kernel/transaction.ts';
import { parseInput, refuseTooLarge, refuseUnreadable } from './kernel/validation.ts';
import { asOneWhoWaits, nextLook } from './kernel/waiting.ts';
import { allOperations } from './operations.ts';
import { jobAbout } from './purchases/job.ts';
import { withNextActions } from './purchases/next-actions.ts';
import { roomAbout } from './purchases/quote.ts';
import type { Context } from './runtime.ts';
import { verbs } from './verbs.ts';

/** What a verb answers, and the status where the operation has more than one. */
export type Reply<Output> = {
  status?: 200 | 201 | 202;
  headers?: Record<string, string>;
} & (
  | { body: Output }
  /** The exact JSON of the body, where it was made by the contract and is kept as it went out. */
  | { text: string }
);

interface Call<Op extends Operation> {
  ctx: Context;
  caller: CallerFor<Op['audience'][number]>;
  input: z.output<Op['input']>;
}

/** The steps of a verb that calls a payment provider: transactions before and after, and the answer to keep. */
export interface Steps {
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Keeps the final answer under the request's key, in the transaction that records the fact. */
  remember(tx: Tx, reply: Reply<unknown>): void;
}

/** The code behind an operation. What it is given follows from the operation's effect. */
export type Verb<Op extends Operation> = Op['effect'] extends 'read'
  ? (call: Call<Op> & { db: Queries }) => Promise<Reply<z.input<Op['output']>>>
  : Op['effect'] extends 'write'
    ? (call: Call<Op> & { tx: Tx }) => Promise<Reply<z.input<Op['output']>>>
    : (call: Call<Op> & { db: Queries; steps: Steps }) => Promise<Reply<z.input<Op['output']>>>;

/** An answer on its way out: `text` is the exact JSON to send. */
export interface Outcome<Output = unknown> {
  status: number;
  body: Output;
  text: string;
  headers: Record<string, string>;
  replayed: boolean;
}

type OperationName = keyof typeof allOperations;
type OutputOf<Name extends OperationName> = z.output<(typeof allOperations)[Name]['output']>;

/**
 * The one door to the domain: authenticate, replay, parse and bound, then the verb with the grant in its hand.
 * Throws `Problem` (only codes the operation declares) and, from an operation that is paid for, `PaymentRequired`.
 * Whatever else goes wrong is logged and leaves as `internal`.
 */
export async function perform<Name extends OperationName>(
  name: Name,
  ctx: Context,
  rawInput: unknown,
): Promise<Outcome<OutputOf<Name>>> {
  const operation: Operation = allOperations[name];
  try {
    const { caller, pace } = await admit(operation, ctx, rawInput);
    if (operation.totalInput) refuseTooLarge(rawInput as Record<string, unknown>, operation.totalInput);
    refuseUnreadable(rawInput);
    const outcome = await (operation.effect === 'read' ? read : change)(name, operation, ctx, caller, rawInput).catch(
      async (error) => {
        throw caller.kind === 'anonymous' || caller.kind === 'operator'
          ? error
          : await withNextActions(error, caller, rawInput, ctx.runtime, ctx);
      },
    );
    if (caller.kind !== 'anonymous') databaseOutage.works();
    return Object.assign(outcome, { headers: { ...outcome.headers, ...pace } }) as Outcome<OutputOf<Name>>;
  } catch (error) {
    throw declared(operation, ctx, error);
  }
}

/**
 * Refuses whom `perform` would refuse whatever the input, and counts the request: for one whose input cannot be read, so
 * that a stranger hears of that alone. Throws `invalid_token` or `rate_limited`.
 */
export async function requireCaller(name: OperationName, ctx: Context): Promise<void> {
  const operation: Operation = allOperations[name];
  await admit(operation, ctx, null).catch((error) => {
    throw declared(operation, ctx, error);
  });
}

/** Authenticates and counts, and refuses a caller whom the operation is not for, or who asks too often. */
async function admit(
  operation: Operation,
  ctx: Context,
  rawInput: unknown,
): Promise<{ caller: Caller; pace: Record<string, string> }> {
  // What everyone may ask for needs no credential: an agent whose session has ended must be able to sign in again.
  if (operation.audience.includes('public')) {
    return { caller: { kind: 'anonymous' }, pace: operation.limit ? await paceOfOrigin(operation.limit, ctx) : {} };
  }
  const caller = await callerOf(ctx, besides(operation, ctx, rawInput));
  const audience = caller.kind === 'wallet' ? 'agent' : caller.kind;
  if (audience !== 'anonymous' && operation.audience.includes(audience))
    return { caller, pace: 'pace' in caller ? caller.pace : {} };
  throw needsCredential(ctx);
}

/** The refusal of a request that says nothing about who makes it. */
export function needsCredential({ baseUrl }: Pick<Context, 'baseUrl'>): Problem {
  return new Problem(
    'invalid_token',
    `No valid credential came with the request. ${baseUrl}/.well-known/svc says where to sign in or register.`,
  );
}

/** What is looked up with the caller, before anything in the request is believed: nothing that cannot be a key. */
function besides(operation: Operation, ctx: Context, rawInput: unknown): Besides {
  const path = plainPath(operation, rawInput);
  if (!path) return { limit: operation.limit, key: null, about: null };
  return {
    limit: operation.limit,
    key:
      ctx.idempotencyKey === null || operation.idempotency === 'none'
        ? null
        : { operation: operation.name, pathKeys: path.join('/'), key: ctx.idempotencyKey },
    about: operation.reads === 'job' ? jobAbout(String(path[0])) : operation.reads === 'room' ? roomAbout(ctx) : null,
  };
}

const plainKey = /^\w{1,64}$/;

/** The keys in the address of a request; null when one of them cannot be a key. */
function plainPath(operation: Operation, rawInput: unknown): string[] | null {
  const path = pathKeys(operation).map((name) => (rawInput as Record<string, unknown> | null)?.[name]);
  return path.every((key) => typeof key === 'string' && plainKey.test(key)) ? (path as string[]) : null;
}

/** Counts a request of somebody who is not known yet. */
async function paceOfOrigin(limit: LimitName, ctx: Context): Promise<Record<string, string>> {
  const { runtime, now } = ctx;
  const { rateLimits } = runtime.configuration;
  return paced(await countRequest(runtime.db.shared, originOf(ctx), limit, rateLimits, now), rateLimits, now);
}

function parse(operation: Operation, rawInput: unknown): Record<string, unknown> {
  return parseInput(operation.input, rawInput) as Record<string, unknown>;
}

async function read(
  name: OperationName,
  operation: Operation,
  ctx: Context,
  caller: Caller,
  rawInput: unknown,
): Promise<Outcome> {
  const input = parse(operation, rawInput);
  const verb = verbs[name] as unknown as (call: unknown) => Promise<Reply<unknown>>;
  const look = async (who: Caller, at: Date) =>
    finish(operation, await verb({ ctx: { ...ctx, now: at }, caller: who, input, db: ctx.runtime.db.shared }));
  let outcome = await look(caller, ctx.now);
  if (!operation.waits || !ctx.wait) return outcome;
  // Without knowing what the reader holds, there is something to wait for only while the answer says "look again".
  if (ctx.wait.seen === null && !outcome.headers['Retry-After']) return outcome;
  const first = digestOf(outcome.text);
  const seen = ctx.wait.seen ?? first;
  const until = after(ctx.now, ctx.wait.seconds);
  if (digestOf(outcome.text) !== seen || ctx.wait.seconds === 0) return outcome;
  const who = scopeOf(caller) ?? '';
  const waited = await asOneWhoWaits(who, async () => {
    do {
      const lookAgain = () => look(afresh(caller), ctx.runtime.clock());
      outcome = await nextLook(`${name} ${who} ${canonicalJson(input)}`, lookAgain);
    } while (digestOf(outcome.text) === seen && ctx.runtime.clock() < until && !ctx.runtime.stopping.aborted);
  });
  if (!waited) return outcome;
  // The answer is for who asks as it stands now: meanwhile a member may have paused the agent, or revoked it.
  return look(await stillThere(ctx, afresh(caller)), ctx.runtime.clock());
}

/** The caller without what was read with it. */
function afresh(caller: Caller): Caller {
  return 'about' in caller && caller.about ? { ...caller, about: null } : caller;
}

async function change(
  name: OperationName,
  operation: Operation,
  ctx: Context,
  caller: Caller,
  rawInput: unknown,
): Promise<Outcome> {
  // What was answered is answered again before it is looked at: only an address that is none is refused ahead of that.
  const claim = claimOf(operation, ctx, caller, plainPath(operation, rawInput) ? rawInput : parse(operation, rawInput));
  if (!claim) return run(name, operation, ctx, caller, parse(operation, rawInput), null);
  const { shared } = ctx.runtime.db;
  const known = 'claimed' in caller ? recalled(caller.claimed, claim) : await recall(shared, claim);
  const answer = replay(known);
  if (answer) return answer;
  try {
    const input = parse(operation, rawInput);
    // A request of several transactions claims its key ahead of them. What a crash of the database may lose of it is the
    // claim of a request that has done nothing yet.
    if (operation.effect === 'money' && known.state === 'unknown' && !(await claimKey(shared, claim, ctx.now))) {
      const twin = replay(await recall(shared, claim));
      if (twin) return twin;
    }
    return await run(name, operation, ctx, caller, input, claim);
  } catch (error) {
    // Who presents no payment asks what to sign, which is so whatever becomes of a twin.
    if (error instanceof PaymentRequired && ctx.payment === null) throw error;
    // A twin may have answered while this one was on its way to being refused: its answer is the answer.
    const answered = replay(await recall(shared, claim));
    if (answered) return answered;
    if (isTaken(error)) throw inProgress();
    if (error instanceof Problem && (error.status === 400 || error.status === 422)) {
      await keepAnswer(
        ctx.runtime.db,
        claim,
        { status: error.status, body: problemText(error, ctx), headers: {} },
        ctx.now,
      );
    }
    throw error;
  }
}

async function run(
  name: OperationName,
  operation: Operation,
  ctx: Context,
  caller: Caller,
  input: Record<string, unknown>,
  claim: Claim | null,
): Promise<Outcome> {
  const verb = verbs[name] as unknown as (call: unknown) => Promise<Reply<unknown>>;
  const { db } = ctx.runtime;
  if (operation.effect === 'money') {
    const steps: Steps = {
      transact: (work) => transact(db, work),
      remember(tx, reply) {
        if (claim) remember(tx, claim, answerOf(finish(operation, reply)), ctx.runtime.clock());
      },
    };
    return finish(operation, await verb({ ctx, caller, input, db: db.shared, steps }));
  }
  const attempt = (who: Caller) => transact(db, (tx) => write(tx, who));
  const ended = await attempt(caller).catch((error) => {
    // Who has waited for its turn in vain is not made to wait again.
    if (isTaken(error) || sqlState(error) === lockNotAvailable) throw error;
    // The job may have moved on since it was read with its buyer: it is looked at again, and held.
    if (operation.reads === 'job' && afresh(caller) !== caller) return attempt(afresh(caller));
    // A limit was lowered between the look at it and the write: looked at again, it says what is left.
    return sqlState(error) === checkViolation ? attempt(caller) : Promise.reject(error);
  });
  if (ended instanceof Problem) throw ended;
  return ended;

  /** The whole write. Gives back, instead of throwing, a refusal whose writes are kept. */
  async function write(tx: Tx, who: Caller): Promise<Outcome | Problem> {
    if (claim) takeKey(tx, claim, ctx.now);
    try {
      const outcome = finish(operation, await verb({ ctx, caller: who, input, tx }));
      if (claim) remember(tx, claim, operation.secret ? releasedAnswer(ctx) : answerOf(outcome), ctx.now);
      return outcome;
    } catch (error) {
      if (error instanceof Problem && error.extras.keepsWrites) return error;
      throw error;
    }
  }
}

/** What is kept in place of an answer with a secret: a repeat is told that it was given (interface.md 1). */
function releasedAnswer(ctx: Context): StoredAnswer {
  const problem = new Problem('credential_already_released', 'The first answer to this request carried the secret.');
  return { status: problem.status, body: problemText(problem, ctx), headers: {} };
}

/** The answer that was given to this request before. Throws when it was a refusal, or when the key is taken. */
function replay(known: Recalled): Outcome | null {
  if (known.state === 'conflict') {
    throw new Problem('idempotency_key_conflict', 'This key belongs to a request with another body.');
  }
  if (known.state !== 'answered') return null;
  const { status, body: text, headers } = known.answer;
  if (status >= 400) {
    const { code, detail } = JSON.parse(text);
    throw new Problem(code, detail, { replayOf: text });
  }
  return asKept({ status, text, headers, replayed: true });
}

/** An answer that is kept as its text. Most leave as the text they are, so the body is read for whoever looks at it. */
function asKept(kept: Omit<Outcome, 'body'>): Outcome {
  return {
    ...kept,
    get body() {
      return JSON.parse(kept.text);
    },
  };
}

/** The request's claim on its idempotency key; null when it carries none. */
function claimOf(operation: Operation, ctx: Context, caller: Caller, rawInput: unknown): Claim | null {
  if (operation.idempotency === 'none') return null;
  if (ctx.idempotencyKey === null) {
    if (operation.idempotency === 'optional') return null;
    // What else is wrong is told first: one who chooses a key then need not come a third time.
    parse(operation, rawInput);
    const detail = 'Choose a key, save it with the request, and send it as idempotency_key.';
    throw new Problem('idempotency_key_required', `${operation.name} needs an idempotency key. ${detail}`, {
      errors: [{ pointer: '/idempotency_key', code: 'required', detail }],
    });
  }
  const input = rawInput as Record<string, unknown>;
  const keys = pathKeys(operation);
  const bodyOnly = Object.fromEntries(Object.entries(input).filter(([name]) => !keys.includes(name)));
  const fingerprint = digestOf(canonicalJson(bodyOnly));
  return {
    scope: scopeOf(caller) ?? fingerprint,
    operation: operation.name,
    pathKeys: keys.map((name) => String(input[name])).join('/'),
    key: ctx.idempotencyKey,
    fingerprint,
  };
}

/** Whose keys count together; null where nobody is known. */
function scopeOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'anonymous':
      return null;
    case 'operator':
      return caller.name;
    case 'member':
      return caller.memberKey;
    default:
      return caller.principalKey;
  }
}

function finish(operation: Operation, reply: Reply<unknown>): Outcome {
  const { status = operation.success[0] ?? 200, headers = {} } = reply;
  if ('text' in reply) return asKept({ status, text: reply.text, headers, replayed: false });
  // Parsed on the way out: a column that somebody adds does not reach the wire until the contract names it.
  const body = operation.output.parse(reply.body);
  return { status, body, text: JSON.stringify(body), headers, replayed: false };
}

function inProgress(): Problem {
  return new Problem('idempotency_in_progress', 'The first request with this key has not ended yet.', {
    headers: { 'Retry-After': '1' },
  });
}

function unavailable(reason: 'database_busy' | 'database_unreachable'): Problem {
  return new Problem('service_unavailable', 'The database cannot answer right now. Nothing acknowledged is lost.', {
    members: { reasons: [reason] },
    headers: { 'Retry-After': '2' },
  });
}

/** What may leave: a problem that the operation declares, or a request for payment. Anything else is our fault. */
function declared(operation: Operation, ctx: Context, error: unknown): Error {
  if (error instanceof PaymentRequired && operation.paid) return error;
  if (sqlState(error) === lockNotAvailable) {
    return problemsOf(operation).includes('idempotency_in_progress') ? inProgress() : unavailable('database_busy');
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
