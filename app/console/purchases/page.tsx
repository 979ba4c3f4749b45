import { Download } from 'lucide-react';
import { FilterBar } from '@/components/console/FilterBar.tsx';
import { listInput, queryOf, viewOf } from '@/components/console/filters.ts';
import { PurchaseTable } from '@/components/console/PurchaseTable.tsx';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Purchases');

const page = '/console/purchases';
const views = [
  ['All', ''],
  ['In doubt', '?is=payment:unknown&is=payment:processing'],
  ['Overdue reviews', '?is=review:overdue'],
  ['Failed', '?is=job:failed'],
  ['Money going back', '?is=payment:refund_pending&is=payment:refund_failed'],
] as const;

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Purchases by what they are filtered by, each leading to its page. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const view = viewOf(await searchParams);
  const { purchases, next_after } = await readForOperator('console_purchases', listInput(view));
  const { ctx } = await operatorContext();
  const current = queryOf({ ...view, after: null });
  const other = view.sort === 'newest' ? 'oldest' : 'newest';
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-h1">Purchases</h1>
        <div className="ml-auto flex flex-wrap gap-2">
          <a className="btn btn-sm" href={page + queryOf({ ...view, sort: other, after: null })}>
            Sort by {other} first
          </a>
          <a className="btn btn-sm" href={`${page}/csv${current}`} download>
            <Download className="icon" />
            CSV of these
          </a>
        </div>
      </div>
      <nav aria-label="Views" className="mt-4 flex gap-x-5 overflow-x-auto border-b border-line text-dense">
        {views.map(([name, query]) => (
          <a
            key={name}
            href={page + query}
            className="tab -mb-px min-w-6"
            aria-current={same(query, current) || undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <FilterBar view={view} />
      <div className="panel mt-4 overflow-hidden">
        <PurchaseTable rows={purchases} sort={view.sort} now={ctx.now} />
        <p className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5 text-dense text-ink-3">
          {purchases.length === 0
            ? 'No purchase is like that. Take a filter away to see more.'
            : `${purchases.length} shown`}
          {view.after ? (
            <a className="btn btn-sm ml-auto" href={page + current}>
              First page
            </a>
          ) : null}
          {next_after ? (
            <a
              className={`btn btn-sm ${view.after ? '' : 'ml-auto'}`}
              href={page + queryOf({ ...view, after: next_after })}
            >
              Next page
            </a>
          ) : null}
        </p>
      </div>
    </>
  );
});

const same = (query: string, current: string): boolean =>
  new URLSearchParams(query).toString() === new URLSearchParams(current).toString();
