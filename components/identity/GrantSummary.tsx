import type { ReactNode } from 'react';
import { amountText } from '@/components/purchases/Price.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';

type Ceilings = Pick<GrantTerms, 'per_job_limit_microcents' | 'daily_limit_microcents' | 'total_limit_microcents'>;

/** An agent's spending limits, in the page's largest type. */
export function Limits({ grant, children }: { grant: Ceilings; children?: ReactNode }) {
  return (
    <div className="px-5 py-4">
      <h2 className="eyebrow">It may spend</h2>
      <dl className="mt-3 grid gap-x-4 gap-y-1 sm:grid-cols-3">
        <Limit microcents={grant.per_job_limit_microcents} of="per check" />
        <Limit microcents={grant.daily_limit_microcents} of="per day" />
        <Limit microcents={grant.total_limit_microcents} of="in total" />
      </dl>
      {children}
    </div>
  );
}

function Limit({ microcents, of }: { microcents: number | null; of: string }) {
  return (
    <div className="flex items-baseline justify-between sm:flex-col-reverse">
      <dt className="text-dense text-ink-2 sm:mt-0.5">{of}</dt>
      <dd className="text-h2 tabular-nums">
        {microcents === null ? (
          'No limit'
        ) : (
          <data value={microcents} title={`${microcents.toLocaleString('en-US')} microcents`}>
            {amountText(microcents)}
            {'\u00a0'}
            <span className="text-ui font-normal tracking-normal text-ink-3">USD</span>
          </data>
        )}
      </dd>
    </div>
  );
}
