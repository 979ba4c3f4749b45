import type { GrantValues } from '@/components/forms/GrantFields.tsx';
import { amountText } from '@/components/purchases/Price.tsx';
import { fromText } from '@/server/kernel/money.ts';
import { defaultGrant, price } from '@/server/service/terms.ts';

/** The grant in a form. An invalid amount stays text, which the operation refuses. */
export function grantOf(fields: URLSearchParams): Record<string, unknown> {
  const may = fields.getAll('may');
  const total = fields.has('once') ? amountText(price) : (fields.get('in_total')?.trim() ?? '');
  const above = fields.get('ask_above')?.trim() ?? '';
  const ends = fields.get('ends')?.trim() ?? '';
  return {
    per_job_limit_microcents: amount(fields.get('per_check')),
    daily_limit_microcents: amount(fields.get('per_day')),
    total_limit_microcents: total === '' ? null : amount(total),
    approval_above_microcents: above === '' ? null : amount(above),
    expires_at: ends === '' ? null : `${ends}:00.000Z`,
    may_ask_above_limits: may.includes('may_ask_above_limits'),
    payment_methods: defaultGrant.payment_methods.filter((method) => may.includes(method)),
    review_authority: may.includes('review_authority'),
    governed_refs: may.includes('governed_refs'),
  };
}

function amount(text: string | null): number | string {
  const typed = text ?? '';
  const microcents = fromText(typed);
  return microcents === null ? typed : Number(microcents);
}

/** A form's values, as its fields showed them. */
export function valuesIn(fields: URLSearchParams): GrantValues {
  const text = (name: string) => fields.get(name) ?? '';
  return {
    per_check: text('per_check'),
    per_day: text('per_day'),
    in_total: text('in_total'),
    ask_above: text('ask_above'),
    ends: text('ends'),
    may: fields.getAll('may'),
  };
}

/** The query that shows a form again with what was typed. */
export function typedQuery(fields: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['per_check', 'per_day', 'in_total', 'ask_above', 'ends', 'may']) {
    for (const value of fields.getAll(name)) query.append(name, value);
  }
  return query;
}

export type Search = Record<string, string | string[] | undefined>;

/** The current query, to return to after signing in. */
export function queryOf(search: Search): string {
  const pairs = Object.entries(search).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** What was typed and not saved; null when nothing was. */
export function typedBefore(search: Search): GrantValues | null {
  if (search.per_check === undefined) return null;
  const text = (name: string) => String(search[name] ?? '').slice(0, 20);
  return {
    per_check: text('per_check'),
    per_day: text('per_day'),
    in_total: text('in_total'),
    ask_above: text('ask_above'),
    ends: text('ends'),
    may: [search.may ?? []].flat(),
  };
}
