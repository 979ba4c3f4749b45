import type { Metadata } from 'next';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { amountText, Price } from '@/components/purchases/Price.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { SubpageHead } from '@/components/ui/SubpageHead.tsx';
import type { CreditChange } from '@/server/purchases/credit-contract.ts';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Credit' };

const here = '/purchases/credit';

const reasons: Record<string, string> = {
  credited: 'Came back: the purchase came to nothing',
  credit_spent: 'Paid for a check',
  refund_credited: 'Came back: a refund could not be sent',
  credit_taken: 'Went: what it came from had gone back',
};

/** The credit of a wallet, or of an account's agents, and how it came and went. */
export default show(async ({ searchParams }: { searchParams: Promise<{ after?: string | string[] }> }) => {
  const { after } = await searchParams;
  const { ctx } = await memberContext();
  const credit = await readForMember('credit', ctx, typeof after === 'string' ? { after } : {});
  if (credit === null) return <SignInNeeded to="see your credit" next={here} />;
  return (
    <div className="mx-auto max-w-read px-4 py-8 md:py-12">
      <SubpageHead above={['Purchases', '/purchases']} title="Credit" />
      <p className="mt-1 text-body">
        <strong className="font-semibold">
          <Price microcents={credit.balance_microcents} />
        </strong>{' '}
        for checks.
      </p>
      <p className="mt-1 text-ink-2">
        A payment in USDC that brings no report becomes credit of the wallet or agent that bought. It pays for a check
        when it covers the whole price. It does not expire, and is not returned to a wallet.
      </p>
      {credit.changes.length === 0 ? (
        <p className="mt-6 text-ink-2">There was never any.</p>
      ) : (
        <ol className="mt-6 border-t border-ink">
          {credit.changes.map((change) => (
            <Change key={change.change_key} change={change} />
          ))}
        </ol>
      )}
      {credit.next_after === null ? null : (
        <a className="btn mt-6" href={`${here}?${new URLSearchParams({ after: credit.next_after })}`}>
          Older changes
        </a>
      )}
    </div>
  );
});

function Change({ change }: { change: CreditChange }) {
  const { amount_microcents: amount, balance_microcents: balance } = change;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b border-line py-3">
      <div>
        <a href={`/receipts/${change.job_key}`} className="link inline-flex min-h-6 items-center">
          {reasons[change.event] ?? (amount > 0 ? 'Came back' : 'Taken back')}
        </a>
        <p className="text-dense wrap-anywhere text-ink-3">
          <Instant at={change.at} />, <bdi>{nameOf(change.bought_by)}</bdi>
        </p>
      </div>
      <p className="text-right tabular-nums">
        {amount > 0 ? '+' : ''}
        <Price microcents={amount} />
        <span className="block text-dense text-ink-3">{amountText(balance)} then</span>
      </p>
    </li>
  );
}
