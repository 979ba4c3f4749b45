import { type ProblemCode, problems } from '@/server/problems/catalogue.ts';

/** Why a click to pay failed, for a payer who knows nothing about agents and rails. */
const words: Partial<Record<ProblemCode, string>> = {
  service_unavailable: 'The card page could not be opened. Try again in a minute.',
  purchases_blocked: 'This account cannot buy anything new right now. Ask whoever runs the agent.',
  grant_scope_missing: 'The agent may no longer buy this. Ask whoever runs it.',
  grant_limit_exceeded: 'This would exceed the agent’s spending limit. Ask whoever runs it.',
  action_not_allowed:
    'A member of the account has started a card payment. Only a member can continue it; otherwise ask the agent for a new link.',
  rate_limited:
    'Too many tries, or too many open checks on this account. Finish an open payment or accept a report, then try again.',
};

/** The words for a problem code; null for any other text. */
export function refusalWords(code: string): string | null {
  if (!Object.hasOwn(problems, code)) return null;
  return words[code as ProblemCode] ?? `${problems[code as ProblemCode].title}.`;
}
