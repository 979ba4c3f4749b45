import { canonicalJson, digestOf } from '../kernel/digest.ts';
import {
  type Claim,
  type ClaimRow,
  claimKey,
  isTaken,
  keepAnswer,
  noteRepeat,
  type Recalled,
  recall,
  recalled,
  releaseKey,
  type StoredAnswer,
} from '../kernel/idempotency.ts';
import { type Caller, scopeOf } from '../operation/caller.ts';
import { type Operation, pathKeys } from '../operation/operation.ts';
import { PaymentRequired, Problem, problemText } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { parseInput } from './validation.ts';

/** An answer on its way out: `text` is the exact JSON to send. */
export interface Outcome<Output = unknown> {
  status: number;
  body: Output;
  text: string;
  headers: Record<string, string>;
  replayed: boolean;
}

/** The request's claim on its idempotency key; null when it carries none. Throws `idempotency_key_required`. */
export function claimOf(
  operation: Operation,
  ctx: Context,
  caller: Caller,
  input: Record<string, unknown>,
): Claim | null {
  if (operation.idempotency === 'none') return null;
  if (ctx.idempotencyKey === null) {
    if (operation.idempotency === 'optional') return null;
    // Report other faults first, so that adding a key is the last correction.
    parseInput(operation.input, input);
    const detail = 'Choose a key, save it with the request, and send it as idempotency_key.';
    throw new Problem('idempotency_key_required', `${operation.name} needs an idempotency key. ${detail}`, {
      errors: [{ pointer: '/idempotency_key', code: 'required', detail }],
    });
  }
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

/** A request with its claim. */
interface Claimed {
  claim: Claim;
  /** The claim as read with the caller; undefined when nobody has looked. */
  claimed: ClaimRow | null | undefined;
  operation: Operation;
  ctx: Context;
}

/**
 * Runs a request under its claim once. A repeat gets the first answer, even if its input no longer parses; of
 * concurrent twins one runs. Throws `idempotency_key_conflict`, `idempotency_in_progress`, and what `parse` and `run`
 * throw. Keeps a verb's permanent refusals as the answer.
 */
export async function once<Input>(
  { claim, claimed, operation, ctx }: Claimed,
  { parse, run }: { parse(): Input; run(input: Input): Promise<Outcome> },
): Promise<Outcome> {
  const { shared } = ctx.runtime.db;
  const repeated = async (found: Recalled) => {
    if (found.state === 'answered') await noteRepeat(shared, claim, found, ctx.now);
    return replayed(found);
  };
  const known = claimed === undefined ? await recall(shared, claim) : recalled(claimed, claim);
  const answer = await repeated(known);
  if (answer) return answer;
  // What breaks a rule of the input leaves the key free for the corrected request.
  const input = parse();
  let isOurs = false;
  try {
    // Take the key before the first transaction. If the database loses the claim in a crash, nothing was done yet.
    if (operation.effect === 'money' && known.state === 'unknown') {
      isOurs = await claimKey(shared, claim, ctx.now);
      const twin = isOurs ? null : await repeated(await recall(shared, claim));
      if (twin) return twin;
    }
    return await run(input);
  } catch (error) {
    // An unpaid request asks what to sign, whatever its twin does.
    if (error instanceof PaymentRequired && ctx.payment === null) throw error;
    // A twin may have answered while this one was being refused: return its answer. It may be this one's own answer,
    // too, which makes no repeat, unless the key was taken.
    const found = await recall(shared, claim);
    const answered = isTaken(error) ? await repeated(found) : replayed(found);
    if (answered) return answered;
    if (isTaken(error)) throw inProgress();
    if (error instanceof Problem) await keepRefusal(error, { claim, ctx }, isOurs);
    throw error;
  }
}

/** Keeps a permanent refusal as the answer; what breaks a rule of the input gives a key back that was taken for it. */
async function keepRefusal(error: Problem, { claim, ctx }: Pick<Claimed, 'claim' | 'ctx'>, isOurs: boolean) {
  if (error.code === 'validation_failed') {
    if (isOurs) await releaseKey(ctx.runtime.db.shared, claim);
  } else if (error.status === 400 || error.status === 422) {
    const refusal = { status: error.status, body: problemText(error, ctx), headers: {} };
    await keepAnswer(ctx.runtime.db, claim, refusal, ctx.now);
  }
}

/** The earlier answer to this request. Throws it if it was a refusal, or if the key is taken. */
function replayed(known: Recalled): Outcome | null {
  if (known.state === 'conflict') {
    throw new Problem('idempotency_key_conflict', 'This key was used with another body.');
  }
  if (known.state !== 'answered') return null;
  const { status, body: text, headers } = known.answer;
  if (status >= 400) {
    const { code, detail } = JSON.parse(text);
    throw new Problem(code, detail, { replayOf: text });
  }
  return asKept({ status, text, headers, replayed: true });
}

/** An answer kept as text. Most leave as text, so parse the body only on demand. */
export function asKept(kept: Omit<Outcome, 'body'>): Outcome {
  return {
    ...kept,
    get body() {
      return JSON.parse(kept.text);
    },
  };
}

/** Replaces an answer with a secret: a repeat learns that it was given (specification 3.3). */
export function releasedAnswer(ctx: Context): StoredAnswer {
  const problem = new Problem('credential_already_released', 'The first answer to this request carried the secret.');
  return { status: problem.status, body: problemText(problem, ctx), headers: {} };
}

export function inProgress(): Problem {
  return new Problem('idempotency_in_progress', 'The first request with this key is still running.', {
    headers: { 'Retry-After': '1' },
  });
}
