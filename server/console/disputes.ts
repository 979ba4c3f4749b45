import type { Queries } from '../kernel/database.ts';
import { toText } from '../kernel/money.ts';
import type { ObjectStore } from '../kernel/object-store.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { type BankEvidence, railOf } from '../payments/rail.ts';
import { toldMax } from '../payments/told.ts';
import { Problem } from '../problems/problem.ts';
import { archivedAuditOf, wholeAudit } from '../purchases/archive/archived-audit.ts';
import { notAllowed } from '../purchases/job/row.ts';
import { lasting, service } from '../service/terms.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/disputes.ts';
import { onWire, wired } from './wire.ts';

interface DisputeRow {
  dispute_key: string;
  job_key: string;
  payment_key: string;
  account_key: string;
  opened_at: Date;
  respond_by: Date | null;
  answered_at: Date | null;
  closed_at: Date | null;
  outcome: 'won' | 'lost' | null;
  reason: string | null;
  amount_microcents: bigint | null;
  withdrawn_microcents: bigint;
  fee_microcents: bigint;
  block_key: string | null;
}

const columns = `select dispute_id as dispute_key, job_key, d.payment_key, account_key, opened_at, respond_by,
  answered_at, closed_at, outcome, reason, d.amount_microcents, withdrawn_microcents, fee_microcents, block_key
  from card_disputes d join payments p on p.payment_key = d.payment_key join jobs using (job_key)
  left join lateral (select block_key from purchase_blocks b
    where b.payment_key = d.payment_key and lifted_at is null order by b.payer nulls first limit 1) b on true`;

const open = `${columns} where closed_at is null order by respond_by nulls last, dispute_id limit $1`;
const closed = `${columns} where closed_at is not null order by closed_at desc, dispute_id limit $1`;
const named = `${columns} where dispute_id = $1`;

export const consoleDisputes: Verb<typeof contract.consoleDisputes> = async ({ db }) => {
  const { opened, ended } = await db.one<{ opened: bigint; ended: bigint }>(sql`
    select count(*) filter (where closed_at is null) as opened, count(*) filter (where closed_at is not null) as ended
    from card_disputes`);
  const list = async (text: string, total: bigint) => ({
    rows: await db.many<DisputeRow>(statement(text, [toldMax])),
    total: Number(total),
  });
  return { body: { open: onWire(await list(open, opened)), closed: onWire(await list(closed, ended)) } };
};

export const consoleDispute: Verb<typeof contract.consoleDispute> = async ({ ctx, input, db }) => {
  const dispute = await disputeNamed(db, input.dispute_key);
  const evidence = await evidenceOf(db, ctx.runtime.archive, dispute, '');
  return { body: { ...wired(dispute), obstacle: obstacleTo(dispute), evidence } };
};

/**
 * Records the act in its own transaction, then tells the bank, then records the answer. A repeat finds what was sent.
 */
export const answerDispute: Verb<typeof contract.answerDispute> = async ({ ctx, caller, input, db, steps }) => {
  const { dispute_key, statement: words, reason } = input;
  const { disputes } = railOf(ctx.runtime.rails, { rail: 'card' });
  if (!disputes) throw new Problem('service_unavailable', 'The card provider is not configured here.');
  const dispute = await steps.transact(async (tx) => {
    const found = await disputeNamed(tx, dispute_key, 'for no key update of d');
    const obstacle = obstacleTo(found);
    if (obstacle !== null) throw notAllowed(obstacle);
    const { quote_key: purchase } = await tx.one<{ quote_key: string }>(sql`
      select quote_key from jobs where job_key = ${found.job_key}`);
    const amount = found.amount_microcents;
    noteAct(tx, caller, { subject: dispute_key, action: 'answer_dispute', reason, purchase, amount }, ctx.now);
    return found;
  });
  const outcome = await disputes.answer(
    dispute_key,
    await evidenceOf(db, ctx.runtime.archive, dispute, words),
    ctx.requestId,
  );
  if (outcome === 'closed') throw notAllowed('The bank no longer accepts an answer.');
  await steps.transact(async (tx) => {
    tx.write(sql`
      update card_disputes set answered_at = coalesce(answered_at, ${ctx.runtime.clock()})
      where dispute_id = ${dispute_key}`);
  });
  return { body: { outcome } };
};

