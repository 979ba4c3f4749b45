import { Download } from 'lucide-react';
import { BulkBar } from '@/components/console/BulkBar.tsx';
import { FilterBar } from '@/components/console/FilterBar.tsx';
import { listInput, queryOf, viewOf } from '@/components/console/filters.ts';
import { LivePurchases } from '@/components/console/LivePurchases.tsx';
import { PurchaseTable } from '@/components/console/PurchaseTable.tsx';
import { SavedViews } from '@/components/console/SavedViews.tsx';
import { bulkNames } from '@/server/console/contract/acts.ts';
import { may } from '@/server/operation/operator-roles.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../operator.ts';
import { Told } from '../Told.tsx';

export const generateMetadata = titled('Purchases');

const page = '/console/purchases';
const presets = [
  ['All', ''],
  ['In doubt', '?is=payment:unknown&is=payment:processing'],
  ['Overdue reviews', '?is=review:overdue'],
  ['Failed', '?is=job:failed'],
  ['Money going back', '?is=payment:refund_pending&is=payment:refund_failed'],
] as const;

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Filtered purchases, each linking to its page. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const view = viewOf(await searchParams);
  const input = listInput(view);
  const { purchases, next_after } = await readForOperator('console_purchases', input);
  const { views: saved } = await readForOperator('console_views', {});
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const current = queryOf({ ...view, after: null });
  const other = view.sort === 'newest' ? 'oldest' : 'newest';
  const table = {
    rows: purchases,
    sortHref: page + queryOf({ ...view, sort: other, after: null }),
    choosing: bulkNames.some((name) => may(role, name)),
  };
  return (
    <>
      <Told page={page} done="Done, and recorded in the audit log." />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-h1">Purchases</h1>
        <div className="ml-auto flex flex-wrap gap-2">
          <a className="btn btn-sm" href={`${page}/csv${current}`} download>
            <Download className="icon" />
            CSV of these
          </a>
        </div>
      </div>
      <nav aria-label="Views" className="mt-4 flex gap-x-5 overflow-x-auto border-b border-line text-dense">
        {presets.map(([name, query]) => (
          <a
            key={name}
            href={page + query}
            className="tab -mb-px min-w-6 flex-none whitespace-nowrap"
            aria-current={same(query, current) || undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <FilterBar view={view} />
      <SavedViews views={saved} current={current} />
      <form action={`${page}/bulk`} method="get" className="panel relative mt-4 overflow-hidden">
        {view.after ? (
          <PurchaseTable {...table} sort={view.sort} now={ctx.now} />
        ) : (
          <LivePurchases {...table} input={input} now={ctx.now.toISOString()} />
        )}
        <BulkBar role={role} rows={purchases} back={current} />
        <p className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5 text-dense text-ink-3">
          {purchases.length === 0 ? 'No purchase matches. Remove a filter to see more.' : `${purchases.length} shown`}
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
      </form>
    </>
  );
});

const same = (query: string, current: string): boolean =>
  new URLSearchParams(query).toString() === new URLSearchParams(current).toString();
