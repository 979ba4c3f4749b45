import { Key } from '@/components/ui/Key.tsx';
import { show } from '../../show.tsx';
import { readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Search');

/** All results of a search. */
export default show(async ({ searchParams }: { searchParams: Promise<{ q?: string | string[] }> }) => {
  const { q } = await searchParams;
  const text = typeof q === 'string' ? q.trim() : '';
  const { results } = text === '' ? { results: [] } : await readForOperator('console_search', { q: text });
  return (
    <>
      <h1 className="text-h1">Search</h1>
      <p className="mt-2 wrap-anywhere text-ink-2">
        {results.length === 0 ? `No results for “${text}”.` : `${results.length} results for “${text}”.`} Keys, wallets,
        transactions and the ids of Stripe are looked up whole; names of agents also when written a little wrong.
      </p>
      <ul className="mt-6 border-t border-ink">
        {results.map(({ kind, key, title, page }) => (
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
          </li>
        ))}
      </ul>
    </>
  );
});
