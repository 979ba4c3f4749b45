import type { Configuration } from './configuration.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import type { Clock } from './kernel/clock.ts';
import type { Database } from './kernel/database.ts';
import type { ObjectStore } from './kernel/object-store.ts';
import type { ReplicaWatch } from './kernel/postgres/replica.ts';
import type { Probe } from './kernel/probe.ts';
import type { Rails } from './payments/rail.ts';
import type { Queue } from './queue/queue.ts';

/** A letter as plain text and HTML. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Resolves when the mail server accepted the letter. Rejects otherwise, also when that is unknown. */
  send(to: string, letter: Letter): Promise<void>;
  /** Whether the mail server answered last time. */
  wasReachable(now: Date): Promise<boolean>;
  close(): void;
}

/** Signs receipts: a compact JWS (RFC 7515) with Ed25519 (RFC 8037) that contains its payload. */
export interface ReceiptSigner {
  readonly kid: string;
  /** Under `kid`, or under another public name of the same key. */
  sign(payload: string, name?: string): string;
}

/** A copy of the database, for reading. */
export interface Replica {
  readonly db: Database;
  readonly prisma: PrismaClient;
  /** Says whether it may answer. */
  readonly watch: ReplicaWatch;
  close(): Promise<void>;
}

/** What the server stands on: opened once per process, real adapters only. */
export interface Runtime {
  readonly configuration: Configuration;
  /** The database's time: what ends, is due or deleted goes by it. */
  readonly clock: Clock;
  /** By how many seconds the clock of this machine is ahead of it. */
  skewSeconds(): number;
  readonly db: Database;
  /**
   * The same database through Prisma, on its own connections: customers' lists and operators' reads. Read-only: what
   * moves money or a state is SQL beside its verb.
   */
  readonly prisma: PrismaClient;
  /** Answers reads of operations that are `readsReplica`; null without one, and in workers. */
  readonly replica: Replica | null;
  /** Texts of old purchases; null without a bucket. */
  readonly archive: ObjectStore | null;
  readonly queue: Queue;
  /** Every rail of this build, configured or not. */
  readonly rails: Rails;
  /** Null when mail is not configured. */
  readonly mailer: Mailer | null;
  /** Probes the language models; null with the embedded assessor. */
  readonly assessorProbe: Probe | null;
  readonly receiptSigner: ReceiptSigner;
  /** Aborted when the process is about to stop: end waits. */
  readonly stopping: AbortSignal;
  /** Announces the stop. */
  beginStop(): void;
  close(): Promise<void>;
}

/** Everything about a request besides its input. Made by a transport, read by `perform`. */
export interface Context {
  runtime: Runtime;
  /** Read once, on arrival. */
  now: Date;
  requestId: string;
  baseUrl: string;
  /** The presented credential, not verified yet. Operators come from commands, never from requests. */
  presented: { bearer: string | null; memberSession: string | null; operator?: string; atMcp?: true };
  /** The request's block of addresses; null when no server noted it. */
  origin: string | null;
  idempotencyKey: string | null;
  /** A page of ours: what it reads is counted where it is drawn. */
  isPage?: true | undefined;
  /** The raw PAYMENT-SIGNATURE of an x402 client. */
  payment: string | null;
  /** Whether an X-PAYMENT header was sent: x402 version 1 clients do. */
  isVersion1: boolean;
  /** The raw SIGN-IN-WITH-X of an x402 client. */
  signIn: string | null;
  /** The URL that is paid at, when it is not the job's own. */
  paidAt?: string | undefined;
  /** How long to wait for an answer whose digest differs from the reader's. */
  wait: { seconds: number; seen: string | null } | null;
}
