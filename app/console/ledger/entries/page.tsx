import { Pager, Row } from '@/components/console/Rows.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, titled } from '../../operator.ts';

export const generateMetadata = titled('Entries');

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Entries of the books, newest first. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const asked = await searchParams;
  const account = typeof asked.account === 'string' && asked.account !== '' ? asked.account : null;
  const after = typeof asked.after === 'string' && asked.after !== '' ? asked.after : null;
  const { entries, next_after, archived } = await readForOperator('console_entries', { account, after });
  const { ctx } = await operatorContext();
  const address = (changes: Record<string, string>) =>
    `/console/ledger/entries?${new URLSearchParams({ ...(account ? { account } : {}), ...changes })}`;
  return (
    <>
      <h1 className="text-h1 wrap-anywhere">{account ? `Entries of ${account}` : 'Entries'}</h1>
      <p className="mt-2">
        <a className="link inline-flex min-h-6 items-center" href="/console/ledger">
          All accounts
        </a>
      </p>
      <ul className="mt-4 border-t border-ink text-dense">
        {entries.map((entry) => (
          <Row key={entry.event_key} at={entry.at} now={ctx.now} microcents={entry.amount_microcents}>
            <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
              <span className="font-medium">{entry.event.replaceAll('_', ' ')}</span>, from {entry.debit_account} to{' '}
              {entry.credit_account}
              <span className="key block text-ink-3">{entry.event_key}</span>
            </span>
            {entry.job_key ? (
              <a className="link wrap-anywhere" href={`/console/purchases/${entry.job_key}`}>
                <Key>{entry.job_key}</Key>
              </a>
            ) : null}
          </Row>
        ))}
      </ul>
      {entries.length === 0 ? <p className="mt-4 text-ink-3">No entries.</p> : null}
      {archived ? (
        <p className="mt-4 text-ink-3">
          {counted(archived.entries, 'more entry', 'more entries')} in the archive, of purchases begun in{' '}
          {archived.months.join(', ')}: each purchase shows its own.
        </p>
      ) : null}
      <Pager first={after ? address({}) : null} next={next_after ? address({ after: next_after }) : null} />
    </>
  );
});
