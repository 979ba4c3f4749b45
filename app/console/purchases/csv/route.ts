import { csvFile } from '@/app/csv.ts';
import { listInput, viewOf } from '@/components/console/filters.ts';
import { perform } from '@/server/door/perform.ts';
import { currency, microcents, toText } from '@/server/kernel/money.ts';
import type { Context } from '@/server/runtime.ts';
import { nothing, operatorContext } from '../../operator.ts';

/** Rows read at once. */
const pageRows = 1_000;

const columns = [
  'job_key',
  'quote_key',
  'created_at',
  'account_key',
  'buyer',
  'rail',
  'state',
  'payment_state',
  'charge_state',
  'review_state',
  'verdict',
  'amount',
  'currency',
  'amount_microcents',
  'fee',
  'refunded',
  'reference',
] as const;

/** Exactly the filtered purchases, all pages, as CSV (RFC 4180). Times are UTC. */
export async function GET(request: Request): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  const query = new URL(request.url).searchParams;
  const view = viewOf(Object.fromEntries([...query.keys()].map((name) => [name, single(query.getAll(name))])));
  return csvFile('purchases.csv', linesOf(ctx, view));
}

type Listed = Awaited<ReturnType<typeof perform<'console_purchases'>>>['body'];

async function* linesOf(ctx: Context, view: ReturnType<typeof viewOf>) {
  yield columns;
  let after: string | null = null;
  do {
    const input: object = { ...listInput({ ...view, after }), limit: pageRows, money: true };
    const { body }: { body: Listed } = await perform('console_purchases', ctx, input);
    for (const row of body.purchases) {
      const { fee_microcents: fee = null, refunded_microcents: refunded = null, reference = null } = row.money ?? {};
      const told = {
        ...row,
        amount: inUnits(row.amount_microcents),
        currency,
        fee: inUnits(fee),
        refunded: inUnits(refunded),
        reference,
      };
      yield columns.map((name) => told[name]);
    }
    after = body.next_after;
  } while (after !== null);
}

/** An amount as a plain decimal of its currency. */
function inUnits(amount: Listed['purchases'][number]['amount_microcents'] | null): string {
  return amount === null ? '' : toText(microcents(amount)).replace(/ USD$/, '').replaceAll(',', '');
}

/** A parameter that occurs once, as text. */
function single(values: string[]): string | string[] {
  const [only = '', ...more] = values;
  return more.length === 0 ? only : values;
}
