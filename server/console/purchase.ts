import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import type { ObjectStore } from '../kernel/object-store.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { attemptPayers } from '../payments/attempt-sql.ts';
import { readableBodies } from '../purchases/archive/bodies.ts';
import { reviewStateAt, stateAt } from '../purchases/job/row.ts';
import { actionsOn } from './actions.ts';
import type * as contract from './contract/purchases.ts';
import { type FoundPurchase, findPurchase, type QuoteParts } from './found.ts';
import { movementsOf } from './movements.ts';
import { timelineOf } from './timeline.ts';

export const consolePurchase: Verb<typeof contract.consolePurchase> = async ({ ctx, caller, input, db }) => {
  const found = await findPurchase(db, input.key);
  const { quote, job } = found;
  const jobKey = job?.job_key ?? null;
  const agent = await db.one<{ name: string | null; owner: string | null }>(sql`
    select name, (select email from members m where m.account_key = p.account_key
      order by role = 'owner' desc, created_at limit 1) as owner
    from principals p where principal_key = ${quote.principal_key}`);
  const payment = await lastPayment(db, jobKey);
  const reports = await db.many<{ number: number; verdict: string | null; digest: string; delivered_at: Date }>(sql`
    select number, verdict, digest, delivered_at from reports where job_key = ${jobKey} order by number`);
  return {
    body: {
      job_key: jobKey,
      quote_key: quote.quote_key,
      created_at: (job ?? quote).created_at.toISOString(),
      account_key: quote.account_key,
      buyer: payment?.payer ?? agent.name ?? quote.principal_key,
      rail: payment?.rail ?? null,
      state: job ? stateAt(job, ctx.now) : quoteStateAt(quote, ctx.now),
      payment_state: job?.payment_state ?? 'none',
      charge_state: job?.charge_state ?? 'none',
      review_state: job ? reviewStateAt(job, ctx.now) : 'not_open',
      verdict: reports.at(-1)?.verdict ?? null,
      amount_microcents: toWire(quote.price_microcents),
      agent_key: quote.principal_key,
      agent_name: agent.name,
      method: payment?.method ?? null,
      payment_key: payment?.payment_key ?? null,
      deadline: deadlineOf(found, ctx.now),
      failure: job?.failure ?? null,
      owner: agent.owner,
      decline: await declineOf(db, jobKey),
      movements: await movementsOf(db, jobKey),
      content_deleted_at: quote.input_deleted_at?.toISOString() ?? null,
      reports: reports.map((report) => ({ ...report, delivered_at: report.delivered_at.toISOString() })),
      receipts: await receiptsOf(db, ctx.runtime.archive, jobKey),
      actions: actionsOn(found, caller.role, ctx.now),
      timeline: await timelineOf({ db, archive: ctx.runtime.archive }, found, ctx.now),
    },
  };
};

interface ReceiptRow {
  job_key: string;
  receipt_key: string;
  sequence: number;
  digest: string;
  issued_at: Date;
  body: string | null;
}

/** The receipts of a job, without the text of those that lie in an archive which does not answer. */
async function receiptsOf(
  db: Queries,
  archive: ObjectStore | null,
  jobKey: string | null,
): Promise<contract.Purchase['receipts']> {
  const rows = await db.many<ReceiptRow>(sql`
    select job_key, receipt_key, sequence, digest, issued_at, text_of(job_key, 'receipts', sequence) as body from receipts
    where job_key = ${jobKey} order by sequence`);
  const kept = rows.map(({ sequence: number, ...row }) => ({ ...row, number }));
  const bodies = await readableBodies(db, archive, 'receipts', kept);
  return rows.map(({ job_key: _, issued_at, ...row }, index) => ({
    ...row,
    issued_at: issued_at.toISOString(),
    body: bodies[index] ?? null,
  }));
}

interface PaymentParts {
  payment_key: string;
  rail: string;
  method: string;
  payer: string | null;
}

const paymentOfJob = `
  select payment_key, rail, method, payer from payments left join (${attemptPayers}) payers using (payment_key)
  where job_key = $1 order by created_at desc limit 1`;

function lastPayment(db: Queries, jobKey: string | null): Promise<PaymentParts | undefined> {
  return db.maybe<PaymentParts>(statement(paymentOfJob, [jobKey]));
}

/** The bank's newest refusal, on the page or of a saved card. */
async function declineOf(db: Queries, jobKey: string | null): Promise<contract.Purchase['decline']> {
  const found = await db.maybe<{ code: string; at: Date; intent_id: string | null }>(sql`
    select coalesce(declined_because, decline_code) as code, coalesce(declined_at, decided_at, created_at) as at,
      coalesce(declined_intent_id, intent_id) as intent_id
    from payments join card_payments using (payment_key)
    where job_key = ${jobKey} and coalesce(declined_because, decline_code) is not null
    order by at desc limit 1`);
  return found ? { ...found, at: found.at.toISOString() } : null;
}

function quoteStateAt({ state, expires_at }: QuoteParts, now: Date): string {
  return state === 'open' && now >= expires_at ? 'expired' : state;
}

/** The next deadline, and what ends then. */
function deadlineOf({ quote, job }: FoundPurchase, now: Date): contract.Purchase['deadline'] {
  const due = (what: string, at: Date | null) => at && { what, at: at.toISOString() };
  if (!job) return now < quote.expires_at ? due('The quote expires', quote.expires_at) : null;
  switch (job.state) {
    case 'awaiting_payment':
      return due('To be paid by', job.pay_by);
    case 'queued':
    case 'running':
    case 'rechecking':
      return due('To be delivered by', job.deliver_by);
    case 'delivered':
    case 'redelivered':
      return due('To be reviewed by', job.review_by);
    default:
      return null;
  }
}
