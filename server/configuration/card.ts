import { z } from 'zod';

/** The card provider, Stripe. Its key's mode must be the installation's. */
export const cardVariables = {
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.string().regex(/^whsec_[A-Za-z0-9+/=_-]+$/, 'must begin with whsec_')).max(2))
    .default([]),
  STRIPE_API_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
};
const CardVariables = z.object(cardVariables);
type CardVariables = z.infer<typeof CardVariables> & { BASE_URL: string; ENVIRONMENT: 'test' | 'live' };

export interface CardConfiguration {
  /** Empty when not set. */
  secretKey: string;
  /** Any of them verifies: there are two while one is rolled. */
  webhookSecrets: readonly string[];
  /** From the key's prefix. */
  mode: 'test' | 'live' | 'unknown';
  /** The provider's address; null for its own. */
  apiUrl: string | null;
  /** Our page for payers, before and after; null without an address that browsers can open. */
  returnUrl: string | null;
}

export function cardOf(variables: CardVariables): CardConfiguration {
  const { STRIPE_SECRET_KEY: secretKey = '', BASE_URL: baseUrl } = variables;
  return {
    secretKey,
    webhookSecrets: variables.STRIPE_WEBHOOK_SECRET,
    mode: modeOf(secretKey),
    apiUrl: variables.STRIPE_API_URL ?? null,
    returnUrl: /^https?:/.test(baseUrl) ? `${baseUrl}/pay` : null,
  };
}

/** The mode of a key, by its prefix (docs.stripe.com/keys): Stripe's own client does not check. */
function modeOf(secretKey: string): CardConfiguration['mode'] {
  const [, mode] = /^(?:sk|rk)_(test|live)_/.exec(secretKey) ?? [];
  return mode === 'test' || mode === 'live' ? mode : 'unknown';
}

/** What keeps cards from being sold although something of them is set: a start goes on without them, a check says so. */
export function cardGaps({ secretKey, webhookSecrets, mode }: CardConfiguration): string[] {
  const gaps: string[] = [];
  if (secretKey !== '' && mode === 'unknown') {
    gaps.push('STRIPE_SECRET_KEY is no key of Stripe: it begins with sk_test_, rk_test_, sk_live_ or rk_live_');
  }
  if ((secretKey === '') !== (webhookSecrets.length === 0)) {
    const missing = secretKey === '' ? 'STRIPE_SECRET_KEY' : 'STRIPE_WEBHOOK_SECRET';
    gaps.push(
      `${missing} is missing: without both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET nothing is sold by card`,
    );
  }
  return gaps;
}

/** A key of the wrong mode would charge nobody, or charge real money in a test. */
export function cardFaults({ STRIPE_SECRET_KEY, ENVIRONMENT: environment }: CardVariables): string[] {
  const mode = modeOf(STRIPE_SECRET_KEY ?? '');
  if (mode === 'unknown' || mode === environment) return [];
  return [`STRIPE_SECRET_KEY is a ${mode} key, and ENVIRONMENT is ${environment}`];
}
