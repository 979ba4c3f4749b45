// Longer than 300 lines: one interface with the types it speaks in, read as a whole.
import type { PaymentRequired, Problem } from '../door/problem.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database, Queries } from '../kernel/database.ts';
import type { Microcents } from '../kernel/money.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { RailName } from './contract.ts';

/**
 * A way to take money and to give it back. A purchase knows a rail by this interface alone: it writes down the intent,
 * lets the rail make the call, and records the fate as a fact. Methods that take a `tx` write to the database only, and
 * work whether or not the rail is configured; all others may talk to its providers, and never inside a transaction.
 *
 * `A` is the rail's own row of an attempt, `P` what proves an arrival or a departure to it, `R` its row of a refund. Only
 * the rail makes them, and they come back to no other.
 */
export interface Rail<A extends Attempt = Attempt, P = unknown, R extends Refund = Refund> {
  readonly name: RailName;
  /** Whether its settings are there. Without them nothing new is paid over it; what it wrote down before stays readable. */
  readonly isSetUp: boolean;
  /** The methods that a quote offers. */
  readonly methods: readonly string[];
  /** The networks that a quote offers; none for a rail that has no networks. */
  readonly networks: readonly string[];
  readonly remedies: Remedies;
  /** The account of the books that holds what the rail took back while that is not settled. */
  readonly suspense: string;

  /** What availability shows of it, without waiting for providers, and why it cannot be used (specification 2.2). */
  standing(now: Date, isSwitchedOff: boolean): Promise<Standing>;
  /** Whether it seems to work, at once: true while nothing is known. */
  seemsUp(now: Date): boolean;

  /**
   * Reads what a request brings to pay with. Writes and moves nothing. Resolves to a demand when it brings nothing yet;
   * throws when what it brings cannot be read.
   */
  present(request: PaymentRequest): Promise<Presented<A, P> | Demand>;
  /** Headers that tell who paid that the money is there; null while `attempt` is not known to be collected. */
  confirmation(attempt: A, proof?: P): Record<string, string> | null;

  /** The attempt of a job that has not ended, if this rail has one. */
  openAttempt(db: Queries, jobKey: string): Promise<A | undefined>;
  /** Its page to pay on; null for a rail that has none. */
  readonly hosted: Hosted<A> | null;
  /** What an account keeps to pay with; null for a rail that keeps nothing. */
  readonly kept: Kept | null;
  /** Open attempts that nobody is at, longest unattended first. */
  openAttempts(db: Queries, now: Date, limit: number): Promise<A[]>;
  /** Asks how an attempt stands. Moves nothing. */
  lookUp(process: Process, attempt: A): Promise<Outcome<P>>;
  /** Asks first, then carries out what was not carried out and still can be. Moves the money once at most, however often. */
  settle(process: Process, attempt: A): Promise<Outcome<P>>;
  /** Calls an open attempt back as far as the rail can, and tells how it stands then. */
  withdraw(process: Process, attempt: A): Promise<Outcome<P>>;

  /**
   * Gives an arrival its one use and decides an open attempt by it, writing both without waiting in between. `elsewhere`:
   * the arrival was given back meanwhile. `decided`: somebody was first.
   */
  collect(tx: Tx, attempt: A, proof: P, now: Date): Promise<'collected' | 'decided' | 'elsewhere'>;
  /** Decides that an open attempt will never collect. False when somebody decided it before. */
  giveUp(tx: Tx, attempt: A, because: string, now: Date): Promise<boolean>;
  /** Writes down what holds a collected attempt now. True when that is not what held it before. */
  confirm(tx: Tx, attempt: A, proof: P, now: Date): Promise<boolean>;
  /** The rail has taken a collected attempt back for good, written down once. False when it was before. */
  reverse(tx: Tx, attempt: A, now: Date): Promise<boolean>;
  /** Undoes that. False when it was not reversed. */
  restore(tx: Tx, attempt: A, now: Date): Promise<boolean>;
  /** Owes back what arrived for an attempt that had been given up. False when that arrival was used before. */
  returnLate(tx: Tx, attempt: A, proof: P, now: Date): Promise<boolean>;

  readonly refunds: Refunds<R, P>;

  /**
   * Finds what nobody has asked about: collections that the rail took back, moved or disputes, and money that came late.
   * Each is told with its attempt. One that cannot be looked at holds up no other.
   */
  watch(process: Process, tell: Tell<A, P>): Promise<void>;
  /** Looks at what providers have announced since; the same is told as by `watch`, and sooner. */
  hear(process: Process, tell: Tell<A, P>): Promise<void>;
  /**
   * Stores what a provider announces, as its exact bytes and their signature. False when it is refused; rejects when it
   * cannot be stored. Null for a rail whose providers announce nothing, or that is not configured.
   */
  readonly receive: ((process: Process, body: Uint8Array, signature: string) => Promise<boolean>) | null;
  /** What a provider announced under this id, as JSON text; null when it does not know it any more. Null as for `receive`. */
  readonly announcement: ((eventId: string) => Promise<string | null>) | null;
  /** How banks are answered that contest payments; null for a rail without them, or that is not configured. */
  readonly disputes: Disputes | null;
}

