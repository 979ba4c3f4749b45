// Longer than 300 lines: one interface with the types it speaks in, read as a whole.

import type { Clock } from '../kernel/clock.ts';
import type { Database, Queries } from '../kernel/database.ts';
import type { Microcents } from '../kernel/money.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { PaymentRequired, Problem } from '../problems/problem.ts';
import type { RailName } from './contract.ts';

/**
 * A way to take money and to give it back. Purchases know a rail by this interface alone: they record the intent, let
 * the rail make the call, and record the fate as a fact. Methods with a `tx` only write to the database and work
 * unconfigured; all others may call providers, and never run inside a transaction.
 *
 * `A` is the rail's row of an attempt, `P` its proof of an arrival or departure, `R` its row of a refund. Only the rail
 * makes them, and they return only to it.
 */
export interface Rail<A extends Attempt = Attempt, P = unknown, R extends Refund = Refund> {
  readonly name: RailName;
  /** Whether it is configured. If not, nothing new is paid over it; earlier rows stay readable. */
  readonly isSetUp: boolean;
  /** The methods in a quote. */
  readonly methods: readonly string[];
  /** The networks in a quote; none for a rail without networks. */
  readonly networks: readonly string[];
  readonly remedies: Remedies;
  /** The account of the books for unsettled reversals of this rail. */
  readonly suspense: string;

  /** Its availability, without waiting for providers, and why it cannot be used (specification 2.2). */
  standing(now: Date, isSwitchedOff: boolean): Promise<Standing>;
  /** Whether it seems to work, at once: true before the first answer. */
  seemsUp(now: Date): boolean;

  /**
   * Reads the payment in a request. Writes and moves nothing. Resolves to a demand when there is none yet; throws when
   * it is unreadable.
   */
  present(request: PaymentRequest): Promise<Presented<A, P> | Demand>;
  /** Response headers that confirm a payment; null until `attempt` is known to be collected. */
  confirmation(attempt: A, attested: Attested, proof?: P): Record<string, string> | null;

  /** The job's open attempt on this rail, if any. */
  openAttempt(db: Queries, jobKey: string): Promise<A | undefined>;
  /** Its payment page; null without one. */
  readonly hosted: Hosted<A> | null;
  /** What an account keeps to pay with; null for a rail that keeps nothing. */
  readonly kept: Kept | null;
  /** Open attempts without a request on them, longest unattended first. */
  openAttempts(db: Queries, now: Date, limit: number): Promise<A[]>;
  /** Looks an attempt up. Moves nothing. */
  lookUp(process: Process, attempt: A): Promise<Outcome<P>>;
  /**
   * Looks it up, then carries it out if that has not happened and still can. Moves the money at most once, however
   * often. Begins no charge by a method that the buyer's grant no longer `covers`.
   */
  settle(process: Process, attempt: A, covers: PaymentRequest['covers']): Promise<Outcome<P>>;
  /** Withdraws an open attempt as far as possible, and returns its state. */
  withdraw(process: Process, attempt: A): Promise<Outcome<P>>;

  /**
   * Uses an arrival for an open attempt and decides it, pipelined. `elsewhere`: the arrival was given back meanwhile.
   * `decided`: the attempt was decided before.
   */
  collect(tx: Tx, attempt: A, proof: P, now: Date): Promise<'collected' | 'decided' | 'elsewhere'>;
  /** Decides that an open attempt will never collect. False when it was decided before. */
  giveUp(tx: Tx, attempt: A, because: string, now: Date): Promise<boolean>;
  /** Records what holds a collected attempt now. False when that is known. */
  confirm(tx: Tx, attempt: A, proof: P, now: Date): Promise<boolean>;
  /** Records, once, that the rail took a collected attempt back for good. False when recorded before. */
  reverse(tx: Tx, attempt: A, now: Date): Promise<boolean>;
  /** Undoes that. False when it was not reversed. */
  restore(tx: Tx, attempt: A, now: Date): Promise<boolean>;
  /** Owes back what arrived for an attempt that was given up. False when that arrival was used before. */
  returnLate(tx: Tx, attempt: A, proof: P, now: Date): Promise<boolean>;

  readonly refunds: Refunds<R, P>;

