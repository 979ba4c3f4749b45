import { Moment } from '@/components/console/Moment.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Search');

/** All results of a search. */
export default show(async ({ searchParams }: { searchParams: Promise<{ q?: string | string[] }> }) => {
  const { q } = await searchParams;
  const text = typeof q === 'string' ? q.trim() : '';
  const { ctx } = await operatorContext();
  const { results } = text === '' ? { results: [] } : await readForOperator('console_search', { q: text });
  return (
    <>
      <h1 className="text-h1">Search</h1>
      <p className="mt-2 wrap-anywhere text-ink-2">
        {results.length === 0 ? `No results for “${text}”.` : `${counted(results.length, 'result')} for “${text}”.`}{' '}
        Keys, transactions and the ids of Stripe are looked up whole, e-mail addresses and wallets by their beginning,
        too, kept cards by their last four digits, and names of agents also when written a little wrong. A pasted
        address of a page stands for what it shows.
      </p>
      {/^req_\w+$/.test(text) ? (
        <p className="mt-2 text-ink-2">
          Request ids stand in the log alone: <Key>{`journalctl -u 'work-check-*' -g ${text}`}</Key> shows the operation
          and its keys.
        </p>
      ) : null}
      <ul className="mt-6 border-t border-ink">
        {results.map(({ kind, key, title, at, page }) => (
          <li
            key={`${kind} ${key} ${title}`}
            className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5"
          >
            <a className="link inline-flex min-h-6 items-center" href={page}>
              <Key>{key}</Key>
            </a>
            <span className="text-ink-2">
              {kind}, {title.replaceAll('_', ' ')}
            </span>
            {at ? (
              <span className="ml-auto text-ink-3">
                <Moment at={at} now={ctx.now} />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
});