/** Speaks to the banks of those who paid. */
export interface Disputes {
  /** Sends evidence, once for good. `callKey` is the same for a repeat of the same call. */
  answer(
    disputeKey: string,
    evidence: BankEvidence,
    callKey: string,
  ): Promise<'answered' | 'answered_before' | 'closed'>;
}

/** What a bank is shown of a purchase: what was recorded, and nothing of the work itself. */
export interface BankEvidence {
  /** What was sold. */
  product: string;
  email: string | null;
  /** The day of the report; null when none was delivered. */
  deliveredOn: string | null;
  /** What was asked, paid, delivered and decided, a line each, with its instant. */
  activity: string;
  refundPolicy: string;
  /** Why the charge stands. */
  refusal: string;
  /** Digests of reports and receipts. */
  record: string;
}

/** Records what became of an attempt. */
export type Tell<A extends Attempt = Attempt, P = unknown> = (attempt: A, news: News<P>) => Promise<void>;

/** A page of the provider on which somebody pays who need not be signed in. */
export interface Hosted<A extends Attempt = Attempt> {
  /** The attempt that this key names, open or not, if it waits or waited for a payer; and when that one first asked for the page. */
  attempt(
    db: Queries,
    paymentKey: string,
  ): Promise<(A & { expires_at: Date; session_asked_at: Date | null }) | undefined>;
  /**
   * Opens the page, or gives the one that is open. `accountKey` is that of a signed-in member, who may keep the card.
   * Null when the attempt cannot be paid any more. Rejects when the provider does not answer.
   */
  open(process: Process, attempt: A, accountKey: string | null): Promise<string | null>;
}

/** A card that an account keeps, as its members see it. */
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
  /** Newest first: the first is charged. */
  list(db: Queries, accountKey: string): Promise<KeptCard[]>;
  /** From now on it is charged for nothing. False when the account keeps no such card. */
  remove(tx: Tx, accountKey: string, cardKey: string, now: Date): Promise<boolean>;
  /** Notes that an agent was let charge to it. True the first time, of which the members are told. */
  noteUse(tx: Tx, attempt: Attempt, now: Date): Promise<boolean>;
}

/** How money goes back to who paid. A rail without it does not compile. */
export interface Refunds<R extends Refund = Refund, P = unknown> {
  /** Writes down that the collection of an attempt goes back. The database lets that happen once. */
  owe(tx: Tx, owed: { paymentKey: string; jobKey: string; reason: RefundReason; now: Date }): Promise<void>;
  /** Refunds whose next try is due and can be carried out here. */
  due(db: Queries, now: Date, limit: number): Promise<R[]>;
  /** The intent: this try, and no other, may carry the refund out for a while. Undefined when somebody else has it. */
  take(db: Queries, refund: R, now: Date): Promise<R | undefined>;
  /** The call. A try whose answer was lost is found before anything is sent again. */
  carryOut(db: Queries, refund: R): Promise<RefundFate<P>>;
  /** Writes down the departure that proves a refund. */
  prove(tx: Tx, refund: R, proof: P, now: Date): Promise<void>;
  /** Carries out again what was refunded and has come undone; purchases are not touched by that. */
  mend(process: Process): Promise<void>;
}

/** What a rail needs of the process besides its own providers. */
export interface Process {
  readonly db: Database;
  readonly clock: Clock;
}

/** What becomes of a collection that does not become a charge (specification 8.2). */
export interface Remedies {
  /** No report was delivered, or the job was canceled before one. */
  readonly undelivered: 'wallet_credit' | 'refund';
  /** The charge was waived. */
  readonly waived: 'refund';
}

/** What availability shows of a rail besides its state. */
export interface Standing {
  readonly reasons: string[];
  readonly networks?: string[];
  readonly methods?: string[];
  readonly mode?: string;
}

/** One attempt to pay for a job. `settling` and `unknown` are open: the money may or may not move. */
export interface Attempt {
  readonly rail: RailName;
  readonly payment_key: string;
  readonly job_key: string;
  /** Who buys. */
  readonly principal_key: string;
  readonly state: 'settling' | 'unknown' | 'collected' | 'failed';
  readonly amount_microcents: bigint;
  readonly created_at: Date;
  readonly decided_at: Date | null;
  /** Since when the rail has taken it back for good. */
  readonly reversed_at: Date | null;
  /** Of one that a bank refused. */
  readonly decline?: Decline | null;
}

/** How money stands, as far as the proof reaches that its rail has. Silence and failure of a provider prove nothing. */
export type Fate<P = unknown> =
  | { is: 'collected'; proof: P }
  /** It may still end either way; `isProcessing` where the provider has said so itself. */
  | { is: 'open'; isProcessing?: boolean }
  /** It waits for its payer, who goes on at this address until then. */
  | { is: 'requires_payer'; continuationUrl: string; expiresAt: Date }
  /** It will never collect, or what it collected is not for this purchase. */
  | { is: 'never'; because: string; decline?: Decline }
  /** It came besides what the attempt collected, or after it was given up. */
  | { is: 'late'; proof: P }
  /** It was collected, and its payer's bank contests that: under this key at the provider. */
  | { is: 'disputed'; disputeKey: string }
  /** A dispute has ended, and the payment stands. */
  | { is: 'dispute_won'; disputeKey: string }
  /** It was collected, and the rail has taken it back for good. */
  | { is: 'reversed'; disputeKey?: string }
  /** It has gone back to who paid. */
  | { is: 'refunded'; proof: P }
  /** It can no longer go back by itself. */
  | { is: 'refund_failed'; because: string };

