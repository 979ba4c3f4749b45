import type { z } from 'zod';
import type { ProblemCode } from '../problems.ts';

/**
 * Who may ask: anyone, a software agent (or wallet) with a credential, a signed-in member of the account, an operator of
 * the service.
 */
export type Audience = 'public' | 'agent' | 'member' | 'operator';

/** Whose operations have an address, and stand in the documents. Any other audience is published nowhere. */
export type PublishedAudience = Extract<Audience, 'public' | 'agent' | 'member'>;

/**
 * What asking does. `read` changes nothing. `write` is one transaction, opened by the door. `money` calls a payment
 * provider between two transactions of its own (intent, call, fact).
 */
export type Effect = 'read' | 'write' | 'money';

/** What an operation can have read with its buyer: the job that its path names, or what room the grant leaves. */
export type ReadName = 'job' | 'room';

/**
 * Which rate limits there are (specification 3.5). The first counts for a principal or a member, the second for a principal,
 * the others by block of addresses.
 */
export type LimitName =
  | 'requests'
  | 'quotes'
  | 'wallet_challenges'
  | 'wallet_verifications'
  | 'registrations'
  | 'sign_in_links'
  | 'claims'
  | 'pages';

/**
 * One thing a caller can ask for, as data. The REST handler, the OpenAPI operation, the discovery entry and the MCP
 * tool are all derived from it; nothing about it is written twice.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{path_key}` parameters, which are members of the input. */
  readonly path: string;
  readonly audience: readonly Audience[];
  readonly effect: Effect;
  /** `required`: a request without an idempotency key is refused. Every other POST takes one. */
  readonly idempotency: 'none' | 'optional' | 'required';
  readonly input: Input;
  readonly output: Output;
  /** The statuses of success, the usual one first. */
  readonly success: readonly (200 | 201 | 202)[];
  readonly problems: readonly ProblemCode[];
  /** Answers 402 with the x402 body while unpaid. */
  readonly paid?: true;
  /** The input as a whole, without these fields, holds at most so many bytes: judged ahead of any field. */
  readonly totalInput?: { readonly maxBytes: number; readonly without: readonly string[] };
  /** Repeated without its first key it may have a second effect. */
  readonly repeatsByKeyOnly?: true;
  /** The answer carries a secret: it is never stored, and never cached on the way. */
  readonly secret?: true;
  /** What comes with the buyer, in one round trip. Its verb takes it as `loaded`. */
  readonly reads?: ReadName;
  /** Takes `Prefer: wait`. */
  readonly waits?: true;
  /** Anyone may keep the answer this many seconds. Without it answers are private. */
  readonly cacheSeconds?: number;
  /** A rate limit of its own: besides that of the principal or, for the public, by block of addresses. */
  readonly limit?: Exclude<LimitName, 'requests' | 'pages'>;
  /** The body may have so many bytes; 16 KiB unless it says otherwise (specification 3.4). */
  readonly maxBytes?: number;
  /** The MCP tool that carries it. Operations that name the same one share it. */
  readonly tool?: `svc.${string}`;
  /** Ends something that cannot be had back: hosts of MCP clients ask a person before. */
  readonly destroys?: true;
}

/** An operation that customers and their agents may learn of. */
export interface PublishedOperation extends Operation {
  readonly audience: readonly PublishedAudience[];
}

const usualMaxBytes = 16 * 1024;

/** How many bytes the body of a request may have. */
export function maxBytesOf({ maxBytes }: Pick<Operation, 'maxBytes'>): number {
  return maxBytes ?? usualMaxBytes;
}

const problemsOfEvery = [
  'credential_in_url',
  'validation_failed',
  'method_not_allowed',
  'internal',
] as const satisfies readonly ProblemCode[];
const problemsOfBodies = [
  'malformed_request',
  'idempotency_key_mismatch',
  'input_too_large',
  'unsupported_media_type',
] as const satisfies readonly ProblemCode[];

/** Problems that the door answers for an operation, besides those of its own. */
export function doorProblems({
  method,
  audience,
  limit,
  cacheSeconds,
}: Pick<Operation, 'method' | 'audience' | 'limit' | 'cacheSeconds'>): readonly ProblemCode[] {
  return [
    ...problemsOfEvery,
    // What anyone may keep is answered without the database.
    ...(cacheSeconds ? [] : (['service_unavailable'] as const)),
    ...(method === 'POST' ? problemsOfBodies : []),
    ...(!audience.includes('public') || limit ? (['rate_limited'] as const) : []),
    // For whoever is no operator, or one without the role.
    ...(audience.includes('operator') ? (['not_found'] as const) : []),
  ];
}

/** Everything that the operation may refuse: its own problems and those of the door. */
export function problemsOf(
  operation: Pick<Operation, 'method' | 'audience' | 'limit' | 'cacheSeconds' | 'problems'>,
): readonly ProblemCode[] {
  return [...new Set([...operation.problems, ...doorProblems(operation)])];
}

/** An operation, its words and types kept as they are written. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType, const Rest>(
  operation: Rest & Operation<Input, Output>,
): Rest & Operation<Input, Output> {
  return operation;
}

const keysByPath = new Map<string, readonly string[]>();

/** The names of the path parameters: `/jobs/{job_key}` has `job_key`. */
export function pathKeys({ path }: Pick<Operation, 'path'>): readonly string[] {
  let keys = keysByPath.get(path);
  if (!keys) {
    keys = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    keysByPath.set(path, keys);
  }
  return keys;
}
