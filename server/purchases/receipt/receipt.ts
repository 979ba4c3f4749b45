import { decisionsNamed } from '../../identity/grant-decision.ts';
import type { Queries } from '../../kernel/database.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { newKey } from '../../kernel/id.ts';
import { currency, toWire } from '../../kernel/money.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { collectionReference, refundReference } from '../../payments/attempt-sql.ts';
import { type RailName, reversalReasons } from '../../payments/contract.ts';
import { Problem } from '../../problems/problem.ts';
import type { ReceiptSigner } from '../../runtime.ts';
import { service } from '../../service/terms.ts';
import { bodiesOf, type Kept, keepText } from '../archive/bodies.ts';
import type * as contract from '../contract.ts';
import { loadJob } from '../job/load.ts';
import type { JobRow } from '../job/row.ts';
import { maySign, ReceiptKeyEnded } from './receipt-keys.ts';

/** The newest receipt of a job, exactly as it was signed. */
export const receipt: Verb<typeof contract.receipt> = async ({ ctx, caller, input, db }) => {
  const body = await newestReceipt(db, ctx.runtime.archive, input.job_key, caller);
  if (body) return { body };
  await loadJob(db, input.job_key, caller);
  throw new Problem('action_not_allowed', 'There is no receipt before the first collection.');
};

/** A job gets one receipt per change of money, report or review: a handful. */
const chainMax = 100;

/** A job's receipts, oldest first; none before a collection. */
export const receiptChain: Verb<typeof contract.receiptChain> = async ({ ctx, caller, input, db }) => {
  const { principalKey, accountKey } = ownedBy(caller);
  const rows = await db.many<Kept & { quoted_under: string; bought_under: string }>(sql`
    select job_key, sequence as number, text_of(job_key, 'receipts', sequence) as body,
      quotes.grant_digest as quoted_under, jobs.grant_digest as bought_under
    from receipts join jobs using (job_key) join quotes using (quote_key)
    where job_key = ${input.job_key} and (jobs.principal_key = ${principalKey} or jobs.account_key = ${accountKey})
    order by sequence limit ${chainMax}`);
  if (rows.length === 0) await loadJob(db, input.job_key, caller);
  const bodies = await bodiesOf(db, ctx.runtime.archive, 'receipts', rows);
  const named = rows.slice(0, 1).flatMap(({ quoted_under, bought_under }) => [quoted_under, bought_under]);
  return {
    body: {
      receipts: bodies.map((body) => JSON.parse(body)),
      grant_decisions: await decisionsNamed(db, named),
    },
  };
};

async function newestReceipt(
  db: Queries,
  archive: ObjectStore | null,
  jobKey: string,
  caller: Buyer | Member,
): Promise<contract.Receipt | null> {
  const { principalKey, accountKey } = ownedBy(caller);
  const row = await db.maybe<Kept>(sql`
    select job_key, sequence as number, text_of(job_key, 'receipts', sequence) as body
    from receipts join jobs using (job_key)
    where job_key = ${jobKey} and (jobs.principal_key = ${principalKey} or jobs.account_key = ${accountKey})
    order by sequence desc limit 1`);
  if (!row) return null;
  const [body = ''] = await bodiesOf(db, archive, 'receipts', [row]);
  return JSON.parse(body);
}

interface ReceiptFacts {
  quote_digest: string;
  grant_digest: string;
  input_digest: string;
  terms_version: string;
  rail: RailName;
  method: string;
  payment_key: string;
  /** The collection's outside reference; null for credit. */
  reference: string | null;
  amount_microcents: bigint;
  decided_at: Date;
  reversed_at: Date | null;
  refund_state: string | null;
  refund_at: Date | null;
  /** When an operator settled a refund that had failed. */
  settled_at: Date | null;
  /** The refund's outside reference, once it was carried out or sent by hand. */
  refund_reference: string | null;
  disputed_at: Date | null;
  corrected_at: Date | null;
  sequence: number | null;
  digest: string | null;
  may_sign: boolean;
}

const receiptFacts = `
  select quotes.digest as quote_digest, jobs.grant_digest, quotes.input_digest, quotes.terms_version, payments.rail, payments.method,
    payments.payment_key,
    ${collectionReference('payments.payment_key')} as reference, payments.amount_microcents, payments.decided_at,
    payments.reversed_at, refunds.settled_at,
    case refunds.settled_as when 'sent_by_hand' then 'refunded' when 'wallet_credit' then null else refunds.state end
      as refund_state,
    coalesce(refunds.settled_at, refunds.decided_at, refunds.created_at) as refund_at,
    coalesce(refunds.settled_reference, ${refundReference('refunds.refund_key')}) as refund_reference, reviews.at as disputed_at,
    reports.delivered_at as corrected_at, last.sequence, last.digest,
    ${maySign} as may_sign
  from jobs
  join quotes using (quote_key)
  join payments on payments.job_key = jobs.job_key and payments.state = 'collected'
  left join refunds on refunds.payment_key = payments.payment_key and refunds.reason <> 'late_payment'
  left join reviews on reviews.job_key = jobs.job_key and reviews.report_number = 1 and reviews.decision = 'dispute'
  left join reports on reports.job_key = jobs.job_key and reports.number = 2
  left join lateral (
    select sequence, digest from receipts where job_key = jobs.job_key order by sequence desc limit 1
  ) last on true
  where jobs.job_key = $3`;

