import type { z } from 'zod';
import type * as contract from '@/server/console/contract/purchases.ts';

/** Operations that console pages call from the browser. */
interface Reads {
  console_purchases: typeof contract.consolePurchases;
}

/** Reads an operation over tRPC with the page's session. Rejects with the service's message. */
export async function ask<Name extends keyof Reads>(
  name: Name,
  input: z.input<Reads[Name]['input']>,
): Promise<z.output<Reads[Name]['output']>> {
  const query = new URLSearchParams({ input: JSON.stringify(input) });
  const response = await fetch(`/api/trpc/${name}?${query}`, { headers: { accept: 'application/json' } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `The service answered ${response.status}.`);
  return answer.result.data;
}
