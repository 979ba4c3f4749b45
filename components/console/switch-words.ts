import type { SwitchName } from '@/server/availability/contract.ts';

/** What each switch controls, and what happens when it is off. */
export const switchWords: Record<SwitchName, { name: string; off: string }> = {
  service: { name: 'Whole service', off: 'Every quote and new payment is refused. Paid jobs are finished.' },
  registrations: { name: 'Registrations', off: 'Nobody new can register. Members can still sign in.' },
  card: { name: 'Card payments', off: 'No new card payments. Open ones continue.' },
  x402: { name: 'x402 payments', off: 'No new x402 payments. Open ones continue.' },
};
