import { Moment } from '@/components/console/Moment.tsx';
import { Pager } from '@/components/console/Rows.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Customer } from '@/server/console/contract/customers.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Customers');

type Search = Promise<Record<string, string | string[] | undefined>>;
const single = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Customers, newest first, or those that match a prefix. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const asked = await searchParams;
  const [q, after, blocked] = [single(asked.q), single(asked.after), asked.blocked === '1'];
  const { customers, next_after } = await readForOperator('console_accounts', { q, after, blocked });
  const { ctx } = await operatorContext();
  const address = (changes: Record<string, string>) =>
    `/console/customers?${new URLSearchParams({ ...(q ? { q } : {}), ...(blocked ? { blocked: '1' } : {}), ...changes })}`;
  return (
    <>
      <h1 className="text-h1">Customers</h1>
      <search>
        <form action="/console/customers" method="get" className="mt-4 flex flex-wrap items-end gap-3 text-dense">
          <div className="min-w-0 flex-1 basis-60">
            <label className="label" htmlFor="beginning">
              Start of an e-mail or agent name, or a full key
            </label>
            <div className="field min-h-9">
              <input id="beginning" name="q" type="search" defaultValue={q ?? ''} maxLength={255} />
            </div>
          </div>
          <label className="inline-flex min-h-9 items-center gap-2">
            <input type="checkbox" name="blocked" value="1" defaultChecked={blocked} /> Blocked
          </label>
          <button type="submit" className="btn">
            Find
          </button>
        </form>
      </search>
      <table className="table mt-5 text-dense">
        <caption className="sr-only">Customers, the newest first</caption>
        <thead className="max-md:sr-only">
          <tr>
            {['Customer', 'Since', 'Members', 'Agents', 'Waived', 'Blocks'].map((name, index) => (
              <th key={name} scope="col" className={index > 1 ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {customers.map((row) => (
            <CustomerRow key={row.account_key} row={row} now={ctx.now} />
          ))}
        </tbody>
      </table>
      {customers.length === 0 ? <p className="mt-4 text-ink-3">No customer matches.</p> : null}
      <Pager first={after ? address({}) : null} next={next_after ? address({ after: next_after }) : null} />
    </>
  );
});

function CustomerRow({ row, now }: { row: Customer; now: Date }) {
  return (
    <tr className="hover:bg-hover max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:border-b max-md:border-line max-md:py-3 max-md:*:border-0! max-md:*:p-0!">
      <td className="min-w-0 wrap-anywhere">
        <a
          href={`/console/customers/${row.account_key}`}
          className="inline-flex min-h-6 items-center font-medium hover:underline"
        >
          {row.owner ?? 'A wallet'}
        </a>
        <div className="text-ink-3">
          <Key>{row.account_key}</Key>
        </div>
      </td>
      <td className="text-ink-3">
        <Moment at={row.created_at} now={now} />
        {row.closed_at ? (
          <>
            , closed <Moment at={row.closed_at} now={now} />
          </>
        ) : null}
      </td>
      <td className="num max-md:hidden">{row.members}</td>
      <td className="num max-md:hidden">{row.agents}</td>
      <td className="num max-md:hidden">{row.waivers}</td>
      <td className="num max-md:hidden">{row.blocks}</td>
    </tr>
  );
}
