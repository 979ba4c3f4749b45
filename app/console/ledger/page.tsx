import type { ReactNode } from 'react';
import { ChainTable } from '@/components/console/ChainTable.tsx';
import { Moment, relativeText } from '@/components/console/Moment.tsx';
import { Row, RowList } from '@/components/console/Rows.tsx';
import { amountText, Price } from '@/components/purchases/Price.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Ledger');

const readLedger = () => readForOperator('console_ledger', {});
type Ledger = Awaited<ReturnType<typeof readLedger>>;

/** The accounts of the books, whether they balance, and differences with providers. */
export default show(async () => {
  const ledger = await readLedger();
  const { ctx } = await operatorContext();
  const { difference_microcents: difference, closed_at } = ledger;
  return (
    <div className="space-y-8">
      <div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="text-h1">Ledger</h1>
          <a className="btn btn-sm ml-auto" href="/console/ledger/entries">
            All entries
          </a>
        </div>
        <p className="mt-2 text-dense text-ink-2">
          {difference === 0
            ? 'Debits and credits are equal.'
            : `Debits and credits differ by ${amountText(difference)} USD: rows were changed outside the service.`}{' '}
          {closed_at
            ? `Last closed ${relativeText(closed_at, ctx.now)}; later entries are included.`
            : 'Not closed yet.'}
        </p>
      </div>
      <Accounts accounts={ledger.accounts} />
      <section aria-labelledby="providers">
        <h2 id="providers" className="text-h2">
          Ledger against providers
        </h2>
        <div className="panel mt-3">
          <CardBooks card={ledger.card} now={ctx.now} />
          <ChainTable chains={ledger.chains} now={ctx.now} />
        </div>
      </section>
      <Differences differences={ledger.differences} now={ctx.now} />
    </div>
  );
});

function Accounts({ accounts }: { accounts: Ledger['accounts'] }) {
  return (
    <table className="table text-dense">
      <caption className="sr-only">Trial balance</caption>
      <thead className="max-md:sr-only">
        <tr>
          <th scope="col">Account</th>
          {['Debited', 'Credited', 'Balance', 'Entries'].map((name) => (
            <th key={name} scope="col" className="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {accounts.map((row) => (
          <tr
            key={row.account}
            className="hover:bg-hover max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:border-b max-md:border-line max-md:py-2.5 max-md:*:border-0! max-md:*:p-0!"
          >
            <td className="min-w-0 wrap-anywhere">
              <a
                className="link inline-flex min-h-6 items-center"
                href={`/console/ledger/entries?${new URLSearchParams({ account: row.account })}`}
              >
                {row.account}
              </a>
            </td>
            <td className="num max-md:hidden">
              <Price microcents={row.debited_microcents} />
            </td>
            <td className="num max-md:hidden">
              <Price microcents={row.credited_microcents} />
            </td>
            <td className="num">
              <Price microcents={row.balance_microcents} />
            </td>
            <td className="num max-md:hidden">{row.entries}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CardBooks({ card, now }: { card: Ledger['card']; now: Date }) {
  if (!card) return <p className="px-5 py-3 text-dense text-ink-3">Not compared with the card provider yet.</p>;
  const differs = card.balance_microcents - card.ledger_microcents;
  return (
    <p className="flex flex-wrap items-baseline gap-x-5 gap-y-1 border-b border-line px-5 py-3 text-dense">
      <span className="font-medium">card</span>
      {differs === 0 ? (
        <span>
          Provider and books agree: <Price microcents={card.ledger_microcents} />
        </span>
      ) : (
        <strong className="font-semibold text-fault">
          Provider and books differ by <Price microcents={differs} />
        </strong>
      )}
      <span className="ml-auto text-ink-3">
        <Moment at={card.searched_at} now={now} />
      </span>
    </p>
  );
}

function Differences({ differences, now }: { differences: Ledger['differences']; now: Date }) {
  return (
    <RowList
      id="differences"
      title="Differences"
      advice="Each was found twice in a row. Check both sides and correct the wrong one. The row disappears once they agree."
      nothing="Providers and chains agree with the books."
      shown={differences.rows.length}
      total={differences.total}
    >
      {differences.rows.map((row) => (
        <Row key={`${row.book} ${row.kind} ${row.object_id}`} at={row.first_seen_at} now={now}>
          <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
            <span className="font-medium">
              {row.kind} on {row.book}
            </span>{' '}
            <Key>{row.object_id}</Key>
            <span className="block">
              Ours: {row.ours ?? 'nothing'}.{' '}
              <Side href={row.job_key && `/console/purchases/${row.job_key}`}>Our side</Side>
            </span>
            <span className="block">
              Theirs: {row.theirs ?? 'nothing'}. <Side href={row.provider_page}>Their side</Side>
            </span>
          </span>
        </Row>
      ))}
    </RowList>
  );
}

function Side({ href, children }: { href: string | null; children: ReactNode }) {
  if (!href) return null;
  return (
    <a className="link inline-flex min-h-6 items-center" href={href}>
      {children}
    </a>
  );
}
