import type { GrantValues } from '@/components/forms/GrantFields.tsx';
import { fromText } from '@/server/kernel/money.ts';
import type { ProblemCode } from '@/server/kernel/problem.ts';
import { defaultGrant } from '@/server/service/terms.ts';

/** The grant that a form says. What is no amount stays a text, which the operation refuses. */
export function grantOf(fields: URLSearchParams): Record<string, unknown> {
  const may = fields.getAll('may');
  const total = fields.get('in_total')?.trim() ?? '';
  return {
    per_job_limit_microcents: amount(fields.get('per_check')),
    daily_limit_microcents: amount(fields.get('per_day')),
    total_limit_microcents: total === '' ? null : amount(total),
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

/** The query that shows a refused form again, with what was typed. */
export function typedAgain(fields: URLSearchParams, refused: ProblemCode): URLSearchParams {
  const query = new URLSearchParams({ refused });
  for (const name of ['per_check', 'per_day', 'in_total', 'may']) {
    for (const value of fields.getAll(name)) query.append(name, value);
  }
  return query;
}

export type Search = Record<string, string | string[] | undefined>;

/** What was typed before a form was refused; null when none was. */
export function typedBefore(search: Search): GrantValues | null {
  if (typeof search.refused !== 'string' || search.per_check === undefined) return null;
  const text = (name: string) => String(search[name] ?? '').slice(0, 20);
  return {
    per_check: text('per_check'),
    per_day: text('per_day'),
    in_total: text('in_total'),
    may: [search.may ?? []].flat(),
  };
}
