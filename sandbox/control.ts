// The control port, for tests and the demo: what the sandbox holds, and switches for every fault.
import type { Server } from 'node:http';
import type { ArchiveFault } from './archive/faults.ts';
import { archiveRoutes } from './archive/routes.ts';
import type { Objects } from './archive/server.ts';
import type { Chain } from './chain/chain.ts';
import { chainRoutes, describeChain } from './chain/routes.ts';
import { relayToFacilitator } from './facilitator/relay.ts';
import type { FaultQueue } from './fault-queue.ts';
import { BRAND, serve } from './http.ts';
import type { MailFault } from './mail/faults.ts';
import type { Mailbox } from './mail/mailbox.ts';
import { mailRoutes } from './mail/routes.ts';
import { sandboxPage } from './page.ts';
import { stripeRoutes } from './stripe/routes.ts';
import type { StripeSandbox } from './stripe/server.ts';

/** The running parts that it controls. */
export type Parts = {
  readonly chains: readonly Chain[];
  readonly facilitatorUrl: string;
  readonly mailbox: Mailbox;
  readonly mailFaults: FaultQueue<MailFault>;
  readonly stripe: StripeSandbox;
  readonly archive: Objects;
  readonly archiveFaults: FaultQueue<ArchiveFault>;
};

/** Starts the control port. Rejects with a sentence when it is taken. */
export function startControl(port: number, parts: Parts): Promise<Server> {
  const { chains, facilitatorUrl, mailbox, mailFaults, stripe, archive, archiveFaults } = parts;
  const facilitator = relayToFacilitator(facilitatorUrl);
  return serve('control port', port, {
    'GET /': async () => ({ html: sandboxPage(await Promise.all(chains.map(describeChain)), mailbox.list()) }),
    'GET /health': () => ({ json: { sandbox: BRAND, ready: true } }),
    ...chainRoutes(chains, facilitator.restart),
    ...facilitator.routes,
    ...mailRoutes(mailbox, mailFaults),
    ...stripeRoutes(stripe),
    ...archiveRoutes(archive, archiveFaults),
  });
}
