import type { z } from 'zod';
import type { archiveFaultSchema } from './archive/faults.ts';
import type { chainFaultSchema } from './chain/faults.ts';
import type { ChainDescription } from './chain/routes.ts';
import type { Transfer } from './chain/transfers.ts';
import type { Wallet } from './chain/wallets.ts';
import type { Fault, faultSchema } from './facilitator/faults.ts';
import type { Settlement } from './facilitator/settlements.ts';
import type { MailFault, mailFaultSchema } from './mail/faults.ts';
import type { Letter } from './mail/mailbox.ts';
import { stripeControl } from './stripe/control-client.ts';

type FacilitatorState = { faults: Fault[]; held: number };

const HELD_POLL_MS = 10;

/** The control port as functions, for tests and the demo. Each rejects with the sandbox's sentence on refusal. */
export function controlClient(control: string) {
  async function call<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    const response = await fetch(new URL(path, control), {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${json.message}`);
    return json;
  }

  const facilitatorState = () => call<FacilitatorState>('GET', '/facilitator/faults');

  return {
    /** A fresh wallet with 1,000 USDC on `network` (CAIP-2), or on both. */
    wallet: (network?: string) => call<Wallet>('POST', '/wallets', network === undefined ? {} : { network }),

    /** The letters to an address, newest first. */
    mail: async (to: string) =>
      (await call<{ messages: Letter[] }>('GET', `/mail?${new URLSearchParams({ to })}`)).messages,
    mailFault: (fault: z.input<typeof mailFaultSchema>) => call<{ faults: MailFault[] }>('POST', '/mail/faults', fault),
    clearMailFaults: () => call('DELETE', '/mail/faults'),

    chains: () => call<ChainDescription[]>('GET', '/chains'),
    /** What a chain really holds, newest first. */
    transfers: async (chain: string | number, filter: { from?: string; to?: string; nonce?: string } = {}) =>
      (await call<{ transfers: Transfer[] }>('GET', `/chains/${chain}/transfers?${new URLSearchParams(filter)}`))
        .transfers,
    chainFault: (chain: string | number, fault: z.input<typeof chainFaultSchema>) =>
      call<{ mode: string; snapshot_id?: `0x${string}`; chain: ChainDescription }>(
        'POST',
        `/chains/${chain}/faults`,
        fault,
      ),
    clearChainFaults: (chain: string | number) => call('DELETE', `/chains/${chain}/faults`),

    facilitatorFault: (fault: z.input<typeof faultSchema>) =>
      call<FacilitatorState>('POST', '/facilitator/faults', fault),
    facilitatorState,
    /** Resolves when that many settlements wait to be released. */
    async untilHeld(count = 1): Promise<void> {
      while ((await facilitatorState()).held < count) await new Promise((resolve) => setTimeout(resolve, HELD_POLL_MS));
    },
    release: () => call<{ released: number }>('POST', '/facilitator/release'),
    clearFacilitatorFaults: () => call<FacilitatorState>('DELETE', '/facilitator/faults'),
    /** Makes the facilitator forget nonces, pending settlements and caches, as after a restart. */
    restartFacilitator: () => call('POST', '/facilitator/restart'),
    /** Calls to the facilitator and their results, newest first. */
    settlements: async (filter: { payer?: string; nonce?: string } = {}) =>
      (await call<{ settlements: Settlement[] }>('GET', `/facilitator/settlements?${new URLSearchParams(filter)}`))
        .settlements,

    /** The keys of the objects in the bucket. */
    archived: async () => (await call<{ keys: string[] }>('GET', '/archive')).keys,
    removeArchived: (key: string) => call('POST', '/archive/remove', { key }),
    archiveFault: (fault: z.input<typeof archiveFaultSchema>) => call('POST', '/archive/faults', fault),
    clearArchiveFaults: () => call('DELETE', '/archive/faults'),

    stripe: stripeControl(call),
  };
}
