import { bought } from '@/server/purchases/list-contract.ts';

/** Which purchases the page shows, as in its address: `?agent_key=…&rail=card&verdict=revise&waits_for=review`. */
export interface Filters {
  agent_key?: string;
  rail?: string;
  verdict?: string;
  waits_for?: string;
}

const names = ['agent_key', 'rail', 'verdict', 'waits_for'] as const;

/** Reads an address; ignores empty, unknown and repeated values. */
export function filtersIn(search: Readonly<Record<string, string | string[] | undefined>>): Filters {
  const { shape } = bought.input;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && shape[name].safeParse(value).success ? [[name, value]] : [];
    }),
  );
}

/** The page's address with these filters, from this purchase on. */
export function purchasesAt(filters: Filters, after?: string): string {
  const query = new URLSearchParams({ ...filters, ...(after === undefined ? {} : { after }) });
  return `/purchases${query.size > 0 ? `?${query}` : ''}`;
}
