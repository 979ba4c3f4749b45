import { X } from 'lucide-react';
import { filterChoices, filterWords, queryOf, type View } from './filters.ts';

const page = '/console/purchases';

/** The list's filters as removable chips, and a form for more. Works without scripts. */
export function FilterBar({ view }: { view: View }) {
  const without = (changes: Partial<View>) => page + queryOf({ ...view, after: null, ...changes });
  const isFiltered = view.filters.length > 0 || view.from !== null || view.to !== null;
  return (
    <>
      {isFiltered ? (
        <ul aria-label="Filters" className="mt-4 flex flex-wrap items-center gap-2">
          {view.filters.map((filter) => {
            const [what, value] = filterWords(filter);
            const rest = view.filters.filter((other) => other !== filter);
            return <Chip key={`${what} ${value}`} what={what} value={value} href={without({ filters: rest })} />;
          })}
          {view.from ? <Chip what="Created from" value={view.from} href={without({ from: null })} /> : null}
          {view.to ? <Chip what="Created up to" value={view.to} href={without({ to: null })} /> : null}
          <li>
            <a className="btn btn-sm btn-plain text-ink-2" href={page}>
              Clear all
            </a>
          </li>
        </ul>
      ) : null}
      <details className="mt-3">
        <summary className="btn btn-sm btn-plain -ml-2.5">Add filter</summary>
        <form action={page} method="get" className="panel mt-2 flex flex-wrap items-end gap-3 p-4">
          {view.filters.map(({ field, value, not }) => (
            <input
              key={`${not} ${field} ${value}`}
              type="hidden"
              name={not ? 'not' : 'is'}
              value={`${field}:${value}`}
            />
          ))}
          {view.sort === 'oldest' ? <input type="hidden" name="sort" value="oldest" /> : null}
          <label className="text-dense">
            What
            <span className="field mt-1 min-h-9 text-ui">
              <select name="add" defaultValue="">
                <option value="">Any</option>
                {filterChoices.map(({ name, choices }) => (
                  <optgroup key={name} label={name}>
                    {choices.map(({ value, word }) => (
                      <option key={value} value={value}>
                        {name}: {word}
                      </option>
                    ))}
                  </optgroup>
                ))}
              </select>
            </span>
          </label>
          <Day name="from" label="Created from" value={view.from} />
          <Day name="to" label="Created up to" value={view.to} />
          <button type="submit" className="btn" name="how" value="is">
            Show only these
          </button>
          <button type="submit" className="btn" name="how" value="not">
            Hide these
          </button>
        </form>
      </details>
    </>
  );
}

function Chip({ what, value, href }: { what: string; value: string; href: string }) {
  return (
    <li className="chip max-w-full">
      <span className="text-ink-3">{what}</span> <span className="truncate font-medium">{value}</span>
      <a
        href={href}
        aria-label={`Remove filter: ${what} ${value}`}
        className="inline-flex size-6 items-center justify-center rounded-tag text-ink-3 hover:bg-hover"
      >
        <X className="icon size-3.5" />
      </a>
    </li>
  );
}

function Day({ name, label, value }: { name: string; label: string; value: string | null }) {
  return (
    <label className="text-dense">
      {label}
      <span className="field mt-1 min-h-9 text-ui">
        <input type="date" name={name} defaultValue={value ?? ''} />
      </span>
    </label>
  );
}
