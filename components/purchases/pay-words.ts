import { type ProblemCode, problems } from '@/server/problems.ts';

/** Why a click to pay failed, for a payer who knows nothing about agents and rails. */
const words: Partial<Record<ProblemCode, string>> = {
  service_unavailable: 'The card page could not be opened. Try again in a minute.',
  purchases_blocked: 'Nothing new can be bought for this account right now. Whoever runs the agent can tell you why.',
  grant_scope_missing: 'The agent may not buy this any more. Ask whoever runs it.',
  grant_limit_exceeded: 'The agent may not spend so much any more. Ask whoever runs it.',
  action_not_allowed:
    'A member of the account has begun to pay by card. Only a member can go on there; the agent can make a new link.',
  rate_limited: 'That was asked too often. Try again in a minute.',
};

/** The words for a problem code; null for any other text. */
export function refusalWords(code: string): string | null {
  if (!Object.hasOwn(problems, code)) return null;
  return words[code as ProblemCode] ?? `${problems[code as ProblemCode].title}.`;
}