  /**
   * Finds unexpected changes: collections that the rail took back or moved, disputes, and late money. Reports each with
   * its attempt. A failing one does not stop the others.
   */
  watch(process: Process, tell: Tell<A, P>): Promise<void>;
  /** Handles what providers announced since; finds the same as `watch`, sooner. */
  hear(process: Process, tell: Tell<A, P>): Promise<void>;
  /**
   * Stores a provider's announcement from its exact bytes and signature. False when refused; rejects when it cannot be
   * stored. Null if the rail's providers announce nothing, or it is not configured.
   */
  readonly receive: ((process: Process, sent: { body: Uint8Array; signature: string }) => Promise<boolean>) | null;
  /** A provider's announcement by id, as JSON text; null once the provider forgot it, or as for `receive`. */
  readonly announcement: ((eventId: string) => Promise<string | null>) | null;
  /** Answers to banks that contest payments; null for a rail without them, or not configured. */
  readonly disputes: Disputes | null;
}

/** Talks to the payers' banks. */
export interface Disputes {
  /** Sends evidence, once. `callKey` is the same for a repeat of the same call. */
  answer(
    disputeKey: string,
    evidence: BankEvidence,
    callKey: string,
  ): Promise<'answered' | 'answered_before' | 'closed'>;
}

/** The evidence for a bank: what was recorded of a purchase, nothing of the work itself. */
export interface BankEvidence {
  /** What was sold. */
  product: string;
  email: string | null;
  /** The day of the report; null when none was delivered. */
  deliveredOn: string | null;
  /** What was requested, paid, delivered and decided: one line each, with its time. */
  activity: string;
  refundPolicy: string;
  /** Why the charge stands. */
  refusal: string;
  /** Digests of reports and receipts. */
  record: string;
}

/** Records a fate of an attempt. */
export type Tell<A extends Attempt = Attempt, P = unknown> = (attempt: A, news: News<P>) => Promise<void>;

/** A bank's refusal on a provider's page. */
export interface PageRefusal {
  code: string;
  at: Date;
}

/** An attempt that has a page: until when, since when its payer was sent there, and why the newest try was refused. */
export interface OnPage {
  expires_at: Date;
  begun_at: Date | null;
  refused: PageRefusal | null;
}

/** A provider's page on which somebody may pay without signing in. */
export interface Hosted<A extends Attempt = Attempt> {
  /** The method that the grant must cover. */
  readonly method: string;
  /** Our page, which leads there. */
  address(paymentKey: string): string;
  /** The attempt with this key if it ever had a page. */
  attempt(db: Queries, paymentKey: string): Promise<(A & OnPage) | undefined>;
  /**
   * Opens the page, or returns the open one. `accountKey` is a signed-in member's, who may keep the card. Null when the
   * attempt cannot be paid any more. Rejects when the provider does not answer.
   */
  open(process: Process, attempt: A, accountKey: string | null): Promise<string | null>;
  /**
   * Those of an account's payments that no member made, as far as can be known: nobody was signed in when the page was
   * opened, and no member ever kept a card that paid or paid with it.
   */
  byStrangers(db: Queries, accountKey: string, paymentKeys: readonly string[]): Promise<StrangersPayment[]>;
}

/** A payment that somebody who is no member made, and the cards that paid, by the names that blocks use. */
export interface StrangersPayment {
  payment_key: string;
  payers: string[];
}

/** A kept card, as its account's members see it. */
export interface KeptCard {
  card_key: string;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  saved_at: Date;
}

/** What an account keeps to pay with. */
export interface Kept {
  /** The method that charges it. */
  readonly method: string;
  /** Newest first: the first is charged. */
  list(db: Queries, accountKey: string): Promise<KeptCard[]>;
  /** Never charges it again. `before`: removed earlier; `unknown`: the account never kept it. */
  remove(tx: Tx, accountKey: string, cardKey: string, now: Date): Promise<'removed' | 'before' | 'unknown'>;
  /** Never charges what these accounts keep again; `accounts` is SQL. */
  removeAll(db: Queries, accounts: string, now: Date): Promise<void>;
  /** Records an agent's permitted charge to it. True the first time; then tell the members. */
  noteUse(tx: Tx, attempt: Attempt, now: Date): Promise<boolean>;
}

