// The local sandbox as one process tree: two chains, the facilitator, the mail server, the payment provider, a
// bucket, the control port. PORT=N places it (the control port is N + 1010); DATA_DIR holds what survives a restart (default
// .data); KEEP_DATA=0 deletes it at the end. The message 'anew' makes it forget everything and start again.

import { mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { join, resolve } from 'node:path';
import type { ArchiveFault } from './archive/faults.ts';
import { startBucket } from './archive/server.ts';
import { type Chain, startChain } from './chain/chain.ts';
import { NETWORKS } from './chain/networks.ts';
import { startControl } from './control.ts';
import { type FacilitatorProcess, forkFacilitator } from './facilitator/process.ts';
import { faultQueue } from './fault-queue.ts';
import { BRAND } from './http.ts';
import type { MailFault } from './mail/faults.ts';
import { openMailbox } from './mail/mailbox.ts';
import { startSmtp } from './mail/smtp.ts';
import { ports as portScheme } from './ports.ts';
import { onEnd } from './process-end.ts';
import { SANDBOX_WEBHOOK_SECRET } from './stripe/keys.ts';
import { startStripe } from './stripe/server.ts';

const DEFAULT_PORT = 3000;
const dataDir = resolve(process.env.DATA_DIR || join(import.meta.dirname, '..', '.data'));
const folder = join(dataDir, 'sandbox');
const toStop: (() => Promise<void> | void)[] = [];
/** Stays when the other parts start anew: its own start would take most of the time. */
let facilitator: FacilitatorProcess | undefined;
let stopping: Promise<void> | undefined;
let startingAnew = false;

/** Stops all parts, newest first, and exits with `code`. */
function stopAll(code: number): Promise<void> {
  stopping ??= (async () => {
    await facilitator?.stop();
    await stopParts();
    if (process.env.KEEP_DATA === '0') rmSync(dataDir, { recursive: true, force: true });
    process.exit(code);
  })();
  return stopping;
}

async function stopParts(): Promise<void> {
  for (const stop of toStop.splice(0).reverse()) await stop();
}

/** Starts again with nothing kept, on the same ports. */
async function startAnew(): Promise<void> {
  startingAnew = true;
  await stopParts();
  startingAnew = false;
  rmSync(folder, { recursive: true, force: true });
  await start();
}

/** Prints one sentence to stderr and stops everything. */
function fail(sentence: string): void {
  if (!stopping) console.error(`${BRAND}: ${sentence}`);
  void stopAll(1);
}

/** A part that ends unexpectedly stops the rest. */
function watch(name: string, exited: Promise<void>): void {
  void exited.then(() => {
    if (!startingAnew) fail(`The ${name} ended by itself.`);
  });
}

async function start(): Promise<void> {
  const ports = portScheme(Number(process.env.PORT || DEFAULT_PORT));
  mkdirSync(folder, { recursive: true });
  const ready = (part: string, url: string) => console.log(`${BRAND} ${part} ${url}`);

  const mailbox = openMailbox(join(folder, 'mail.jsonl'));
  const mailFaults = faultQueue<MailFault>();
  const smtp = await startSmtp(ports.smtp, mailbox, mailFaults);
  toStop.push(smtp.stop);
  ready('mail', `smtp://127.0.0.1:${ports.smtp}`);

  const stripe = await startStripe(ports.stripe, {
    file: join(folder, 'stripe.jsonl'),
    webhook: { url: `http://127.0.0.1:${ports.app}/api/webhooks/stripe`, secrets: [SANDBOX_WEBHOOK_SECRET] },
  });
  toStop.push(stripe.stop);
  ready('payment provider', `http://127.0.0.1:${ports.stripe}`);

  const archiveFaults = faultQueue<ArchiveFault>();
  const bucket = await startBucket(ports.archive, join(folder, 'archive'), archiveFaults);
  toStop.push(bucket.stop);
  ready('archive', `http://127.0.0.1:${ports.archive}`);

  const chains = await startChains(ports.chains, folder);
  for (const { network, rpcUrl } of chains) ready(`chain ${network.network}`, rpcUrl);

  const nodeUrls = Object.fromEntries(chains.map(({ network, nodeUrl }) => [String(network.chainId), nodeUrl]));
  if (facilitator) await facilitator.startAnew(nodeUrls);
  else {
    facilitator = await forkFacilitator(ports.facilitator, nodeUrls);
    watch('facilitator', facilitator.exited);
  }
  const facilitatorUrl = `http://127.0.0.1:${ports.facilitator}`;
  ready('facilitator', facilitatorUrl);

  const control = await startControl(ports.control, {
    chains,
    facilitatorUrl,
    mailbox,
    mailFaults,
    stripe,
    archive: bucket.objects,
    archiveFaults,
  });
  toStop.push(() => close(control));
  ready('control', `http://127.0.0.1:${ports.control}`);
  console.log('sandbox ready');
}

/** Both at once; when one cannot start, everything else is stopped. */
async function startChains(chainPorts: Record<number, number>, folder: string): Promise<Chain[]> {
  const outcomes = await Promise.allSettled(
    NETWORKS.map(async (network) => {
      const port = chainPorts[network.chainId];
      if (port === undefined) throw new Error(`Chain ${network.network} has no port.`);
      const chain = await startChain(network, port, join(folder, `chain-${network.chainId}.json`));
      toStop.push(chain.stop);
      watch(`chain ${network.network}`, chain.anvil.exited);
      return chain;
    }),
  );
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}

async function orFail(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

onEnd(() => void stopAll(0));
await orFail(start);
process.on('message', (message) => {
  if (message === 'anew') void orFail(startAnew);
});
