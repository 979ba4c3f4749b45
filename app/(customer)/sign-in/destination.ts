/** Where a sign-in leads: one of our own pages by name, never an address that a link brings along. */
export function destinationOf(next: unknown): 'agents' | 'connect' {
  return next === 'connect' ? 'connect' : 'agents';
}