/** Refunds. A rail without them does not compile. */
export interface Refunds<R extends Refund = Refund, P = unknown> {
  /** Records that an attempt's collection goes back. The database allows that once. */
  owe(tx: Tx, owed: { paymentKey: string; jobKey: string; reason: RefundReason; now: Date }): Promise<void>;
  /** Refunds that are due for a try and can be carried out here. */
  due(db: Queries, now: Date, limit: number): Promise<R[]>;
  /** The intent: leases the refund to this try. Undefined when another has it. */
  take(db: Queries, refund: R, now: Date): Promise<R | undefined>;
  /** The call. Finds an earlier try with a lost answer before sending again. */
  carryOut(db: Queries, refund: R): Promise<RefundFate<P>>;
  /** Records a departure that proves a refund. Resolves to its key in the books; undefined when recorded before. */
  prove(tx: Tx, refund: R, proof: P, now: Date): Promise<string | undefined>;
  /** Records that a carried out refund has another departure now. False when recorded before. */
  move?(tx: Tx, refundKey: string, proof: P, now: Date): Promise<boolean>;
  /** Repeats refunds that came undone; purchases are not affected. */
  mend(process: Process): Promise<void>;
}

/** What a rail needs of the process besides its providers. */
export interface Process {
  readonly db: Database;
  readonly clock: Clock;
}

/** What happens to a collection that does not become a charge (specification 8.2). */
export interface Remedies {
  /** Without a delivered report, or canceled before one. */
  readonly undelivered: 'wallet_credit' | 'refund';
  /** With a waived charge. */
  readonly waived: 'refund';
}

/** A rail's details in availability. */
export interface Standing {
  readonly reasons: string[];
  readonly networks?: string[];
  readonly methods?: string[];
  readonly mode?: string;
}

/** One attempt to pay for a job. While `settling` or `unknown`, the money may or may not move. */
export interface Attempt {
  readonly rail: RailName;
  readonly method: string;
  readonly payment_key: string;
  readonly job_key: string;
  /** The buyer. */
  readonly principal_key: string;
  readonly state: 'settling' | 'unknown' | 'collected' | 'failed';
  readonly amount_microcents: bigint;
  readonly created_at: Date;
  readonly decided_at: Date | null;
  /** When the rail took it back for good. */
  readonly reversed_at: Date | null;
  /** The bank's reason for a decline. */
  readonly decline?: Decline | null;
}

/** How money stands, as far as the rail's proof reaches. A provider's silence or failure proves nothing. */
export type Fate<P = unknown> =
  | { is: 'collected'; proof: P }
  /** Undecided; `isProcessing` if the provider has said so. */
  | { is: 'open'; isProcessing?: boolean }
  /** It waits until then for its payer, at this address. */
  | { is: 'requires_payer'; continuationUrl: string; expiresAt: Date }
  /** It will never collect, or its collection is not for this purchase. */
  | { is: 'never'; because: string; decline?: Decline }
  /** It arrived in addition to the collection, or after the attempt was given up. */
  | { is: 'late'; proof: P }
  /** It was collected, and the payer's bank contests it; the provider's key of the dispute. */
  | { is: 'disputed'; disputeKey: string }
  /** A dispute ended, and the payment stands. It may have been lost before. */
  | { is: 'dispute_won'; disputeKey: string }
  /** It was collected, and the rail took it back for good. */
  | { is: 'reversed'; disputeKey?: string }
  /** It has gone back to the payer. */
  | { is: 'refunded'; proof: P }
  /** It can no longer go back automatically. */
  | { is: 'refund_failed'; because: string };

type FateNamed<P, Name extends Fate['is']> = Extract<Fate<P>, { is: Name }>;

/** A bank's reason for a decline. */
export interface Decline {
  code: string;
  /** It may succeed with its holder present. */
  needsHolder: boolean;
}

/** The state of an open attempt. */
export type Outcome<P = unknown> = FateNamed<P, 'collected' | 'open' | 'requires_payer' | 'never'>;

/** A later change of a decided attempt, or an announced end of an open one. */
export type News<P = unknown> =
  | FateNamed<P, 'collected' | 'late' | 'disputed' | 'dispute_won' | 'reversed' | 'never'>
  /** Its payer's bank reports it as fraud. `givesBack`: it pays for the job, and the loss would be ours. */
  | { is: 'reported'; payer: string | null; givesBack: boolean }
  /** It was collected, and the rail shows that it went back, though nothing here is known of that. */
  | { is: 'gone_back' }
  /** A refund that was carried out has another departure than before. */
  | { is: 'refund_moved'; refundKey: string; proof: P }
  /** A refund was carried out, perhaps while a bank contested its payment. */
  | { is: 'refunded'; refund: Refund; proof: P }
  /** A refund that was carried out has come back; `departure` as it was proven. */
  | { is: 'refund_undone'; departure: string; because: string };

/** The result of a try to give money back. */
export type RefundFate<P = unknown> = FateNamed<P, 'refunded' | 'open' | 'refund_failed'>;

/** What the buyer must do before anything can be collected. */
export type Demand = PaymentRequired | Problem;

