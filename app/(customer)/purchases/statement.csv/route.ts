import { csvFile } from '@/app/csv.ts';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { perform } from '@/server/door/perform.ts';
import { microcents, toText } from '@/server/kernel/money.ts';
import type { Receipt } from '@/server/purchases/contract.ts';
import type { Context } from '@/server/runtime.ts';
import { memberContext } from '../../member.ts';

const columns = [
  'collected_at',
  'job',
  'receipt',
  'request',
  'bought_by',
  'verdict',
  'rail',
  'collected',
  'charge',
  'charged',
  'remedy',
  'given_back',
  'currency',
  'reference',
] as const;

/** Rows read at once. */
const pageRows = 100;

/** Each collected purchase of an account with its newest receipt, newest first. Only those of a month, such as 2026-11. */
async function* linesOf(ctx: Context, month: string | null) {
  yield columns;
  const receipts = receiptsOf(ctx);
  let receipt = (await receipts.next()).value;
  let after: string | null = null;
  do {
    const { body }: { body: Bought } = await perform('bought', ctx, { limit: pageRows, ...(after ? { after } : {}) });
    for (const purchase of body.purchases) {
      if (purchase.job.job_key !== receipt?.job_key) continue;
      if (month === null || receipt.collection.collected_at.startsWith(month)) yield lineOf(purchase, receipt);
      receipt = (await receipts.next()).value;
    }
    after = body.next_after;
  } while (after !== null);
}

type Listed = Awaited<ReturnType<typeof perform<'receipts'>>>['body'];
type Bought = Awaited<ReturnType<typeof perform<'bought'>>>['body'];

/** The newest receipt of each job that has one, in the order of the jobs. */
async function* receiptsOf(ctx: Context): AsyncGenerator<Receipt, undefined> {
  let after: string | null = null;
  do {
    const { body }: { body: Listed } = await perform('receipts', ctx, { limit: pageRows, ...(after ? { after } : {}) });
    yield* body.receipts;
    after = body.next_after;
  } while (after !== null);
}

const usd = (amount: number): string => toText(microcents(amount)).replace(/ USD$/, '').replaceAll(',', '');

function lineOf({ job, title, bought_by, verdict }: Bought['purchases'][number], receipt: Receipt) {
  const { collection, charge, remedy } = receipt;
  return [
    collection.collected_at,
    job.job_key,
    receipt.receipt_key,
    title,
    nameOf(bought_by),
    verdict,
    collection.rail,
    usd(collection.amount_microcents),
    charge.state,
    usd(charge.amount_microcents),
    remedy.kind,
    usd(remedy.amount_microcents),
    collection.currency,
    collection.reference,
  ];
}

/** What the account paid, as a table for its books: all of it, or one month of UTC. Members only. */
export async function GET(request: Request): Promise<Response> {
  const month = new URL(request.url).searchParams.get('month');
  const { ctx, email, wallet } = await memberContext();
  if (email === null && wallet === null) return new Response('Sign in first.\n', { status: 401 });
  if (month !== null && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))
    return new Response('A month looks like 2026-11.\n', { status: 400 });
  return csvFile(`work-check-${month ?? 'all'}.csv`, linesOf(ctx, month));
}