type FateNamed<P, Name extends Fate['is']> = Extract<Fate<P>, { is: Name }>;

/** Why a bank refused a payment. */
export interface Decline {
  code: string;
  /** It may go through with its holder there. */
  needsHolder: boolean;
}

/** How an open attempt stands. */
export type Outcome<P = unknown> = FateNamed<P, 'collected' | 'open' | 'requires_payer' | 'never'>;

/** What became of an attempt since it was last looked at: a decided one, or an open one whose end a provider announced. */
export type News<P = unknown> =
  | FateNamed<P, 'collected' | 'late' | 'disputed' | 'dispute_won' | 'reversed' | 'never'>
  /** A refund that was carried out has come back. */
  | { is: 'refund_undone'; because: string };

/** How a try to give money back ended. */
export type RefundFate<P = unknown> = FateNamed<P, 'refunded' | 'open' | 'refund_failed'>;

/** What the buyer is asked to do before anything can be collected. */
export type Demand = PaymentRequired | Problem;

/** A request to pay for a job, as far as rails look at it. */
export interface PaymentRequest extends Process {
  readonly now: Date;
  readonly jobKey: string;
  readonly principalKey: string;
  readonly price: Microcents;
  /** Where this request was sent. */
  readonly url: string;
  readonly accountKey: string;
  /** The key of the request: its repeat means the same attempt. */
  readonly idempotencyKey: string;
  readonly payBy: Date;
  /** The method that the buyer asks for, if any, and whether the grant covers a method. */
  readonly method: string | undefined;
  covers(method: string): boolean;
  /** The network that the buyer asks for, if any. */
  readonly network: string | undefined;
  /** The raw PAYMENT-SIGNATURE header. */
  readonly signature: string | null;
  /** Whether a header of x402 version 1 came along. */
  readonly isVersion1: boolean;
}

/** What a request brings to pay with, read and not yet believed. */
export interface Presented<A extends Attempt = Attempt, P = unknown> {
  /** Who pays, by what blocks name it: an address, or a member. Null while nobody knows. */
  readonly payer: string | null;
  /** The attempt that this payment has opened before, on whichever job. */
  known(db: Queries): Promise<A | undefined>;
  /** Asks how that stands, and carries out what was presented if it still can be. */
  resume(attempt: A): Promise<Outcome<P>>;
  /**
   * Resolves once nothing stands in the way of a new attempt. Throws what does: the demand with its reason, or
   * `service_unavailable`.
   */
  accepted(): Promise<Accepted<A, P>>;
  /** The same payment with its holder there, after it was refused without; undefined where the buyer may not have it. */
  withHolder?(): Promise<Accepted<A, P> | undefined>;
}

/** A payment that an attempt can be opened for. */
export interface Accepted<A extends Attempt = Attempt, P = unknown> {
  /**
   * The intent, in one statement: the job is taken and the attempt written, or neither. From here on the money may move.
   * Undefined when a twin was faster, or the job cannot be paid now.
   */
  open(paymentKey: string): Promise<A | undefined>;
  /** The call. */
  settle(attempt: A): Promise<Outcome<P>>;
}

/** Why a collection goes back to who paid it. */
export type RefundReason =
  | 'not_delivered'
  | 'second_dispute'
  | 'recheck_failed'
  | 'waived_by_operator'
  | 'payment_reversed';

/** Money on its way back to who paid it. */
export interface Refund {
  readonly rail: RailName;
  readonly refund_key: string;
  /** Null for what was no payment. */
  readonly payment_key: string | null;
  readonly job_key: string | null;
  readonly amount_microcents: bigint;
  /**
   * `payment_reversed`: of a charge that a reversal gave up which proved wrong. `late_payment`: it arrived after its
   * attempt had been given up, so its job knows nothing of it. `returned_…`: no payment knows of it, and an operator said
   * so, or the rail shows that it went back before (after a restore).
   */
  readonly reason: RefundReason | 'late_payment' | 'returned_by_operator' | 'returned_before';
  readonly state: 'refund_pending' | 'refunded' | 'refund_failed';
  readonly tries: number;
  readonly created_at: Date;
}

/** The rails of a process, by name. */
export type Rails = ReadonlyMap<RailName, Rail>;

/** The rail that has made a row. Throws when this build does not know it: the row is from a newer one. */
export function railOf(rails: Rails, { rail: name }: { rail: RailName }): Rail {
  const rail = rails.get(name);
  if (!rail) throw new Error(`the rail ${name} is not part of this build`);
  return rail;
}
