import type { z } from 'zod';
import type * as contract from '@/server/console/contract.ts';

/** What pages of the console read again by themselves. */
interface Reads {
  console_purchases: typeof contract.consolePurchases;
}

/** Reads an operation over tRPC, with the session of the page. Rejects with what the service says. */
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
