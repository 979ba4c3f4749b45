import type { CardProvider } from './provider.ts';

/** A start waits for no provider: it goes on without an answer. */
const timeoutMs = 5_000;

/** The currencies that the account at the provider settles in, besides conversions: it holds at least zero of each. */
export async function currenciesHeld({ stripe }: CardProvider): Promise<string[]> {
  const { available, pending } = await stripe.balance.retrieve({}, { timeout: timeoutMs });
  return [...new Set([...available, ...pending].map(({ currency }) => currency))];
}