/** What the seller puts its name under: what was offered or paid at `url`. */
export interface Attested {
  readonly now: Date;
  /** The URL that is paid at. */
  readonly url: string;
  /** A compact JWS over the payload, by the key that signs receipts and under its public name. */
  sign(payload: string): string;
}

/** A request to pay for a job, as rails see it. */
export interface PaymentRequest extends Process, Attested {
  readonly jobKey: string;
  readonly principalKey: string;
  readonly price: Microcents;
  readonly accountKey: string;
  /** The request's idempotency key: its repeat means the same attempt. */
  readonly idempotencyKey: string;
  readonly payBy: Date;
  /** The requested method, if any, and whether the grant covers a method. */
  readonly method: string | undefined;
  /** The decision of the grant that `covers` asks. */
  readonly grantDigest: string;
  covers(method: string): boolean;
  /** Whether nothing may be bought from a card or address, as SQL. */
  isBlocked(payer: string): string;
  /** The requested network, if any. */
  readonly network: string | undefined;
  /** The raw PAYMENT-SIGNATURE header. */
  readonly signature: string | null;
  /** Whether it has a header of x402 version 1. */
  readonly isVersion1: boolean;
  /** What the demand says of the thing for sale, to those who found it by its address alone. */
  readonly listing?: Listing;
}

/** How a thing for sale describes itself to directories. */
export interface Listing {
  readonly description: string;
  readonly serviceName: string;
  readonly tags: readonly string[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A payment in a request, parsed but unverified. */
export interface Presented<A extends Attempt = Attempt, P = unknown> {
  /** The payer by the name that blocks use: an address, or a card. Null while unknown. */
  readonly payer: string | null;
  /** What names this payment for its payer: repeats of it are one purchase. Undefined for a rail without such names. */
  readonly name?: string;
  /** The attempt that this payment opened before, on whichever job. */
  known(db: Queries): Promise<A | undefined>;
  /** Looks that attempt up, and carries it out if it still can be. */
  resume(attempt: A): Promise<Outcome<P>>;
  /** Resolves when a new attempt may begin. Otherwise throws the demand with its reason, or `service_unavailable`. */
  accepted(): Promise<Accepted<A, P>>;
  /** The same payment with its holder present, after a decline; undefined where the buyer may not have it. */
  withHolder?(): Promise<Accepted<A, P> | undefined>;
}

/**
 * The statement with which purchases take a job for a payment, and return its `job_key`. Its parameters: payment state,
 * rail, instant, job, buyer, the decision that covers it.
 */
export type TakingJob = string & { readonly taking: 'job' };

/** A payment that an attempt can be opened for. */
export interface Accepted<A extends Attempt = Attempt, P = unknown> {
  /**
   * The intent, in one statement: takes the job and writes the attempt, or neither. From here on the money may move.
   * Undefined when a twin was faster, or the job cannot be paid now.
   */
  open(paymentKey: string, taking: TakingJob): Promise<A | undefined>;
  /** The call. */
  settle(attempt: A): Promise<Outcome<P>>;
}

/** Why a collection goes back to its payer. */
export type RefundReason =
  | 'not_delivered'
  | 'second_dispute'
  | 'recheck_failed'
  | 'source_withdrawn'
  | 'assessor_unreachable'
  | 'waived_by_operator'
  | 'payment_reversed'
  | 'payment_reported';

/** Money on its way back to its payer. */
export interface Refund {
  readonly rail: RailName;
  readonly refund_key: string;
  /** Null when it was no payment. */
  readonly payment_key: string | null;
  readonly job_key: string | null;
  readonly amount_microcents: bigint;
  /**
   * `payment_reversed`: the charge was given up for a reversal that proved wrong. `late_payment`: it arrived after its
   * attempt was given up, so its job does not know it. `returned_…`: it matches no payment, and an operator returned
   * it, or the rail shows that it went back before (after a restore).
   */
  readonly reason: RefundReason | 'late_payment' | 'returned_by_operator' | 'returned_before';
  readonly state: 'refund_pending' | 'refunded' | 'refund_failed';
  readonly tries: number;
  readonly created_at: Date;
}

/** The rails of a process, by name. */
export type Rails = ReadonlyMap<RailName, Rail>;

/** The rail that made a row. Throws for a rail of a newer build. */
export function railOf(rails: Rails, { rail: name }: { rail: RailName }): Rail {
  const rail = rails.get(name);
  if (!rail) throw new Error(`the rail ${name} is not part of this build`);
  return rail;
}
