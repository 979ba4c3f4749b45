import { listInput, viewOf } from '@/components/console/filters.ts';
import { perform } from '@/server/door/perform.ts';
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
  'amount_microcents',
] as const;

/** Quotes where needed, and prefixes values that look like formulas with an apostrophe (OWASP). */
function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Exactly the filtered purchases, all pages, as CSV (RFC 4180). Times are UTC. */
export async function GET(request: Request): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  const query = new URL(request.url).searchParams;
  const view = viewOf(Object.fromEntries([...query.keys()].map((name) => [name, single(query.getAll(name))])));
  const encoder = new TextEncoder();
  let after: string | null = null;
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const input = { ...listInput({ ...view, after }), limit: pageRows };
      const { purchases, next_after } = (await perform('console_purchases', ctx, input)).body;
      const lines = purchases.map((row) => columns.map((name) => cell(row[name])).join(','));
      controller.enqueue(encoder.encode([...(isFirst ? [columns.join(',')] : []), ...lines, ''].join('\r\n')));
      isFirst = false;
      after = next_after;
      if (after === null) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="purchases.csv"',
      'cache-control': 'private, no-store',
    },
  });
}

/** A parameter that occurs once, as text. */
function single(values: string[]): string | string[] {
  const [only = '', ...more] = values;
  return more.length === 0 ? only : values;
}
