import { z } from 'zod';

const quota = z.coerce.number().int().min(1).max(1_000_000);

/** How many requests each limit lets through in its window. */
export const rateLimitVariables = {
  RATE_LIMIT_REQUESTS: quota.default(600),
  RATE_LIMIT_QUOTES: quota.default(120),
  RATE_LIMIT_NETWORK_REQUESTS: quota.default(3_000),
  RATE_LIMIT_NETWORK_QUOTES: quota.default(600),
  RATE_LIMIT_WALLET_CHALLENGES: quota.default(60),
  RATE_LIMIT_WALLET_VERIFICATIONS: quota.default(120),
  RATE_LIMIT_REGISTRATIONS: quota.default(20),
  RATE_LIMIT_SIGN_IN_LINKS: quota.default(60),
  RATE_LIMIT_CLAIMS: quota.default(300),
  RATE_LIMIT_PAGES: quota.default(600),
};
const RateLimitVariables = z.object(rateLimitVariables);

/**
 * The rate limits (specification 3.5). The first counts per principal or member, the second per principal, the others
 * per block of addresses: the third and fourth all its principals and members without an accepted purchase together.
 */
export type LimitName =
  | 'requests'
  | 'quotes'
  | 'network_requests'
  | 'network_quotes'
  | 'wallet_challenges'
  | 'wallet_verifications'
  | 'registrations'
  | 'sign_in_links'
  | 'claims'
  | 'pages';

/** At most `quota` requests in a window, which opens with the first. */
interface RateLimit {
  quota: number;
  windowSeconds: number;
}

export type RateLimits = Readonly<Record<LimitName, RateLimit>>;

export function rateLimitsOf(variables: z.infer<typeof RateLimitVariables>): RateLimits {
  return {
    requests: { quota: variables.RATE_LIMIT_REQUESTS, windowSeconds: 60 },
    quotes: { quota: variables.RATE_LIMIT_QUOTES, windowSeconds: 60 },
    network_requests: { quota: variables.RATE_LIMIT_NETWORK_REQUESTS, windowSeconds: 60 },
    network_quotes: { quota: variables.RATE_LIMIT_NETWORK_QUOTES, windowSeconds: 60 },
    wallet_challenges: { quota: variables.RATE_LIMIT_WALLET_CHALLENGES, windowSeconds: 60 },
    wallet_verifications: { quota: variables.RATE_LIMIT_WALLET_VERIFICATIONS, windowSeconds: 60 },
    registrations: { quota: variables.RATE_LIMIT_REGISTRATIONS, windowSeconds: 3_600 },
    sign_in_links: { quota: variables.RATE_LIMIT_SIGN_IN_LINKS, windowSeconds: 3_600 },
    claims: { quota: variables.RATE_LIMIT_CLAIMS, windowSeconds: 60 },
    pages: { quota: variables.RATE_LIMIT_PAGES, windowSeconds: 60 },
  };
}