/** The reason of the charge, in words for the buyer. */
const basis: Record<contract.Receipt['charge']['state'], string> = {
  none: 'Nothing is charged: no report was delivered.',
  held: 'Collected and held until the report is reviewed.',
  final: 'The report was accepted by the buyer.',
  waived: 'The charge was waived.',
};

/**
 * Issues the next receipt in the transaction that changed what it states: every change of collection, charge, report or
 * remedy gets one, naming the one before (specification 10.4). What the job `becomes` may still be on its way. Throws
 * `ReceiptKeyEnded`; then the change waits for a process with another key.
 */
export async function issueReceipt(
  tx: Tx,
  signer: ReceiptSigner,
  changed: JobRow | { job_key: string; becomes: Promise<JobRow> },
  now: Date,
): Promise<void> {
  const read = tx.one<ReceiptFacts>(statement(receiptFacts, [signer.kid, now, changed.job_key]));
  // Pipeline both statements; a refusal concerns the change.
  read.catch(() => {});
  const job = 'becomes' in changed ? await changed.becomes : changed;
  const facts = await read;
  if (!facts.may_sign) throw new ReceiptKeyEnded();
  const unsigned: Omit<contract.Receipt, 'signature'> = {
    receipt_version: service.receiptVersion,
    receipt_key: newKey('rcpt'),
    job_key: job.job_key,
    issued_at: now.toISOString(),
    sequence: (facts.sequence ?? 0) + 1,
    previous_receipt_digest: facts.digest,
    quote_digest: facts.quote_digest,
    grant_digest: facts.grant_digest,
    input_digest: facts.input_digest,
    report_digest: job.report_digest,
    collection: {
      state: job.payment_state,
      rail: facts.rail,
      method: facts.method,
      amount_microcents: toWire(facts.amount_microcents),
      currency,
      collected_at: facts.decided_at.toISOString(),
      reference: facts.reference ?? facts.payment_key,
    },
    charge: {
      state: job.charge_state,
      amount_microcents: job.charge_state === 'held' || job.charge_state === 'final' ? toWire(job.price_microcents) : 0,
      finalized_at: job.finalized_at?.toISOString() ?? null,
      basis: waiverOf(job, facts) ?? basis[job.charge_state],
    },
    remedy: remedyOf(job, facts),
    business_authority: 'advisory_only',
    receipt_certifies_work: false,
    terms_version: facts.terms_version,
  };
  const payload = canonicalJson(unsigned);
  const signature = { kid: signer.kid, alg: 'EdDSA' as const, jws: signer.sign(payload) };
  const body = JSON.stringify({ ...unsigned, signature });
  keepText(tx, { job_key: job.job_key, kind: 'receipts', number: unsigned.sequence, body }, now);
  tx.write(sql`
    insert into receipts (receipt_key, job_key, sequence, digest, issued_at)
    values (${unsigned.receipt_key}, ${job.job_key}, ${unsigned.sequence}, ${digestOf(payload)}, ${now})`);
}

const waivedBecause: Record<Exclude<JobRow['waived_because'], null | 'payment_reversed'>, string> = {
  second_dispute: 'The buyer disputed the report again after the correction.',
  recheck_failed: 'The correction could not be delivered.',
  source_withdrawn: 'A governed source that the correction needs was taken away.',
  assessor_unreachable: 'The correction could not be delivered: the language model could not be reached.',
  waived_by_operator: 'The service waived the charge.',
  payment_reported: 'The bank of the card reported the payment as fraud.',
};

/** Why the charge was waived; else null. */
function waiverOf({ waived_because }: JobRow, { rail }: ReceiptFacts): string | null {
  if (waived_because === null) return null;
  return waived_because === 'payment_reversed' ? reversalReasons[rail] : waivedBecause[waived_because];
}

/** The refund or credit of a collection that became no charge; else the correction, if any. */
function remedyOf(job: JobRow, facts: ReceiptFacts): contract.Receipt['remedy'] {
  const because = waiverOf(job, facts);
  const undelivered = job.failure ?? 'The job was canceled before delivery.';
  if (job.payment_state === 'reversed') {
    return {
      kind: 'reversal',
      state: 'reversed',
      amount_microcents: toWire(facts.amount_microcents),
      reason: reversalReasons[facts.rail],
      at: facts.reversed_at?.toISOString() ?? null,
    };
  }
  if (facts.refund_state) {
    return {
      kind: 'refund',
      state: facts.refund_state,
      amount_microcents: toWire(facts.amount_microcents),
      reason: because ?? undelivered,
      at: facts.refund_at?.toISOString() ?? null,
      ...(facts.refund_reference ? { reference: facts.refund_reference } : {}),
    };
  }
  if (job.payment_state === 'credited') {
    return {
      kind: 'wallet_credit',
      state: 'credited',
      amount_microcents: toWire(facts.amount_microcents),
      reason: because ?? undelivered,
      at: (facts.settled_at ?? job.finalized_at)?.toISOString() ?? null,
    };
  }
  if (facts.disputed_at) {
    return {
      kind: 'correction',
      state: facts.corrected_at ? 'delivered' : 'pending',
      amount_microcents: 0,
      reason: 'The buyer disputed the first report.',
      at: (facts.corrected_at ?? facts.disputed_at).toISOString(),
    };
  }
  return { kind: 'none', state: 'none', amount_microcents: 0, reason: null, at: null };
}
