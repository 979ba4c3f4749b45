import type { Configuration } from './configuration.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import type { Clock } from './kernel/clock.ts';
import type { Database } from './kernel/database.ts';
import type { Probe } from './kernel/probe.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Rails } from './payments/rail.ts';
import type { ReceiptSigner } from './purchases/receipt/receipt-signer.ts';
import type { Queue } from './queue/queue.ts';

/** What the server stands on: opened once a process, from the environment, with real adapters only. */
export interface Runtime {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly db: Database;
  /**
   * The same database through Prisma's models, on a few connections of its own: pages of what a customer has, and what
   * operators read. It writes nothing: what moves money or a state is SQL beside its verb.
   */
  readonly prisma: PrismaClient;
  readonly queue: Queue;
  /** Every way to pay that this build knows, configured or not. */
  readonly rails: Rails;
  /** Null when mail is not configured. */
  readonly mailer: Mailer | null;
  /** Asks whether the language models answer; null when the embedded assessor does the work. */
  readonly assessorProbe: Probe | null;
  readonly receiptSigner: ReceiptSigner;
  /** Aborted once the process is about to stop: nobody is kept waiting any more. */
  readonly stopping: AbortSignal;
  /** Says that the process is about to stop. */
  beginStop(): void;
  close(): Promise<void>;
}

/** Everything about one request besides its input. Made by a transport, read by `perform`. */
export interface Context {
  runtime: Runtime;
  /** Read once, when the request came in. */
  now: Date;
  requestId: string;
  baseUrl: string;
  /** What the caller shows to be let in; not yet believed. An operator comes from a command, never from a request. */
  presented: { bearer: string | null; memberSession: string | null; operator?: string };
  /** The block of addresses that the request came from; null when no server in front has noted it. */
  origin: string | null;
  idempotencyKey: string | null;
  /** The raw PAYMENT-SIGNATURE of an x402 client. */
  payment: string | null;
  /** Whether an X-PAYMENT header came along: only clients of x402 version 1 send it. */
  isVersion1: boolean;
  /** How long a reader will wait for an answer whose digest differs from the one it has seen. */
  wait: { seconds: number; seen: string | null } | null;
}
