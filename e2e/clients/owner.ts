/** What a client is told of the service and of its owner, whose wallet signs and whose card pays. */

/** Something a client is told by its environment. */
export function told(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

export const baseUrl = told('BASE_URL');
/** Empty for a client that signs in by itself. */
export const token = told('TOKEN');
export const rail = told('RAIL') === 'card' ? 'card' : 'x402';

/** Has the wallet sign what a 402 asks for: as an object for MCP, and as the header PAYMENT-SIGNATURE for HTTP. */
export async function sign(required: unknown): Promise<{ payment: Record<string, unknown>; header: string }> {
  const answer = await fetch(`${told('OWNER_URL')}/sign`, { method: 'POST', body: JSON.stringify(required) });
  const header = await answer.text();
  return { header, payment: JSON.parse(atob(header)) };
}

/** Shows the owner a link, and resolves when they have done what it leads to: paid by card, or signed in. */
export async function show(link: string): Promise<void> {
  await fetch(`${told('OWNER_URL')}/show`, { method: 'POST', body: link });
}
