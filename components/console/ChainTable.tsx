import type { ChainBooks } from '@/server/console/contract/records.ts';
import { Price } from '../purchases/Price.tsx';
import { Moment } from './Moment.tsx';

/** Our balance on each chain, and in the books at the same block. */
export function ChainTable({ chains, now }: { chains: readonly ChainBooks[]; now: Date }) {
  if (chains.length === 0) return <p className="p-5 text-dense text-ink-3">No chain searched yet.</p>;
  return (
    <ul className="divide-y divide-line text-dense">
      {chains.map((chain) => (
        <li key={chain.network} className="flex flex-wrap items-baseline gap-x-5 gap-y-1 px-5 py-3">
          <span className="font-medium">{chain.network}</span>
          <Agreement chain={chain} />
          <span className="text-ink-3">
            block {chain.searched_to} of {chain.head}
          </span>
          <span className="ml-auto text-ink-3">
            <Moment at={chain.searched_at} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Agreement({ chain: { balance_microcents, ledger_microcents } }: { chain: ChainBooks }) {
  if (balance_microcents === null) {
    return (
      <span>
        <Price microcents={ledger_microcents} /> in the books. The chain has not said lately what we hold.
      </span>
    );
  }
  if (balance_microcents === ledger_microcents) {
    return (
      <span>
        Chain and books agree: <Price microcents={ledger_microcents} />
      </span>
    );
  }
  return (
    <strong className="font-semibold text-fault">
      Chain and books differ by <Price microcents={balance_microcents - ledger_microcents} />:{' '}
      <Price microcents={balance_microcents} /> on the chain, <Price microcents={ledger_microcents} /> in the books
    </strong>
  );
}
