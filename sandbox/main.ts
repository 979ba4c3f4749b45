// The sandbox as a process: PORT names the app's port, DATA_DIR the folder that keeps balances and mail.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startChain } from './chain/chain.ts';
import { NETWORKS } from './chain/networks.ts';
import { startControl } from './control.ts';
import { forkFacilitator } from './facilitator/process.ts';
import { faultQueue } from './fault-queue.ts';
import type { MailFault } from './mail/faults.ts';
import { openMailbox } from './mail/mailbox.ts';
import { startSmtp } from './mail/smtp.ts';
import { ports } from './ports.ts';
import { onEnd } from './process-end.ts';

const stoppers: (() => unknown)[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

async function stop(code: number): Promise<never> {
  await Promise.allSettled(stoppers.toReversed().map(async (stopPart) => stopPart()));
  process.exit(code);
}

onEnd(() => void stop(0));
try {
  await start();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}

async function start(): Promise<void> {
  const scheme = ports(Number(process.env.PORT ?? 3000));
  const folder = path.resolve(process.env.DATA_DIR ?? '.data', 'sandbox');
  mkdirSync(folder, { recursive: true });

  const chains = await Promise.all(
    NETWORKS.map(async (network) => {
      const chain = await startChain(
        network,
        scheme.chains[network.chainId],
        path.join(folder, `chain-${network.chainId}.json`),
      );
      stoppers.push(chain.stop);
      say(`chain ${network.network} on port ${scheme.chains[network.chainId]}`);
      return chain;
    }),
  );
  const nodeUrls = Object.fromEntries(chains.map((chain) => [chain.network.chainId, chain.nodeUrl]));
  const facilitator = await forkFacilitator(scheme.facilitator, nodeUrls);
  stoppers.push(facilitator.stop);
  say(`facilitator on port ${scheme.facilitator}`);

  const mailbox = openMailbox(path.join(folder, 'mail.jsonl'));
  const mailFaults = faultQueue<MailFault>();
  const smtp = await startSmtp(scheme.smtp, mailbox, mailFaults);
  stoppers.push(smtp.stop);
  say(`mail on port ${scheme.smtp}`);

  const facilitatorUrl = `http://127.0.0.1:${scheme.facilitator}`;
  const control = await startControl(scheme.control, { chains, facilitatorUrl, mailbox, mailFaults });
  stoppers.push(() => {
    control.close();
    control.closeAllConnections();
  });
  say(`control on port ${scheme.control}`);
  // A part that ends by itself takes the sandbox with it: half a sandbox would make every failure look like ours.
  for (const ended of [facilitator.exited, ...chains.map((chain) => chain.anvil.exited)])
    void ended.then(() => stop(1));
  say('sandbox ready');
}
