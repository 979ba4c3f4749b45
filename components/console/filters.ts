import type { z } from 'zod';
import {
  type consolePurchases,
  type Filter,
  type FilterField,
  filterFields,
  filterNames,
} from '@/server/console/contract/purchases.ts';
import { stateWord } from '../purchases/states.ts';

/** The purchases to list, as in the address: `?is=job:failed&not=rail:card&from=2026-11-01`. */
export interface View {
  filters: Filter[];
  /** Days, `YYYY-MM-DD`, UTC, both included. */
  from: string | null;
  to: string | null;
  sort: 'newest' | 'oldest';
  after: string | null;
}

type Query = Readonly<Record<string, string | string[] | undefined>>;

const all = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());
const dayOf = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : null;

function filterIn(text: string, not: boolean): Filter[] {
  const [field = '', value = ''] = text.split(/:(.*)/s, 2);
  if (!(filterNames as string[]).includes(field) || value === '') return [];
  const known = filterFields[field as FilterField] as readonly string[] | null;
  return known === null || known.includes(value)
    ? [{ field: field as FilterField, value: value.slice(0, 100), not }]
    : [];
}

/** Reads an address; ignores unknown names. `add` and `how` come from the form without scripts. */
export function viewOf(query: Query): View {
  const how = query.how === 'not' ? 'not' : 'is';
  const named = (name: 'is' | 'not') => [...all(query[name]), ...(how === name ? all(query.add) : [])];
  const filters = [
    ...named('is').flatMap((text) => filterIn(text, false)),
    ...named('not').flatMap((text) => filterIn(text, true)),
  ];
  const seen = new Map(filters.map((filter) => [`${filter.not} ${filter.field} ${filter.value}`, filter]));
  return {
    filters: [...seen.values()].slice(0, 24),
    from: dayOf(query.from),
    to: dayOf(query.to),
    sort: query.sort === 'oldest' ? 'oldest' : 'newest',
    after: typeof query.after === 'string' && /^\w{1,64}$/.test(query.after) ? query.after : null,
  };
}

/** A view's query: `''` for everything. */
export function queryOf(view: View): string {
  const parts = new URLSearchParams();
  for (const { field, value, not } of view.filters) parts.append(not ? 'not' : 'is', `${field}:${value}`);
  if (view.from) parts.set('from', view.from);
  if (view.to) parts.set('to', view.to);
  if (view.sort === 'oldest') parts.set('sort', 'oldest');
  if (view.after) parts.set('after', view.after);
  const text = parts.toString();
  return text === '' ? '' : `?${text}`;
}

const dayMs = 86_400_000;

/** The input of the operation that lists purchases. */
export function listInput({ filters, from, to, sort, after }: View): z.input<typeof consolePurchases.input> {
  return {
    filters,
    from: from && new Date(from).toISOString(),
    to: to && new Date(Date.parse(to) + dayMs).toISOString(),
    sort,
    after,
  };
}

const fieldWords: Record<FilterField, string> = {
  job: 'Job',
  payment: 'Payment',
  charge: 'Charge',
  review: 'Review',
  verdict: 'Verdict',
  rail: 'Rail',
  customer: 'Customer',
  agent: 'Agent',
};

/** A filter in words: `Payment is not` and `None yet`. */
export function filterWords({ field, value, not }: Filter): [string, string] {
  const shown = field === 'customer' || field === 'agent' || field === 'rail' ? value : stateWord(field, value).word;
  return [`${fieldWords[field]} is${not ? ' not' : ''}`, shown];
}

/** Every filter with a list of values, by its field. */
export const filterChoices: readonly { name: string; choices: readonly { value: string; word: string }[] }[] =
  filterNames.flatMap((field) => {
    const values = filterFields[field] as readonly string[] | null;
    if (values === null) return [];
    const choices = values.map((value) => ({
      value: `${field}:${value}`,
      word: filterWords({ field, value, not: false })[1],
    }));
    return [{ name: fieldWords[field], choices }];
  });
