import { Check, Minus } from 'lucide-react';
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

/** What an agent may do, and what it may not. */
export function Permissions({ grant, rails }: { grant: GrantTerms; rails: readonly ('card' | 'x402')[] }) {
  const hasCard = rails.includes('card');
  const card = hasCard && grant.payment_methods.some((method) => method.startsWith('card'));
  const x402 = grant.payment_methods.includes('x402');
  const pay = [...(card ? ['card'] : []), ...(x402 ? ['x402'] : [])].join(' or ');
  const all: readonly (readonly [string, boolean])[] = [
    [`Pay by ${pay || 'card or x402'}`, pay !== ''],
    ...(card === x402
      ? []
      : ([[card ? 'Pay by x402' : hasCard ? 'Pay by card' : 'Pay by card: not set up here', false]] as const)),
    ['Accept or dispute reports', grant.review_authority],
    ['Share your stored sources', grant.governed_refs],
    ['Change its own limits', false],
  ];
  return (
    <div className="grid border-t border-line md:grid-cols-2">
      <div className="px-5 py-4">
        <h2 className="eyebrow">It may</h2>
        <Acts acts={all.filter(([, may]) => may)} />
      </div>
      <div className="border-t border-line px-5 py-4 md:border-t-0 md:border-l">
        <h2 className="eyebrow">It may not</h2>
        <Acts acts={all.filter(([, may]) => !may)} />
      </div>
    </div>
  );
}

function Acts({ acts }: { acts: readonly (readonly [string, boolean])[] }) {
  return (
    <ul className="mt-2 space-y-1.5">
      {acts.map(([act, may]) => (
        <li key={act} className="flex gap-2">
          {may ? <Check className="icon mt-0.5" /> : <Minus className="icon mt-0.5 text-ink-3" />}
          {act}
        </li>
      ))}
    </ul>
  );
}
