import { X } from 'lucide-react';
import type { SavedView } from '@/server/console/contract/purchases.ts';

interface Props {
  views: readonly SavedView[];
  /** The current query, with its question mark. */
  current: string;
}

/** This operator's saved views, and a field to save the current one. Works without scripts. */
export function SavedViews({ views, current }: Props) {
  return (
    <details className="mt-3" open={views.length > 0}>
      <summary className="btn btn-sm btn-plain -ml-2.5">Saved views</summary>
      <div className="mt-2 flex flex-wrap items-end gap-3">
        {views.length > 0 ? (
          <ul aria-label="Saved views" className="flex flex-wrap gap-2">
            {views.map(({ view_key, name, query }) => (
              <li key={view_key} className="chip max-w-full">
                <a
                  className="inline-flex min-h-6 items-center truncate font-medium hover:underline"
                  href={`/console/purchases${query && `?${query}`}`}
                >
                  {name}
                </a>
                <form action="/console/purchases/views/remove" method="post" className="contents">
                  <input type="hidden" name="back" value={current} />
                  <button
                    type="submit"
                    name="view_key"
                    value={view_key}
                    aria-label={`Delete the view ${name}`}
                    className="inline-flex size-6 items-center justify-center rounded-tag text-ink-3 hover:bg-hover"
                  >
                    <X className="icon size-3.5" />
                  </button>
                </form>
              </li>
            ))}
          </ul>
        ) : null}
        <form action="/console/purchases/views/save" method="post" className="flex flex-wrap items-end gap-3">
          <input type="hidden" name="query" value={current} />
          <label className="text-dense">
            Save this view as
            <span className="field mt-1 min-h-9 text-ui">
              <input name="name" required maxLength={40} autoComplete="off" />
            </span>
          </label>
          <button type="submit" className="btn">
            Save view
          </button>
        </form>
      </div>
    </details>
  );
}
