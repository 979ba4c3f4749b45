import type { Metadata } from 'next';
import { type MonthSpent, SpendChart } from '@/components/purchases/SpendChart.tsx';
import { SubpageHead } from '@/components/ui/SubpageHead.tsx';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Spend' };

/** Months shown: half a year fits a phone. */
const monthsShown = 6;

/** The months up to this instant's, in UTC, oldest first: `2026-06` to `2026-11`. */
function monthsUpTo(now: Date): string[] {
  return Array.from({ length: monthsShown }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (monthsShown - 1 - index), 1))
      .toISOString()
      .slice(0, 7),
  );
}

/** What the account's agents spent, by month. */
export default show(async () => {
  const { ctx } = await memberContext();
  const months: MonthSpent[] = [];
  for (const month of monthsUpTo(ctx.now)) {
    const books = await readForMember('bookkeeping', ctx, { month, view: 'figures', limit: 1 });
    if (books === null) return <SignInNeeded to="see what was spent" next="/purchases/spend" />;
    months.push({ month, sums: books.sums });
  }
  return (
    <div className="mx-auto max-w-read px-4 py-8 md:py-12">
      <SubpageHead above={['Purchases', '/purchases']} title="Spend">
        What was collected in each month of UTC. What went back is shown in the month of its purchase.
      </SubpageHead>
      <SpendChart months={months} />
    </div>
  );
});