async function disputeNamed(db: Queries, key: string, held = ''): Promise<DisputeRow> {
  const dispute = await db.maybe<DisputeRow>(statement(`${named} ${held}`, [key]));
  if (!dispute) throw new Problem('not_found', 'No dispute has this key.');
  return dispute;
}

function obstacleTo({ closed_at, answered_at }: DisputeRow): string | null {
  if (closed_at) return 'The dispute has ended.';
  return answered_at ? 'It was answered, and banks accept only one answer.' : null;
}

const refundPolicy =
  'The buyer pays before the check. Without a report within the promised time the payment is returned automatically. ' +
  `With a report the buyer has ${lasting('reviewWindow')} to accept or dispute it. The first dispute gets a re-check at no ` +
  'charge, the second returns the whole payment.';

/** The evidence for a bank: digests and instants of the purchase's record, nothing of the work itself. */
async function evidenceOf(
  db: Queries,
  archive: ObjectStore | null,
  { job_key: jobKey }: DisputeRow,
  words: string,
): Promise<BankEvidence> {
  const job = await db.one<{
    quote_key: string;
    price_microcents: bigint;
    delivered_at: Date | null;
    charge_state: string;
    email: string | null;
  }>(sql`
    select quote_key, price_microcents, delivered_at, charge_state, (
      select email from members m where m.account_key = jobs.account_key order by role = 'owner' desc, created_at limit 1)
      as email
    from jobs where job_key = ${jobKey}`);
  return {
    product: `One check of a work by software: ${service.serviceKey}, ${toText(job.price_microcents)}, purchase ${jobKey}.`,
    email: job.email,
    deliveredOn: job.delivered_at?.toISOString().slice(0, 10) ?? null,
    activity: await activityOf(db, archive, job.quote_key),
    refundPolicy,
    refusal: words || refusalOf(job),
    record: await recordOf(db, jobKey),
  };
}

function refusalOf({ delivered_at, charge_state }: { delivered_at: Date | null; charge_state: string }): string {
  if (!delivered_at) return 'No report has been delivered.';
  const instant = delivered_at.toISOString();
  return charge_state === 'final'
    ? `The report was delivered at ${instant}, and the buyer accepted it.`
    : `The report was delivered at ${instant}.`;
}

/** Every recorded step of the purchase, one per line, oldest first. */
async function activityOf(db: Queries, archive: ObjectStore | null, quoteKey: string): Promise<string> {
  const archived = await archivedAuditOf(db, archive, quoteKey);
  const steps = await db.many<{ at: Date; actor: string; action: string; state_to: string }>(
    statement(`select at, actor, action, state_to from (${wholeAudit('= $1', '$2')}) audit order by sequence`, [
      quoteKey,
      JSON.stringify(archived),
    ]),
  );
  return steps
    .map(
      ({ at, actor, action, state_to }) =>
        `${at.toISOString()} ${action.replaceAll('_', ' ')} by ${actor}: ${state_to}`,
    )
    .join('\n');
}

/** Digests of what was delivered and signed. */
async function recordOf(db: Queries, jobKey: string): Promise<string> {
  const reports = await db.many<{ number: number; digest: string; verdict: string | null; delivered_at: Date }>(sql`
    select number, digest, verdict, delivered_at from reports where job_key = ${jobKey} order by number`);
  const reviews = await db.many<{ decision: string; report_number: number; at: Date }>(sql`
    select decision, report_number, at from reviews where job_key = ${jobKey} order by at`);
  const receipts = await db.many<{ receipt_key: string; digest: string; issued_at: Date }>(sql`
    select receipt_key, digest, issued_at from receipts where job_key = ${jobKey} order by sequence`);
  return [
    ...reports.map((one) => `Report ${one.number} of ${one.delivered_at.toISOString()}: ${one.verdict}, ${one.digest}`),
    ...reviews.map((one) => `Report ${one.report_number}: ${one.decision} at ${one.at.toISOString()}`),
    ...receipts.map((one) => `Signed receipt ${one.receipt_key} of ${one.issued_at.toISOString()}: ${one.digest}`),
  ].join('\n');
}
