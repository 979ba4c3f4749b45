import { Download, Printer } from 'lucide-react';
import type { Metadata } from 'next';
import { StatementView } from '@/components/purchases/StatementView.tsx';
import { PrintButton } from '@/components/ui/PrintButton.tsx';
import { Month } from '@/server/purchases/bookkeeping-contract.ts';
import { Missing, show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Statement' };

type Search = Promise<{ month?: string | string[]; after?: string | string[] }>;

/** Receipts on a page; the table (CSV) has all. */
const pageRows = 50;

/** What the account paid in a month: its receipts with their numbers, and their sums. To print. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const { month, after } = await searchParams;
  const asked = Month.safeParse(month);
  if (!asked.success) throw new Missing();
  const here = `/purchases/statement?month=${asked.data}`;
  const { ctx } = await memberContext();
  const input = {
    month: asked.data,
    view: 'figures',
    limit: pageRows,
    ...(typeof after === 'string' ? { after } : {}),
  };
  const books = await readForMember('bookkeeping', ctx, input);
  if (books === null) return <SignInNeeded to="see this statement" next={here} />;
  const billing = await readForMember('billing', ctx, {});
  return (
    <div className="mx-auto max-w-page px-4 pt-6 pb-12 md:px-6 md:pt-8">
      <div className="mb-5 flex flex-wrap items-center gap-2 print:hidden">
        <a href="/purchases" className="btn">
          All purchases
        </a>
        <div className="flex gap-2 md:ml-auto">
          <PrintButton icon={<Printer className="icon" />} />
          <a className="btn" href={`/purchases/statement.csv?month=${asked.data}`} download>
            <Download className="icon" />
            CSV
          </a>
        </div>
      </div>
      <StatementView month={asked.data} books={books} buyer={billing?.billing ?? null} />
      {books.next_after === null ? null : (
        <a className="btn mt-6 print:hidden" href={`${here}&after=${encodeURIComponent(books.next_after)}`}>
          Older receipts of this month
        </a>
      )}
    </div>
  );
});
