import { Price } from '@/components/purchases/Price.tsx';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';

/** How much of the day's limit is spent and held, drawn and in exact amounts. */
export function SpendMeter({ agent }: { agent: Pick<ConnectedAgent, 'grant' | 'spend'> }) {
  const { daily_limit_microcents: limit } = agent.grant;
  const { today_microcents: today, held_today_microcents: held, total_microcents: total } = agent.spend;
  const share = (amount: number) => (limit === 0 ? 0 : Math.min(100, (100 * amount) / limit));
  const spent = share(today - held);
  return (
    <>
      <svg className="meter mt-3 w-full" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={spent} height="1" className="fill-ink-2" />
        <rect x={spent} width={Math.min(100 - spent, share(held))} height="1" className="fill-ink-2 opacity-45" />
      </svg>
      <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-dense text-ink-2">
        <span>
          Today{' '}
          {today === 0 ? (
            'nothing'
          ) : (
            <>
              <Price microcents={today - held} /> spent and <Price microcents={held} /> held
            </>
          )}
          , of <Price microcents={limit} />
        </span>
        <span className="text-ink-3">
          <Price microcents={total} />
          {agent.grant.total_limit_microcents === null ? null : (
            <>
              {' '}
              of <Price microcents={agent.grant.total_limit_microcents} />
            </>
          )}{' '}
          in total
        </span>
      </p>
    </>
  );
}
