import type { z } from 'zod';
import type { LimitName } from '../configuration/rate-limits.ts';
import type { ProblemCode } from '../problems/catalogue.ts';
import { memberMay, memberRoles } from './member-roles.ts';

/** Who may call: anyone, a buyer (agent or wallet), a signed-in member, or an operator. */
export type Audience = 'public' | 'agent' | 'member' | 'operator';

/** Audiences whose operations are published. Any other is published nowhere. */
export type PublishedAudience = Extract<Audience, 'public' | 'agent' | 'member'>;

/**
 * The effect. `read` changes nothing. `write` is one transaction, opened by the door. `money` calls a payment provider
 * between two transactions of its own (intent, call, fact).
 */
export type Effect = 'read' | 'write' | 'money';

/**
 * One operation, as data. The REST handler, the OpenAPI operation, the discovery entry and the MCP tool derive from it.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{path_key}` parameters are members of the input. */
  readonly path: string;
  readonly audience: readonly Audience[];
  readonly effect: Effect;
  /** `required`: refuse a request without an idempotency key. Every other POST may carry one. */
  readonly idempotency: 'none' | 'optional' | 'required';
  readonly input: Input;
  readonly output: Output;
  /** By status, where `output` is a union of several. */
  readonly outputs?: Partial<Readonly<Record<200 | 201 | 202, z.ZodType>>>;
  /** The statuses of success, the usual one first. */
  readonly success: readonly (200 | 201 | 202)[];
  readonly problems: readonly ProblemCode[];
  /** Answers 402 with the x402 body while unpaid. */
  readonly paid?: true;
  /** Answers 402 with a challenge, until the wallet signs in with the request (extension `sign-in-with-x`). */
  readonly signsIn?: true;
  /** Does not read its input while unpaid: whoever asks without one is told the price. */
  readonly readsWhenPaid?: true;
  /** Byte limit of the input without these fields, checked before any field. */
  readonly totalInput?: { readonly maxBytes: number; readonly without: readonly string[] };
  /** Repeating it without the first key may have a second effect. */
  readonly repeatsByKeyOnly?: true;
  /** The answer carries a secret: never store or cache it. */
  readonly secret?: true;
  /**
   * A list, a statistic or a document: may be read from a replica that shows all that was acknowledged. Nothing that
   * decides about money, sessions or roles.
   */
  readonly readsReplica?: true;
  /** Takes `Prefer: wait`. */
  readonly waits?: true;
  /** Publicly cacheable for this many seconds. Without it, answers are private. */
  readonly cacheSeconds?: number;
  /** A rate limit of its own, beside that of the principal or, for the public, of the block of addresses. */
  readonly limit?: Exclude<LimitName, 'requests' | 'pages' | `network_${string}`>;
  /** Byte limit of the body; 16 KiB by default (specification 3.4). */
  readonly maxBytes?: number;
  /** The MCP tool that carries it. Operations may share one. */
  readonly tool?: `svc.${string}`;
  /** Irreversible: MCP hosts should ask a person first. */
  readonly destroys?: true;
}

/** An operation for customers and their agents. */
export interface PublishedOperation extends Operation {
  readonly audience: readonly PublishedAudience[];
}

const usualMaxBytes = 16 * 1024;

/** Byte limit of a request body. */
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

/** Problems that the door itself answers. */
export function doorProblems({
  method,
  audience,
  name,
  limit,
  cacheSeconds,
}: Pick<Operation, 'name' | 'method' | 'audience' | 'limit' | 'cacheSeconds'>): readonly ProblemCode[] {
  return [
    ...problemsOfEvery,
    // Publicly cached answers need no database.
    ...(cacheSeconds ? [] : (['service_unavailable'] as const)),
    ...(method === 'POST' ? problemsOfBodies : []),
    ...(!audience.includes('public') || limit ? (['rate_limited'] as const) : []),
    // For members whose role does not cover the change.
    ...(audience.includes('member') && !memberRoles.every((role) => memberMay(role, name))
      ? (['role_missing'] as const)
      : []),
    // For callers who are not operators or lack the role, and for moving money long after signing in.
    ...(audience.includes('operator') ? (['not_found', 'fresh_sign_in_required'] as const) : []),
  ];
}

/** Everything that the operation may refuse: its own problems and those of the door. */
export function problemsOf(
  operation: Pick<Operation, 'method' | 'audience' | 'name' | 'limit' | 'cacheSeconds' | 'problems'>,
): readonly ProblemCode[] {
  return [...new Set([...operation.problems, ...doorProblems(operation)])];
}

/** Keeps the literal types of an operation. */
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
