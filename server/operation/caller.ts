import type { MemberRole } from './member-roles.ts';
import type { Audience } from './operation.ts';
import type { ActingRole } from './operator-roles.ts';

/** A grant as stored (specification 4.7). */
export interface GrantRow {
  grant_key: string;
  service_keys: string[];
  payment_methods: string[];
  per_job_limit_microcents: bigint;
  daily_limit_microcents: bigint;
  total_limit_microcents: bigint | null;
  governed_refs: boolean;
  review_authority: boolean;
  paused_at: Date | null;
  /** From then on it covers nothing; null without an end. */
  expires_at: Date | null;
  /** A dearer purchase needs a person's yes; null asks never. */
  approval_above_microcents: bigint | null;
  /** Whether a purchase above a limit may be asked for, too. */
  may_ask_above_limits: boolean;
  /** The decision in force. */
  grant_digest: string;
}

/** Why nothing new may be bought. Agents read it in `holds`. */
export type BlockCause =
  | 'payment_reversed'
  | 'card_dispute'
  | 'card_reported'
  | 'blocked_card'
  | 'disowned_card'
  | 'remedies';

/** An agent or a wallet with its grant. `principalKey` outlives its credentials; a wallet's is its address. */
export interface Buyer {
  kind: 'agent' | 'wallet';
  principalKey: string;
  accountKey: string;
  name: string | null;
  credential: { credentialKey: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null };
  grant: GrantRow;
  /** Why it may buy nothing new; empty when it may. */
  blocks: BlockCause[];
}

/** A person of the account. */
export interface Member {
  kind: 'member';
  memberKey: string;
  accountKey: string;
  role: MemberRole;
  signedInAt: Date;
}

interface Anonymous {
  kind: 'anonymous';
}

/**
 * Who runs the service: whoever runs its commands, who can read and write its database anyway, and members with an
 * operator role, whom `authenticate` turns into one on operations for operators. `server/operation/operator-roles.ts` says what
 * each role may do.
 */
export interface Operator {
  kind: 'operator';
  /** The address of a member; `operator` for a command. */
  name: string;
  role: ActingRole;
  /** Null for a command: whoever runs one is there. */
  signedInAt: Date | null;
}

/** Who buys, or reads purchases. */
export type Customer = Buyer | Member;

export type Caller = Customer | Operator | Anonymous;

/** The audience of each kind of caller; null for public only. A new kind does not compile until it is here. */
export const audienceOf = {
  agent: 'agent',
  wallet: 'agent',
  member: 'member',
  operator: 'operator',
  anonymous: null,
} as const satisfies Record<Caller['kind'], Audience | null>;

type OfKind<C extends Caller, A extends Audience> = C extends Caller
  ? (typeof audienceOf)[C['kind']] extends A
    ? C
    : never
  : never;

/** Callers of each audience. Public operations look at nobody. */
export type CallerFor<A extends Audience> = A extends 'public' ? Anonymous : OfKind<Caller, A>;

/** The caller as a customer, or null. */
export function customerOf(caller: Caller): Customer | null {
  switch (caller.kind) {
    case 'agent':
    case 'wallet':
    case 'member':
      return caller;
    case 'operator':
    case 'anonymous':
      return null;
  }
}

/** Whose purchases a caller sees: a buyer its own, a member all of the account's. */
export function ownedBy(caller: Customer): { principalKey: string | null; accountKey: string | null } {
  switch (caller.kind) {
    case 'member':
      return { principalKey: null, accountKey: caller.accountKey };
    case 'agent':
    case 'wallet':
      return { principalKey: caller.principalKey, accountKey: null };
  }
}

/** The caller's name in the audit. */
export function actorOf(caller: Customer): string {
  switch (caller.kind) {
    case 'member':
      return caller.memberKey;
    case 'agent':
    case 'wallet':
      return caller.principalKey;
  }
}

/** Scope of idempotency keys and waiting requests; null when nobody is known. */
export function scopeOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'anonymous':
      return null;
    case 'operator':
      return caller.name;
    case 'agent':
    case 'wallet':
    case 'member':
      return actorOf(caller);
  }
}
