import { csvFile } from '@/app/csv.ts';
import { nameOf } from '@/components/identity/AgentList.tsx';
import type { perform } from '@/server/door/perform.ts';
import { microcents, toText } from '@/server/kernel/money.ts';
import { type Bookkeeping, type BookkeepingReceipt, Month } from '@/server/purchases/bookkeeping-contract.ts';
import type { Context } from '@/server/runtime.ts';
import { memberContext } from '../../member.ts';
import { countedReads } from '../../read.ts';

const columns = [
  'number',
  'collected_at',
  'job',
  'receipt',
  'request',
  'bought_by',
  'verdict',
  'rail',
  'collected',
  'net',
  'tax',
  'tax_percent',
  'charge',
  'charged',
  'remedy',
  'given_back',
  'currency',
  'reference',
  'seller',
  'seller_tax_id',
] as const;

/** Rows read at once. */
const pageRows = 100;

/** Each collected purchase with its newest receipt, newest first. Only those of a month, such as 2026-11. */
async function* linesOf(ctx: Context, read: typeof perform, month: string | null) {
  yield columns;
  for (let after: string | null | undefined; after !== null; ) {
    const input = {
      view: 'figures' as const,
      limit: pageRows,
      ...(month === null ? {} : { month }),
      ...(after === undefined ? {} : { after }),
    };
    const { body }: { body: Bookkeeping } = await read('bookkeeping', ctx, input);
    for (const receipt of body.receipts) yield lineOf(receipt);
    after = body.next_after;
  }
}

const usd = (amount: number): string => toText(microcents(amount)).replace(/ USD$/, '').replaceAll(',', '');

function lineOf({ seller, ...line }: BookkeepingReceipt) {
  return [
    line.number,
    line.collected_at,
    line.job_key,
    line.receipt_key,
    line.title,
    nameOf(line.bought_by),
    line.verdict,
    line.rail,
    usd(line.amount_microcents),
    usd(line.net_microcents),
    usd(line.tax_microcents),
    line.tax_percent,
    line.charge_state,
    usd(line.charged_microcents),
    line.remedy_kind,
    usd(line.given_back_microcents),
    'USD',
    line.reference,
    seller?.name ?? null,
    seller?.tax_id ?? null,
  ];
}

/** What the account paid, as a table for its books: all of it, or one month of UTC. Members only. */
export async function GET(request: Request): Promise<Response> {
  const month = new URL(request.url).searchParams.get('month');
  const { ctx, email, wallet } = await memberContext();
  if (email === null && wallet === null) return new Response('Sign in first.\n', { status: 401 });
  if (month !== null && !Month.safeParse(month).success)
    return new Response('A month looks like 2026-11.\n', { status: 400 });
  return csvFile(`work-check-${month ?? 'all'}.csv`, linesOf(ctx, await countedReads(), month));
}
