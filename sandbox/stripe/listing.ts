import { missing } from './errors.ts';
import type { Provider } from './provider.ts';
import type { Kind } from './store.ts';

export interface Page {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly created?:
    | number
    | { readonly gt?: number; readonly gte?: number; readonly lt?: number; readonly lte?: number };
}

const LIMIT = 10;

/** A list as Stripe answers it: newest first, from a cursor. Throws 400 for an unknown cursor. */
export function listOf<Item extends { id: string; created: number }>(
  provider: Provider,
  { url, kind, items }: { url: string; kind: Kind; items: readonly Item[] },
  page: Page,
): { object: 'list'; url: string; has_more: boolean; data: Item[] } {
  const limit = page.limit ?? LIMIT;
  const found = items.filter(({ created }) => isWithin(created, page.created));
  const placeOf = (id: string, param: string) => {
    const place = found.findIndex((item) => item.id === id);
    if (place >= 0) return place;
    // A cursor may be an object that the filter leaves out.
    if (!provider.store.get(kind, id)) throw missing(kind.replace('_', ' '), id, param);
    return found.length;
  };
  if (page.ending_before !== undefined) {
    const end = placeOf(page.ending_before, 'ending_before');
    const start = Math.max(0, end - limit);
    return { object: 'list', url, has_more: start > 0, data: found.slice(start, end) };
  }
  const start = page.starting_after === undefined ? 0 : placeOf(page.starting_after, 'starting_after') + 1;
  return { object: 'list', url, has_more: found.length > start + limit, data: found.slice(start, start + limit) };
}

function isWithin(created: number, range: Page['created']): boolean {
  if (range === undefined) return true;
  if (typeof range === 'number') return created === range;
  const { gt, gte, lt, lte } = range;
  return (
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
  );
}
