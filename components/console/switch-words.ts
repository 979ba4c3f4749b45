import type { SwitchName } from '@/server/service/contract.ts';

/** What each switch controls, and what happens when it is off. */
export const switchWords: Record<SwitchName, { name: string; off: string }> = {
  service: { name: 'Whole service', off: 'Every quote and new payment is refused. What is paid for is finished.' },
  registrations: { name: 'Registrations', off: 'Nobody new can register. Members still sign in.' },
  card: { name: 'Card payments', off: 'No new payment by card. Open ones go on.' },
  x402: { name: 'x402 payments', off: 'No new payment over x402. Open ones go on.' },
};
